//! Texts that are longer than the program expects: in its arguments, behind its options, in its variables, in a file, on standard input.
//!
//! Most buffers that outsiders can overrun are overrun by any text that is long enough, or by enough of one item. As a condition that is a loop followed as often as the buffer
//! is long; as a run it is nothing. So the program is *run* on texts of one letter and of the characters that it tells from others, and on one short line many times over.
//! A place that the program reads nothing from is left after the first text. What it asks the environment for, and which letters are options, is read off its calls of
//! `getenv` and `getopt`.
//!
//! Nothing is claimed when nothing is found. Absent: texts in which more than one item is long, names of files that the program has by itself.

use super::words::{Text, characters};
use crate::config::CheckConfig;
use crate::replay;
use crate::tuning::{TEXTS_COUNTS, TEXTS_LENGTHS, TEXTS_MAX_NAMES, TEXTS_RUN_INSTS, TEXTS_SHORT};
use crate::verdict::Violation;
use blitz_base::Budget;
use blitz_interp::{InputSource, Outcome, RunConfig, Runner, Script, Source, TraceLevel};
use blitz_ir::{Const, Func, FuncId, Inst, Program, PropertyId, Target, Value, ValueDef};
use std::collections::{BTreeSet, VecDeque};

/// Where a text goes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Stdin,
    /// The only argument.
    Argument,
    /// The argument behind a first one.
    Second,
    /// In the same argument as an option, or in the next one.
    Option(u8, bool),
    Variable(Text),
    /// The file that the only argument names.
    File,
}

/// The name of the file that is there, and of arguments that are not what is long.
const NAME: &[u8] = b"f";

pub(in super::super) struct LongTexts<'p, 'a> {
    program: &'p Program,
    config: &'a CheckConfig,
    /// What the whole check may take: what was found is run again whatever it was worth.
    whole: &'a Budget,
    runner: Runner<'p>,
    places: VecDeque<(Place, VecDeque<Text>)>,
    runs: u32,
}

impl<'p, 'a> LongTexts<'p, 'a> {
    pub fn new(program: &'p Program, reached: &BTreeSet<FuncId>, config: &'a CheckConfig, whole: &'a Budget) -> Self {
        let known = known_of(program, reached);
        let (all, few) = (texts(&known.characters), texts(&BTreeSet::new()));
        let few: VecDeque<Text> = few.into_iter().filter(|t| !t.contains(&b'\n')).collect();
        let mut places = VecDeque::from([
            (Place::Stdin, all.clone()),
            (Place::Argument, all.clone()),
            (Place::File, all.clone()),
            (Place::Second, few.clone()),
        ]);
        places.extend(known.variables.into_iter().map(|name| (Place::Variable(name), all.clone())));
        let options = known.options.iter().flat_map(|&c| [Place::Option(c, false), Place::Option(c, true)]);
        places.extend(options.map(|place| (place, few.clone())));
        Self { program, config, whole, runner: Runner::new(program, TraceLevel::Calls), places, runs: 0 }
    }

    /// Runs texts until one leads to a violation that is wanted, or the budget ends. May be called again.
    pub fn run(&mut self, wanted: &dyn Fn(PropertyId) -> bool, budget: &Budget) -> Option<Box<Violation>> {
        while let Some((place, mut texts)) = self.places.pop_front() {
            while let Some(text) = texts.pop_front() {
                if budget.expired().is_some() {
                    texts.push_front(text);
                    self.places.push_front((place, texts));
                    return None;
                }
                let (was_read, found) = self.take(&place, &text, wanted, budget);
                if found.is_some() {
                    self.places.push_front((place, texts));
                    return found;
                }
                if !was_read {
                    break;
                }
            }
        }
        self.config.say(|| format!("  {} long texts tried", self.runs));
        None
    }

    /// Whether runs are left to be made.
    pub fn goes_on(&self) -> bool {
        !self.places.is_empty()
    }

    /// Whether the program read the text, and what it led to.
    fn take(
        &mut self,
        place: &Place,
        text: &Text,
        wanted: &dyn Fn(PropertyId) -> bool,
        budget: &Budget,
    ) -> (bool, Option<Box<Violation>>) {
        self.runs += 1;
        let run = RunConfig {
            inputs: InputSource::Script(script(place, text)),
            trace: TraceLevel::Calls,
            max_steps: Some(TEXTS_RUN_INSTS),
            checks: self.config.checks,
            ..RunConfig::default()
        };
        let result = self.runner.run(&run, budget);
        let was_read = match place {
            Place::Stdin => result.observed.taken.iter().any(|t| t.source == Source::Stdin),
            Place::File => result.observed.taken.iter().any(|t| t.source == Source::File),
            Place::Variable(_) => result.observed.taken.iter().any(|t| t.source == Source::Variable),
            Place::Argument | Place::Second | Place::Option(..) => {
                result.observed.taken.iter().any(|t| matches!(t.source, Source::Argument(_)))
            }
        };
        let Outcome::Violation(what) = &result.outcome else { return (was_read, None) };
        if !wanted(what.property) {
            return (was_read, None);
        }
        self.config.say(|| format!("  found after {} long texts: {place:?}, {} bytes", self.runs, text.len()));
        let values = result.inputs_used.into_iter().map(|u| u.value).collect();
        let found = replay::run(self.program, self.config, values, "compositional", self.whole).ok().map(Box::new);
        (was_read, found)
    }
}

fn script(place: &Place, text: &Text) -> Script {
    let empty = Script::default();
    match place {
        Place::Stdin => Script { stdin: text.clone(), ..empty },
        Place::Argument => Script { args: vec![text.clone()], ..empty },
        Place::Second => Script { args: vec![NAME.to_vec(), text.clone()], ..empty },
        Place::Option(letter, true) => Script { args: vec![[b"-", &[*letter], text.as_slice()].concat()], ..empty },
        Place::Option(letter, false) => Script { args: vec![vec![b'-', *letter], text.clone()], ..empty },
        Place::Variable(name) => Script { variable: Some((name.clone(), text.clone())), ..empty },
        Place::File => Script { args: vec![NAME.to_vec()], file: Some((NAME.to_vec(), text.clone())), ..empty },
    }
}

/// Texts of one letter from short to long, of each of the characters, and of short lines. Each line ends.
fn texts(characters: &BTreeSet<u8>) -> VecDeque<Text> {
    let mut all = VecDeque::new();
    let mut line = |byte: u8, n: usize| all.push_back([vec![byte; n], vec![b'\n']].concat());
    TEXTS_LENGTHS.iter().for_each(|&n| line(b'A', n));
    for byte in characters.iter().copied().chain([b'9', b' ', 0xff]) {
        TEXTS_SHORT.iter().for_each(|&n| line(byte, n));
    }
    for item in ["A\n", "1\n", "-1\n", "99\n", "A B\n"] {
        all.push_back(item.as_bytes().repeat(TEXTS_COUNTS));
    }
    all
}

/// What a program asks the world for.
#[derive(Default)]
struct Known {
    variables: BTreeSet<Text>,
    /// Letters of options that have an argument.
    options: BTreeSet<u8>,
    /// What its functions compare with, if that is not any text.
    characters: BTreeSet<u8>,
}

fn known_of(program: &Program, reached: &BTreeSet<FuncId>) -> Known {
    let mut known = Known::default();
    for func in reached.iter().filter(|f| !program.decl(**f).model) {
        let Some(body) = program.body(*func) else { continue };
        known.characters.extend(characters(body));
        for data in &body.insts {
            let Inst::Call(site) = &data.inst else { continue };
            let Target::Func(callee) = site.target else { continue };
            let text = |n: usize| site.args.get(n).and_then(|&v| constant_text(program, body, v));
            match &*program.decl(callee).name {
                "getenv" | "secure_getenv" => known.variables.extend(text(0)),
                "getopt" | "getopt_long" | "getopt_long_only" => known.options.extend(with_argument(text(2))),
                _ => {}
            }
        }
    }
    known.variables = known.variables.into_iter().take(TEXTS_MAX_NAMES).collect();
    known.options = known.options.into_iter().take(TEXTS_MAX_NAMES).collect();
    known.characters = known.characters.into_iter().take(TEXTS_MAX_NAMES).collect();
    known
}

/// The letters of options that a colon follows.
fn with_argument(letters: Option<Text>) -> Vec<u8> {
    let letters = letters.unwrap_or_default();
    letters.windows(2).filter(|pair| pair[0] != b':' && pair[1] == b':').map(|pair| pair[0]).collect()
}

fn constant_text(program: &Program, body: &Func, value: Value) -> Option<Text> {
    let ValueDef::Const(Const::Global(global, offset)) = &body.values[value.index()].def else { return None };
    let bytes = program.globals[global.index()].init.as_ref()?;
    let rest = bytes.get(usize::try_from(*offset).ok()?..)?;
    Some(rest.iter().copied().take_while(|b| *b != 0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_with_an_argument_have_a_colon() {
        assert_eq!(with_argument(Some(b":ab:c::d".to_vec())), [b'b', b'c']);
        assert!(with_argument(None).is_empty());
    }

    #[test]
    fn every_text_ends_its_lines_and_known_characters_fill_one() {
        let all = texts(&BTreeSet::from([b':']));
        assert!(all.iter().all(|t| t.ends_with(b"\n")));
        assert!(all.iter().any(|t| t.starts_with(b":::") && t.len() > 256));
        assert!(all.iter().any(|t| t.iter().filter(|b| **b == b'\n').count() >= 1000));
    }
}
