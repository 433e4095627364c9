//! What calls that were left out did to classes nobody has looked at since.
//!
//! A call of a real program may change thousands of classes, and the segment looks at a handful of them. So a call
//! only notes which it may change; the variables for a class are made when somebody asks for it.

use super::*;

/// What happened to memory, newest first. The start of the segment is the absence of any.
pub struct Past {
    id: u32,
    event: Event,
}

enum Event {
    Call { call: u32, changed: Rc<BTreeSet<Region>>, before: Option<Rc<Past>> },
    Join { cond: Term, other: Option<Rc<Past>>, mine: Option<Rc<Past>> },
}

/// A past is known by its number; the start of the segment by 0.
fn id(past: &Option<Rc<Past>>) -> u32 {
    past.as_ref().map_or(0, |p| p.id)
}

impl Memory {
    /// A call that was left out may have changed these classes.
    pub fn forget(&mut self, space: &mut Space<'_>, call: u32, changed: Rc<BTreeSet<Region>>) {
        let is_changed = |holder: &Holder| match holder {
            Holder::Region(region) => changed.contains(region),
            Holder::Object(_) => false,
        };
        let known: Vec<Holder> = self.objects.keys().copied().filter(is_changed).collect();
        for holder in known {
            self.objects.remove(&holder);
        }
        let event = Event::Call { call, changed, before: self.past.take() };
        self.past = Some(Rc::new(Past { id: space.next_past(), event }));
    }

    pub(super) fn merge_past(&mut self, space: &mut Space<'_>, other: &Memory, cond: Term) {
        if id(&self.past) != id(&other.past) {
            let event = Event::Join { cond, other: other.past.clone(), mine: self.past.take() };
            self.past = Some(Rc::new(Past { id: space.next_past(), event }));
        }
    }
}

impl Space<'_> {
    fn next_past(&mut self) -> u32 {
        self.segment.as_mut().map_or(0, |s| {
            s.pasts += 1;
            s.pasts
        })
    }

    /// The classes whose state after a call somebody asked for, with the variables that stand for it.
    pub fn call_ports(&self, call: u32) -> Vec<(Region, RegionPort)> {
        let Some(segment) = &self.segment else { return Vec::new() };
        segment.call_ports.range((call, Region(0))..=(call, Region(u32::MAX))).map(|((_, r), p)| (*r, *p)).collect()
    }

    /// The object of a class as the past left it. `None` from merging states that can't be merged.
    pub(super) fn past_object(
        &mut self,
        terms: &mut Terms,
        past: &Option<Rc<Past>>,
        region: Region,
    ) -> Option<Rc<Object>> {
        let mut todo = vec![past.clone()];
        while let Some(top) = todo.last().cloned() {
            let top = last_change(top, region);
            if self.remembered(terms, &top, region).is_some() {
                todo.pop();
                continue;
            }
            let Event::Join { cond, other, mine } = &top.as_ref()?.event else { return None };
            let (other, mine) = (last_change(other.clone(), region), last_change(mine.clone(), region));
            match (self.remembered(terms, &mine, region), self.remembered(terms, &other, region)) {
                (Some(a), Some(b)) => {
                    let joined = if Rc::ptr_eq(&a, &b) {
                        a
                    } else {
                        Rc::new(merge_objects(self, terms, &a, &b, *cond, &Sides::default()).ok()?)
                    };
                    self.segment.as_mut()?.remembered.insert((id(&top), region), joined);
                    todo.pop();
                }
                (None, _) => todo.push(mine),
                (_, None) => todo.push(other),
            }
        }
        let past = last_change(past.clone(), region);
        self.remembered(terms, &past, region)
    }

    /// The object of a class after an event that changed it, if that is known without going further back.
    fn remembered(&mut self, terms: &mut Terms, past: &Option<Rc<Past>>, region: Region) -> Option<Rc<Object>> {
        let Some(last) = past else { return self.initial(terms, Holder::Region(region)) };
        let key = (last.id, region);
        if let Some(found) = self.segment.as_ref()?.remembered.get(&key) {
            return Some(Rc::clone(found));
        }
        let Event::Call { call, .. } = &last.event else { return None };
        let port = self.make_port(terms, &format!("call{call}:"), region);
        let object = Rc::new(self.outside_object(terms, port));
        let segment = self.segment.as_mut()?;
        segment.call_ports.insert((*call, region), port);
        segment.remembered.insert(key, Rc::clone(&object));
        Some(object)
    }
}

/// Steps over calls that can't change the class.
fn last_change(mut past: Option<Rc<Past>>, region: Region) -> Option<Rc<Past>> {
    while let Some(p) = &past {
        match &p.event {
            Event::Call { changed, before, .. } if !changed.contains(&region) => past = before.clone(),
            Event::Call { .. } | Event::Join { .. } => break,
        }
    }
    past
}
