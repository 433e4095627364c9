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

use crate::Refused;
use crate::answer;
use crate::config::CheckConfig;
use crate::reason::Reason;
use crate::replay;
use crate::tuning::{
    PROBE_LENGTH_CLASS, PROBE_MAX_ARGS, PROBE_MAX_TEXT_BYTES, PROBE_MAX_USEFUL, PROBE_RUN_INSTS, PROBE_SHOWN_BYTES,
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

/// Runs probes until nothing is left to try or the budget ends. A report on nothing if the program reads no text, or none of them shows anything.
pub(crate) fn check(program: &Program, config: &CheckConfig, budget: &Budget) -> Result<Report, Refused> {
    let mut search = Search::new(program, config, budget);
    search.run();
    Ok(search.report())
}

struct Search<'a> {
    program: &'a Program,
    config: &'a CheckConfig,
    budget: &'a Budget,
    runner: Runner<'a>,
    wanted: BTreeSet<PropertyId>,
    words: Words,
    covered: HashSet<u64>,
    known_funcs: BTreeSet<FuncId>,
    tried: HashSet<u64>,
    /// By length and order: short texts take little time, and a long one is only needed where no short one will do.
    queue: BTreeMap<(usize, usize), Probe>,
    /// Texts of the stream that showed something new, to be followed by others.
    useful: Vec<Text>,
    violations: Vec<Violation>,
    runs: u32,
    stopped: Option<Stop>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, config: &'a CheckConfig, budget: &'a Budget) -> Self {
        Self {
            program,
            config,
            budget,
            runner: Runner::new(program, TraceLevel::Branches),
            wanted: answer::wanted(program, config),
            words: Words::of(program),
            covered: HashSet::new(),
            known_funcs: BTreeSet::new(),
            tried: HashSet::new(),
            queue: BTreeMap::new(),
            useful: Vec::new(),
            violations: Vec::new(),
            runs: 0,
            stopped: None,
        }
    }

    fn run(&mut self) {
        for n in 0..=PROBE_MAX_ARGS {
            let line = [PLACEHOLDER, b"\n"].concat();
            self.put(Probe { args: vec![PLACEHOLDER.to_vec(); n], stream: line });
        }
        while let Some((_, probe)) = self.queue.pop_first() {
            self.stopped = self.budget.expired();
            if self.stopped.is_some() || self.has_enough() {
                break;
            }
            self.take(&probe);
        }
        self.config.say(|| format!("{} probes showed {} violations", self.runs, self.violations.len()));
    }

    fn has_enough(&self) -> bool {
        self.config.stop_at_first && !self.violations.is_empty()
    }

    fn put(&mut self, probe: Probe) {
        if self.tried.insert(hash(&probe)) {
            self.queue.insert((probe.bytes() / PROBE_LENGTH_CLASS, self.tried.len()), probe);
        }
    }

    fn take(&mut self, probe: &Probe) {
        self.runs += 1;
        let result = self.runner.run(&self.run_config(probe), self.budget);
        let new = self.note_coverage(&result);
        self.words.compare(&result.observed.comparisons);
        // What happens without any text is for the engines: they see all of it.
        if result.observed.taken.is_empty() {
            return;
        }
        if let Outcome::Violation(what) = &result.outcome
            && self.wanted.contains(&what.property)
        {
            let property = what.property;
            self.wanted.remove(&property);
            self.confirm(result);
            return;
        }
        if new {
            self.config.say(|| format!("  probe {}: {}", self.runs, probe.shown()));
            self.vary(probe, &result);
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
            max_steps: Some(PROBE_RUN_INSTS),
            checks: self.config.checks,
            ..RunConfig::default()
        }
    }

    fn confirm(&mut self, result: RunResult) {
        let values = result.inputs_used.into_iter().map(|u| u.value).collect();
        if let Ok(violation) = replay::run(self.program, self.config, values, ENGINE, self.budget) {
            self.config.announce(&violation);
            self.violations.push(violation);
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
                let twice = place == Place::Stream && changed.ends_with(b"\n") && changed.len() <= PROBE_MAX_TEXT_BYTES;
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

    fn report(self) -> Report {
        let stop = self.stopped.unwrap_or(Stop::Effort);
        let mut report = answer::left(self.program, self.config, stop);
        for row in &mut report.properties {
            if self.violations.iter().any(|v| v.what().property == row.property) {
                row.status = Status::Violated;
                row.engine = ENGINE;
            } else {
                row.status = Status::Unknown(Reason::Stopped(stop));
            }
        }
        if !self.violations.is_empty() {
            report.verdict = Verdict::Violation;
        }
        report.stats = Stats::default();
        report.violations = self.violations;
        report
    }
}

fn hash(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
