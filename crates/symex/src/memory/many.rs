//! Memory where threads take turns: many states joined at once, and a state brought up to date.
//!
//! Where a thread may have stopped at many places, most objects are the same in most of its states. So an object is
//! joined by its versions, not state by state: the conditions of all states that share one are one condition.

use super::*;

/// One state of an object, or its absence, and where it is so.
type Version = (Option<Rc<Object>>, Vec<Term>);

impl Memory {
    /// The memory of whichever state holds; the conditions exclude each other.
    pub fn join_all(space: &mut Space<'_>, terms: &mut Terms, states: &[(Term, &Memory)]) -> Result<Memory, Refusal> {
        let Some(((_, first), rest)) = states.split_first() else { return Ok(Memory::default()) };
        let mut out = (*first).clone();
        let mut numbers = BTreeSet::new();
        for (_, other) in rest {
            numbers.extend(first.differing(other));
        }
        for number in numbers {
            let versions = versions(space, terms, states, number);
            if let Some(joined) = join_versions(space, terms, versions)? {
                out.objects.insert(number, Shared(joined));
            }
        }
        Ok(out)
    }

    /// Takes over some objects as they are in another state.
    pub fn take_over(&mut self, from: &Memory, numbers: &BTreeSet<Holder>) {
        for &number in numbers {
            match from.objects.get(&number) {
                Some(object) => self.objects.insert(number, object.clone()),
                None => self.objects.remove(&number),
            };
        }
    }
}

fn versions(space: &mut Space<'_>, terms: &mut Terms, states: &[(Term, &Memory)], number: Holder) -> Vec<Version> {
    let mut out: Vec<Version> = Vec::new();
    for (cond, memory) in states {
        let object = memory.object(space, terms, number);
        let same = |v: &&mut Version| match (&v.0, &object) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        match out.iter_mut().find(same) {
            Some((_, conditions)) => conditions.push(*cond),
            None => out.push((object, vec![*cond])),
        }
    }
    out
}

/// The version that most states have is the one that needs no condition.
fn join_versions(
    space: &mut Space<'_>,
    terms: &mut Terms,
    versions: Vec<Version>,
) -> Result<Option<Rc<Object>>, Refusal> {
    let most = versions.iter().filter(|v| v.0.is_some()).map(|v| v.1.len()).max();
    let base = versions.iter().position(|v| v.0.is_some() && Some(v.1.len()) == most);
    let Some(base) = base else { return Ok(None) };
    let mut out = versions[base].0.clone().expect("an object should be there to join the others to");
    for (_, (object, conditions)) in versions.iter().enumerate().filter(|(i, _)| *i != base) {
        let cond = terms.or_all(conditions);
        match object {
            Some(object) => {
                out = Rc::new(merge_objects(space, terms, &out, object, cond, &Sides::default())?);
            }
            None => {
                let there = terms.not(cond);
                let object = Rc::make_mut(&mut out);
                object.exists = terms.and(object.exists, there);
            }
        }
    }
    Ok(Some(out))
}
