//! From literals to terms.

use super::parse::{Def, File, Lit, Reset};
use crate::read::{Names, ReadError};
use crate::ts::{Goal, Property, Ts};
use blitz_term::{Sort, Term};
use rustc_hash::FxHashMap;

/// The transition system of a file.
pub fn build(file: &File) -> Result<Ts, ReadError> {
    let mut ts = Ts::new();
    let mut names = Names::default();
    let mut terms = FxHashMap::default();
    for (i, &lit) in file.inputs.iter().enumerate() {
        let name = names.unique(file.symbols.get(b'i', i).unwrap_or(&format!("i{i}")));
        terms.insert(lit / 2, ts.add_input(&name, Sort::BOOL));
    }
    for (i, latch) in file.latches.iter().enumerate() {
        let name = names.unique(file.symbols.get(b'l', i).unwrap_or(&format!("l{i}")));
        terms.insert(latch.lit / 2, ts.add_state(&name, Sort::BOOL));
    }
    let mut builder = Builder { file, ts, terms };
    builder.latches()?;
    builder.conditions()?;
    builder.outputs(&mut names)?;
    Ok(builder.ts)
}

struct Builder<'a> {
    file: &'a File,
    ts: Ts,
    terms: FxHashMap<u32, Term>,
}

impl Builder<'_> {
    fn latches(&mut self) -> Result<(), ReadError> {
        for (i, latch) in self.file.latches.iter().enumerate() {
            let next = self.term(latch.next)?;
            let state = &mut self.ts.states[i];
            state.next = Some(next);
            state.init = match latch.reset {
                Reset::Zero => Some(self.ts.terms.fls()),
                Reset::One => Some(self.ts.terms.tru()),
                Reset::Any => None,
            };
        }
        Ok(())
    }

    fn conditions(&mut self) -> Result<(), ReadError> {
        let file = self.file;
        self.ts.constraints = self.all(&file.constraints)?;
        self.ts.fair = self.all(&file.fair)?;
        let old = file.bad.is_empty() && file.justice.is_empty();
        let (kind, bad) = if old { (b'o', &file.outputs) } else { (b'b', &file.bad) };
        for (i, &lit) in bad.iter().enumerate() {
            let goal = Goal::Bad(self.term(lit)?);
            self.property(format!("b{i}"), file.symbols.get(kind, i), goal);
        }
        for (i, literals) in file.justice.iter().enumerate() {
            let goal = Goal::Justice(self.all(literals)?);
            self.property(format!("j{i}"), file.symbols.get(b'j', i), goal);
        }
        Ok(())
    }

    fn property(&mut self, name: String, text: Option<&str>, goal: Goal) {
        self.ts.properties.push(Property { name, text: text.map(str::to_owned), goal });
    }

    fn outputs(&mut self, names: &mut Names) -> Result<(), ReadError> {
        let file = self.file;
        for (i, &lit) in file.outputs.iter().enumerate() {
            let name = names.unique(file.symbols.get(b'o', i).unwrap_or(&format!("o{i}")));
            let term = self.term(lit)?;
            self.ts.symbols.insert(name, term);
        }
        Ok(())
    }

    fn all(&mut self, literals: &[Lit]) -> Result<Vec<Term>, ReadError> {
        literals.iter().map(|&l| self.term(l)).collect()
    }

    fn term(&mut self, lit: Lit) -> Result<Term, ReadError> {
        self.build_variable(lit / 2)?;
        Ok(self.built(lit))
    }

    fn built(&mut self, lit: Lit) -> Term {
        let plain = if lit < 2 { self.ts.terms.fls() } else { self.terms[&(lit / 2)] };
        if lit % 2 == 1 { self.ts.terms.not(plain) } else { plain }
    }

    /// Builds what a variable needs. In an ascii file ands come in any order, so this is a search that must not come back to where it is.
    fn build_variable(&mut self, root: u32) -> Result<(), ReadError> {
        let mut stack = vec![(root, false)];
        let mut open = rustc_hash::FxHashSet::default();
        while let Some((var, ready)) = stack.pop() {
            if var == 0 || self.terms.contains_key(&var) {
                continue;
            }
            let Def::And { left, right, line } = self.file.defs[&var] else {
                unreachable!("inputs and latches should be built first");
            };
            if ready {
                let (a, b) = (self.built(left), self.built(right));
                let term = self.ts.terms.and(a, b);
                self.terms.insert(var, term);
                continue;
            }
            if !open.insert(var) {
                return Err(ReadError::at(line, format!("literal {} depends on itself", 2 * var)));
            }
            stack.extend([(var, true), (left / 2, false), (right / 2, false)]);
        }
        Ok(())
    }
}
