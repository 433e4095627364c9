//! Loops by CBMC's names: `f.0` is the loop of `f` whose way back to its beginning comes first in the text.
//!
//! So an inner loop comes before the one around it, and `do ... while(0)`, which is no loop in the IR, has a number. Only the text knows;
//! the files are preprocessed when a function of theirs is asked about, since most checks ask about one or two.

use blitz_frontend::driver::{LoopMark, UnitInput, loop_marks};
use blitz_ir::{FuncId, LoopForest, LoopId, Program};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The loops of a program, by the names of functions.
pub struct Loops<'p> {
    program: &'p Program,
    texts: RefCell<Texts>,
}

/// What goes round in each function's text, in CBMC's order, as far as it has been read.
struct Texts {
    unread: Vec<UnitInput>,
    marks: BTreeMap<String, Vec<LoopMark>>,
}

impl Texts {
    /// The marks of a function that is defined in `file`, or in something that a unit includes.
    fn of(&mut self, name: &str, file: &str) -> Vec<LoopMark> {
        while !self.marks.contains_key(name) && !self.unread.is_empty() {
            let own = |u: &UnitInput| std::path::Path::new(file).ends_with(&u.file);
            let unit = self.unread.remove(self.unread.iter().position(own).unwrap_or(0));
            for (function, marks) in loop_marks(&unit) {
                self.marks.entry(function).or_insert(marks);
            }
        }
        self.marks.get(name).cloned().unwrap_or_default()
    }
}

impl<'p> Loops<'p> {
    pub fn new(program: &'p Program, units: Vec<UnitInput>) -> Self {
        Self { program, texts: RefCell::new(Texts { unread: units, marks: BTreeMap::new() }) }
    }

    /// CBMC's number of every loop of a function.
    pub fn of(&self, func: FuncId) -> Vec<(u32, LoopId)> {
        let Some(body) = self.program.body(func) else { return Vec::new() };
        let real = inner_first(&LoopForest::new(body));
        if real.is_empty() {
            return Vec::new();
        }
        let decl = self.program.decl(func);
        let file = if decl.loc.is_known() { self.program.file(decl.loc.file) } else { "" };
        let marks = self.texts.borrow_mut().of(&decl.name, file);
        let mut numbers: Vec<u32> =
            marks.iter().zip(0u32..).filter(|(mark, _)| **mark == LoopMark::Loop).map(|(_, n)| n).collect();
        // A text that does not tell (bitcode, gotos of an odd form) leaves the order of the loops.
        if numbers.len() != real.len() {
            numbers = (0..real.len() as u32).collect();
        }
        numbers.into_iter().zip(real).collect()
    }

    /// The bounds of loops that are there, by our names.
    pub fn bounds(&self, named: &[(String, u32)]) -> (Vec<(String, u32)>, Vec<String>) {
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        for (name, bound) in named {
            match self.find(name) {
                Some(ours) => known.push((ours, *bound)),
                None => unknown.push(name.clone()),
            }
        }
        (known, unknown)
    }

    fn find(&self, name: &str) -> Option<String> {
        let (function, number) = name.rsplit_once('.')?;
        let number: u32 = number.parse().ok()?;
        let func = self.program.func_named(function).filter(|f| !self.program.decl(*f).model)?;
        let (_, id) = self.of(func).into_iter().find(|(n, _)| *n == number)?;
        Some(id.name(function))
    }

    /// CBMC's number for a loop by our name (`main.1`), with its function.
    pub fn cbmc_name(&self, ours: &str) -> Option<(String, u32)> {
        let (function, number) = ours.rsplit_once('.')?;
        let id = LoopId(number.parse::<u32>().ok()?.checked_sub(1)?);
        let func = self.program.func_named(function)?;
        let (n, _) = self.of(func).into_iter().find(|(_, l)| *l == id)?;
        Some((function.to_owned(), n))
    }
}

/// Loops in the order in which they end; a quantifier's are none of the program's.
fn inner_first(forest: &LoopForest) -> Vec<LoopId> {
    let mut out = Vec::new();
    let children = |of: Option<LoopId>| {
        forest.ids().filter(move |&l| forest.info(l).parent == of && !forest.info(l).quantifier).collect::<Vec<_>>()
    };
    // Twice on the stack: first to bring the inner ones, then itself.
    let mut stack: Vec<(LoopId, bool)> = children(None).into_iter().rev().map(|l| (l, false)).collect();
    while let Some((l, seen)) = stack.pop() {
        if seen {
            out.push(l);
        } else {
            stack.push((l, true));
            stack.extend(children(Some(l)).into_iter().rev().map(|c| (c, false)));
        }
    }
    out
}
