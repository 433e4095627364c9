//! Probes: runs of the program on texts that are long, that repeat, and that hold the words it knows.
//!
//! Why: most overflows of programs that read text need nothing but more of the same: a name of a thousand letters, a line of forty commas, thirty
//! lines. A formula for the thirteenth iteration of a loop inside a loop is hard; a run of it takes a millisecond. So before anything is
//! encoded the program is run on some hundred texts: what it compares its input with, the characters that it knows, each of these many times over, as
//! many as its arrays have elements. What reaches a branch for the first time is varied further. The idea is that of fuzzing with a dictionary; what is
//! new about a run is decided by branches, as in SAGE.
//!
//! A violation is one that a run showed. Nothing is claimed when nothing is found.
//! Direction: under-approximation. Absent: answers of the system other than the first that the library models give, binary formats, threads.

mod texts;

use crate::answer;
use crate::config::CheckConfig;
use crate::replay;
use crate::tuning::{
    PROBE_INSTS_PER_BYTE, PROBE_LENGTH_CLASS, PROBE_MAX_ARGS, PROBE_MAX_OPTIONS, PROBE_MAX_TWICE_BYTES,
    PROBE_MAX_USEFUL, PROBE_RUN_INSTS, PROBE_SHOWN_BYTES, PROBE_WORK,
};
use crate::verdict::{Report, Stats, Status, Verdict, Violation};
use blitz_base::{Budget, Stop};
use blitz_interp::{Event, InputSource, Outcome, RunConfig, RunResult, Runner, Script, Source, TraceLevel};
use blitz_ir::{FuncId, Program, PropertyId};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use texts::{PLACEHOLDER, Text, Words};

const ENGINE: &str = "probes";

/// What the program is given: standard input, files and variables have the same text.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Probe {
    args: Vec<Text>,
    stream: Text,
}

/// One text of a probe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Argument(usize),
    Stream,
}

impl Probe {
    fn bytes(&self) -> usize {
        self.args.iter().map(Vec::len).sum::<usize>() + self.stream.len()
    }

    /// Its beginning, for the log.
    fn shown(&self) -> String {
        let text = |t: &Text| String::from_utf8_lossy(&t[..t.len().min(PROBE_SHOWN_BYTES)]).escape_debug().to_string();
        format!("`{}` < \"{}\"", self.args.iter().map(text).collect::<Vec<_>>().join(" "), text(&self.stream))
    }

    fn text(&self, place: Place) -> Option<&Text> {
        match place {
            Place::Argument(n) => self.args.get(n),
            Place::Stream => Some(&self.stream),
        }
    }

    fn with(&self, place: Place, text: Text) -> Probe {
        let mut other = self.clone();
        match place {
            Place::Argument(n) => other.args[n] = text,
            Place::Stream => other.stream = text,
        }
        other
    }
}

/// Runs probes until nothing is left to try or the budget ends. A report on nothing if none of them shows anything.
pub(crate) fn check(program: &Program, config: &CheckConfig, whole: &Budget) -> Report {
    let budget = whole.worth(PROBE_WORK);
    let mut wanted = answer::wanted(program, config);
    let mut probes = Probes::new(program, config, whole);
    let mut violations = Vec::new();
    while let Some(violation) = probes.run(&|p| wanted.contains(&p), &budget) {
        wanted.remove(&violation.what().property);
        config.announce(&violation);
        violations.push(*violation);
        if config.stop_at_first {
            break;
        }
    }
    report(program, config, violations, budget.expired().unwrap_or(Stop::Effort))
}

/// Probes of one program, and what they have shown so far.
pub(crate) struct Probes<'p, 'a> {
    program: &'p Program,
    config: &'a CheckConfig,
    /// What the whole check may take: what was found is run again whatever it was worth.
    whole: &'a Budget,
    runner: Runner<'p>,
    words: Words,
    covered: HashSet<u64>,
    known_funcs: BTreeSet<FuncId>,
    tried: HashSet<u64>,
    /// By length and order: short texts take little time, and a long one is only needed where no short one will do.
    queue: BTreeMap<(usize, usize), Probe>,
    /// Texts of the stream that showed something new, to be followed by others.
    useful: Vec<Text>,
    runs: u32,
}

impl<'p, 'a> Probes<'p, 'a> {
    pub fn new(program: &'p Program, config: &'a CheckConfig, whole: &'a Budget) -> Self {
        let mut probes = Self {
            program,
            config,
            whole,
            runner: Runner::new(program, TraceLevel::Branches),
            words: Words::of(program),
            covered: HashSet::new(),
            known_funcs: BTreeSet::new(),
            tried: HashSet::new(),
            queue: BTreeMap::new(),
            useful: Vec::new(),
            runs: 0,
        };
        for n in 0..=PROBE_MAX_ARGS {
            probes.put(Probe { args: vec![PLACEHOLDER.to_vec(); n], stream: [PLACEHOLDER, b"\n"].concat() });
        }
        probes
    }

    /// Runs probes until one shows a violation that is wanted, or the budget ends. May be called again.
    pub fn run(&mut self, wanted: &dyn Fn(PropertyId) -> bool, budget: &Budget) -> Option<Box<Violation>> {
        while budget.expired().is_none()
            && let Some((_, probe)) = self.queue.pop_first()
        {
            let found = self.take(&probe, wanted, budget);
            if found.is_some() {
                return found;
            }
        }
        self.config.say(|| format!("  {} probes tried", self.runs));
        None
    }

    /// Whether runs are left to be made.
    pub fn goes_on(&self) -> bool {
        !self.queue.is_empty()
    }

    fn put(&mut self, probe: Probe) {
        if self.tried.insert(hash(&probe)) {
            self.queue.insert((probe.bytes() / PROBE_LENGTH_CLASS, self.tried.len()), probe);
        }
    }

    fn take(&mut self, probe: &Probe, wanted: &dyn Fn(PropertyId) -> bool, budget: &Budget) -> Option<Box<Violation>> {
        self.runs += 1;
        let result = self.runner.run(&self.run_config(probe), budget);
        let new = self.note_coverage(&result);
        self.words.compare(&result.observed.comparisons);
        // What happens without any text is for the engines: they see all of it.
        if result.observed.taken.is_empty() {
            self.put_options(new);
            return None;
        }
        if let Outcome::Violation(what) = &result.outcome
            && wanted(what.property)
        {
            let values = result.inputs_used.into_iter().map(|u| u.value).collect();
            return replay::run(self.program, self.config, values, ENGINE, self.whole).ok().map(Box::new);
        }
        if new {
            self.config.say(|| format!("  probe {}: {}", self.runs, probe.shown()));
            self.vary(probe, &result);
        }
        self.put_options(new);
        None
    }

    /// Options that the program knows, each with an argument.
    fn put_options(&mut self, new: bool) {
        if !new {
            return;
        }
        let letters: Vec<u8> = self.words.options.iter().copied().take(PROBE_MAX_OPTIONS).collect();
        for letter in letters {
            let option = vec![b'-', letter];
            let together = [&option, PLACEHOLDER].concat();
            for args in [vec![option, PLACEHOLDER.to_vec()], vec![together]] {
                self.put(Probe { args, stream: [PLACEHOLDER, b"\n"].concat() });
            }
        }
    }

    fn run_config(&self, probe: &Probe) -> RunConfig {
        let script = Script {
            args: probe.args.clone(),
            stdin: probe.stream.clone(),
            elsewhere: Some(probe.stream.clone()),
            ..Script::default()
        };
        RunConfig {
            inputs: InputSource::Script(script),
            trace: TraceLevel::Branches,
            max_steps: Some(PROBE_RUN_INSTS + PROBE_INSTS_PER_BYTE * probe.bytes() as u64),
            checks: self.config.checks,
            ..RunConfig::default()
        }
    }

    /// Whether the run took a branch in a direction that no run before took.
    fn note_coverage(&mut self, result: &RunResult) -> bool {
        let mut new = false;
        for event in &result.trace {
            let what = match event {
                Event::Enter { func, loc, .. } => (*func, *loc, 2),
                Event::Branch { func, taken, loc } => (*func, *loc, u8::from(*taken)),
                Event::Input(_)
                | Event::Leave { .. }
                | Event::Assign { .. }
                | Event::Store { .. }
                | Event::Turn { .. }
                | Event::Alloc { .. }
                | Event::Free { .. }
                | Event::Output { .. } => continue,
            };
            new |= self.covered.insert(hash(&what));
            if !self.program.decl(what.0).model && self.known_funcs.insert(what.0) {
                self.words.learn(self.program, what.0);
            }
        }
        new
    }

    /// The same with each text that the program read changed, with more arguments, and with more after the stream.
    fn vary(&mut self, probe: &Probe, result: &RunResult) {
        let places: BTreeSet<Place> = result
            .observed
            .taken
            .iter()
            .filter_map(|taken| match taken.source {
                Source::Argument(n) => Some(Place::Argument(n)),
                Source::Stdin | Source::File | Source::Variable => Some(Place::Stream),
                Source::Values => None,
            })
            .collect();
        for place in places {
            let Some(text) = probe.text(place).cloned() else { continue };
            for changed in self.words.variants(&text, &result.observed.comparisons) {
                // A line twice does what it does once, and then meets what it left behind.
                let twice =
                    place == Place::Stream && changed.ends_with(b"\n") && changed.len() <= PROBE_MAX_TWICE_BYTES;
                self.put(probe.with(place, if twice { changed.repeat(2) } else { changed }));
            }
            if place == Place::Stream {
                self.go_on(probe, &text);
            }
        }
    }

    /// What showed something new, followed by what did so before, by itself, and by what is not known yet.
    fn go_on(&mut self, probe: &Probe, text: &Text) {
        if self.useful.len() >= PROBE_MAX_USEFUL {
            return;
        }
        let mut following = vec![[text.as_slice(), text].concat()];
        following.extend(self.words.lines().iter().map(|line| [text.as_slice(), line].concat()));
        for other in &self.useful {
            following.push([text.as_slice(), other].concat());
            following.push([other.as_slice(), text].concat());
        }
        self.useful.push(text.clone());
        for text in following {
            self.put(probe.with(Place::Stream, text));
        }
    }
}

fn report(program: &Program, config: &CheckConfig, violations: Vec<Violation>, stop: Stop) -> Report {
    let mut report = answer::left(program, config, stop);
    for row in &mut report.properties {
        if violations.iter().any(|v| v.what().property == row.property) {
            row.status = Status::Violated;
            row.engine = ENGINE;
        }
    }
    if !violations.is_empty() {
        report.verdict = Verdict::Violation;
    }
    report.stats = Stats::default();
    report.violations = violations;
    report
}

fn hash(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
