//! The search: tests are taken by score, expanded, mutated, run, and what is new is kept.
//!
//! Invariants: with one worker and one seed the same inputs are run in the same order, whatever the clock says; the clock only ends a run that does not
//! end, and the search. A finding is committed the moment it is seen.

use crate::afl::Sync;
use crate::coverage::Coverage;
use crate::crash::{Crash, Reader};
use crate::expand::{Expander, Expansion, Source};
use crate::mutate::{Chance, Dictionary, havoc, replacements};
use crate::server::{Ending, Run, Server};
use crate::status::Status;
use crate::store::{FindingMeta, Meta, Origin, Store, Trouble};
use blitz_base::Budget;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

/// What a search is asked to do.
#[derive(Clone, Debug)]
pub struct Config {
    pub seed: u64,
    /// Mutations of each test that is taken; 0 leaves the search to the solver, and ends it when no test is left.
    pub mutations: u32,
    pub max_runs: Option<u64>,
    /// Longest input that is made, in bytes.
    pub longest: usize,
    pub stop_at_first: bool,
    pub afl: Option<PathBuf>,
}

/// Why a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// No test is left to expand.
    Exhausted,
    Runs,
    Budget(blitz_base::Stop),
    Found,
}

/// Inputs that a run's comparisons suggest, of each test.
const MOST_REPLACEMENTS: usize = 400;
/// The folder is looked through for what other workers did after so many tests.
const REFRESH: u64 = 8;
/// Status is given after so many runs.
const REPORT: u64 = 64;
/// Examples of divergences and differences that are kept, of each kind.
const EXAMPLES: usize = 5;
/// After so many rounds of mutation without news, a dry search looks at AFL's queue and other workers again.
const DRY_MUTATIONS: u32 = 512;

/// How an input came about.
#[derive(Clone, Copy)]
struct Birth<'a> {
    parent: Option<&'a Meta>,
    origin: Origin,
    bound: u32,
}

pub struct Search<'a> {
    pub server: Server,
    pub store: Store,
    expander: Box<dyn Expander + 'a>,
    /// Texts for programs that read one request after the other.
    requests: Option<Box<dyn Source + 'a>>,
    config: Config,
    budget: &'a Budget,
    observer: &'a dyn Fn(&Status),
    coverage: Coverage,
    reader: Reader,
    words: Dictionary,
    paths: HashSet<u64>,
    afl: Option<Sync>,
    status: Status,
    known_findings: HashSet<String>,
    /// What went otherwise than predicted: how often, with examples.
    surprises: BTreeMap<String, (u64, Vec<String>)>,
}

impl<'a> Search<'a> {
    pub fn new(
        server: Server,
        store: Store,
        expander: Box<dyn Expander + 'a>,
        reader: Reader,
        config: Config,
        budget: &'a Budget,
        observer: &'a dyn Fn(&Status),
    ) -> Result<Self, Trouble> {
        let afl = match &config.afl {
            Some(folder) => Some(Sync::join(folder, store.worker()).map_err(|e| {
                Trouble::Other(format!("{} can't be used as a folder of AFL++: {e}", folder.display()))
            })?),
            None => None,
        };
        let mut search = Search {
            server,
            store,
            expander,
            requests: None,
            config,
            budget,
            observer,
            coverage: Coverage::default(),
            reader,
            words: Dictionary::default(),
            paths: HashSet::new(),
            afl,
            status: Status::default(),
            known_findings: HashSet::new(),
            surprises: BTreeMap::new(),
        };
        search.resume()?;
        Ok(search)
    }

    /// Asks for texts there before anything else, and whenever nothing waits.
    pub fn ask(&mut self, requests: Box<dyn Source + 'a>) {
        self.requests = Some(requests);
    }

    /// What the folder already holds counts as covered.
    fn resume(&mut self) -> Result<(), Trouble> {
        let metas: Vec<Meta> = self.store.metas().cloned().collect();
        metas.iter().for_each(|m| self.import(m));
        self.known_findings = self.store.findings()?.into_iter().map(|(m, _)| m.key).collect();
        let own = self.store.notes::<Status>().into_iter().find(|s| s.worker == self.store.worker());
        if let Some(before) = own {
            self.status = Status { seconds: 0.0, ..before };
        }
        self.status.worker = self.store.worker();
        self.status.all_blocks = self.server.edges();
        Ok(())
    }

    fn import(&mut self, meta: &Meta) {
        self.coverage.add_blocks(&meta.counts);
        self.paths.insert(meta.path);
        self.status.generations = self.status.generations.max(meta.generation);
    }

    /// Runs seeds, then whatever they lead to.
    pub fn run(&mut self, seeds: &[Vec<u8>]) -> Result<End, Trouble> {
        let result = self.all(seeds);
        self.publish();
        self.store.note(&self.status)?;
        result
    }

    fn all(&mut self, seeds: &[Vec<u8>]) -> Result<End, Trouble> {
        for seed in seeds {
            let birth = Birth { parent: None, origin: Origin::Seed, bound: 0 };
            if let Some(end) = self.try_input(seed, birth)? {
                return Ok(end);
            }
        }
        if let Some(end) = self.more_requests()? {
            return Ok(end);
        }
        let mut taken: u64 = 0;
        loop {
            if let Some(end) = self.read_afl()? {
                return Ok(end);
            }
            if taken.is_multiple_of(REFRESH) || self.store.pending() == 0 {
                self.refresh()?;
            }
            taken += 1;
            let Some(claim) = self.store.take()? else {
                match self.dry(taken)? {
                    Some(end) => return Ok(end),
                    None => continue,
                }
            };
            let (meta, bytes) = (claim.meta.clone(), claim.bytes.clone());
            let expansion = self.expander.expand(&bytes, meta.bound, self.budget);
            if let Some(stop) = self.budget.expired() {
                // It may have been cut short: the test goes on waiting, a later search takes it.
                let seen = Expansion { violation: expansion.violation, ..Expansion::default() };
                let end = self.take_in(&meta, seen)?;
                return Ok(end.unwrap_or(End::Budget(stop)));
            }
            let left = expansion.resume;
            let end = self.take_in(&meta, expansion)?;
            let end = match end {
                None if left.is_none_or(|at| at == meta.bound) || meta.bound == 0 => self.mutate(&meta, &bytes)?,
                other => other,
            };
            if let Some(end) = end {
                return Ok(end);
            }
            match left {
                Some(bound) if bound > meta.bound => self.store.put_back(claim, bound, 0)?,
                Some(_) | None => self.store.finish(claim)?,
            }
            self.store.note(&self.status)?;
        }
    }

    /// What other workers have found.
    fn refresh(&mut self) -> Result<(), Trouble> {
        for meta in self.store.refresh()? {
            self.import(&meta);
        }
        Ok(())
    }

    fn read_afl(&mut self) -> Result<Option<End>, Trouble> {
        let Some(sync) = &mut self.afl else { return Ok(None) };
        let inputs = sync.read().map_err(|e| Trouble::Other(format!("AFL++'s folder can't be read: {e}")))?;
        for bytes in inputs {
            let birth = Birth { parent: None, origin: Origin::Afl, bound: 0 };
            if let Some(end) = self.try_input(&bytes, birth)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Runs texts that the program may be waiting for.
    fn more_requests(&mut self) -> Result<Option<End>, Trouble> {
        let mut texts = self.requests.as_mut().map_or_else(Vec::new, |source| source.more());
        texts.retain(|text| text.len() <= self.config.longest);
        for text in &texts {
            let birth = Birth { parent: None, origin: Origin::Request, bound: 0 };
            if let Some(end) = self.try_input(text, birth)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Nothing waits: further requests are made up, then tests that were kept are mutated, if that is wanted at all.
    fn dry(&mut self, round: u64) -> Result<Option<End>, Trouble> {
        if let Some(stop) = self.budget.expired() {
            return Ok(Some(End::Budget(stop)));
        }
        if let Some(end) = self.more_requests()? {
            return Ok(Some(end));
        }
        if self.store.pending() > 0 {
            return Ok(None);
        }
        let ids: Vec<String> = self.store.metas().map(|m| m.id.clone()).collect();
        if self.config.mutations == 0 || ids.is_empty() {
            return Ok(Some(End::Exhausted));
        }
        let mut chance = Chance::new(self.config.seed, &format!("dry {round}"));
        // Half of the time one of the latest: what is new leads on sooner.
        let from = if chance.below(2) == 0 { ids.len().saturating_sub(8) } else { 0 };
        let id = &ids[from + chance.below(ids.len() - from)];
        let other = self.store.bytes(&ids[chance.below(ids.len())])?;
        let bytes = self.store.bytes(id)?;
        let meta = self.store.metas().find(|m| m.id == *id).cloned();
        for _ in 0..DRY_MUTATIONS {
            let made = havoc(&bytes, &other, &self.words, &mut chance, self.config.longest);
            let birth = Birth { parent: meta.as_ref(), origin: Origin::Mutated, bound: 0 };
            if let Some(end) = self.try_input(&made, birth)? {
                return Ok(Some(end));
            }
            if self.store.pending() > 0 {
                break;
            }
        }
        Ok(None)
    }

    /// Runs the children of a test and takes its counters over.
    fn take_in(&mut self, meta: &Meta, expansion: Expansion) -> Result<Option<End>, Trouble> {
        let tally = &expansion.tally;
        self.status.expanded += u64::from(tally.followed);
        self.status.decisions += tally.decisions;
        self.status.queries += tally.queries;
        self.status.solved += tally.solved;
        self.status.refuted += tally.refuted;
        self.status.undecided += tally.undecided;
        expansion.words.iter().for_each(|w| self.words.add(w));
        if let Some(ending) = &expansion.ending {
            self.compare_endings(meta, ending);
        }
        for (kind, what) in &expansion.surprises {
            self.status.divergences += 1;
            self.surprise(kind, what.clone());
        }
        if let Some(seen) = &expansion.violation {
            let crash = Crash { report: seen.text.clone(), ..seen.clone() };
            let bytes = self.store.bytes(&meta.id)?;
            if self.found(&crash, "interpreter", &bytes)? && self.config.stop_at_first {
                return Ok(Some(End::Found));
            }
        }
        for child in expansion.children {
            match child.origin {
                Origin::Optimistic => self.status.optimistic += 1,
                Origin::Lengthened => self.status.lengthened += 1,
                Origin::Seed | Origin::Negated | Origin::Checked | Origin::Compared | Origin::Mutated => {}
                Origin::Afl | Origin::Request => {}
            }
            let birth = Birth { parent: Some(meta), origin: child.origin, bound: child.bound };
            if let Some(end) = self.try_input(&child.bytes, birth)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Native run and interpreter have to end alike.
    fn compare_endings(&mut self, meta: &Meta, interpreted: &str) {
        let native_crash = !meta.ending.starts_with("exit ") && meta.ending != "left what is assumed";
        let exits = interpreted.starts_with("exit ");
        let differ = if exits && !native_crash { meta.ending != *interpreted } else { exits && native_crash };
        if differ {
            self.status.differences += 1;
            let what = format!("test {}: natively {}, in the interpreter {interpreted}", meta.id, meta.ending);
            self.surprise("the interpreter ends otherwise than the native run", what);
        } else if interpreted.starts_with("not supported") {
            self.surprise("the interpreter met something that is not supported", interpreted.to_owned());
        }
    }

    fn surprise(&mut self, kind: &str, what: String) {
        let entry = self.surprises.entry(kind.to_owned()).or_default();
        entry.0 += 1;
        if entry.1.len() < EXAMPLES && !entry.1.contains(&what) {
            entry.1.push(what);
        }
    }

    /// What went otherwise than predicted, one sentence each.
    pub fn surprises(&self) -> Vec<String> {
        let sentence = |(kind, (count, examples)): (&String, &(u64, Vec<String>))| {
            format!("{kind} ({count} times), as in {}", examples.join("; "))
        };
        self.surprises.iter().map(sentence).collect()
    }

    /// What a test's own comparisons suggest, then changes by chance.
    fn mutate(&mut self, meta: &Meta, bytes: &[u8]) -> Result<Option<End>, Trouble> {
        // A child of a decision that covered nothing new waits until there is nothing better to change.
        let dull = meta.score == 0 && matches!(meta.origin, Origin::Negated | Origin::Optimistic | Origin::Lengthened);
        if self.config.mutations == 0 || dull {
            return Ok(None);
        }
        let (_, compared) = self.server.run_recording(bytes).map_err(Trouble::Other)?;
        self.status.runs += 1;
        self.words.learn(&compared);
        for made in replacements(bytes, &compared, MOST_REPLACEMENTS) {
            let birth = Birth { parent: Some(meta), origin: Origin::Compared, bound: 0 };
            if let Some(end) = self.try_input(&made, birth)? {
                return Ok(Some(end));
            }
        }
        let mut chance = Chance::new(self.config.seed, &meta.id);
        let ids: Vec<String> = self.store.metas().map(|m| m.id.clone()).collect();
        let other = self.store.bytes(&ids[chance.below(ids.len())])?;
        for _ in 0..self.config.mutations {
            let made = havoc(bytes, &other, &self.words, &mut chance, self.config.longest);
            let birth = Birth { parent: Some(meta), origin: Origin::Mutated, bound: 0 };
            if let Some(end) = self.try_input(&made, birth)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// SAGE's Run&Check and Score. `Some` ends the search.
    fn try_input(&mut self, bytes: &[u8], birth: Birth<'_>) -> Result<Option<End>, Trouble> {
        if let Some(stop) = self.budget.expired() {
            return Ok(Some(End::Budget(stop)));
        }
        if self.config.max_runs.is_some_and(|most| self.status.runs >= most) {
            return Ok(Some(End::Runs));
        }
        if self.store.has(bytes) {
            return Ok(None);
        }
        let run = self.server.run(bytes).map_err(Trouble::Other)?;
        self.status.runs += 1;
        if self.status.runs.is_multiple_of(REPORT) {
            self.publish();
        }
        let news = self.coverage.add(&run);
        let new_path = self.paths.insert(run.path);
        self.check_prediction(&run, birth);
        let crashed = run.ending.is_crash();
        let mut found = false;
        if crashed {
            let crash = self.reader.read(&run);
            found = self.found(&crash, "native", bytes)?;
        }
        if run.ending == Ending::OutOfTime {
            self.status.hangs += 1;
            self.store.add_hang(bytes)?;
        }
        if self.is_kept(&run, birth.origin, new_path, news.ranges) {
            self.keep(bytes, birth, &run, news.blocks as u32)?;
        }
        Ok((found && self.config.stop_at_first).then_some(End::Found))
    }

    /// Children of an expansion are all kept, as SAGE does; others if they show something new. What does not end leads nowhere.
    fn is_kept(&self, run: &Run, origin: Origin, new_path: bool, new_ranges: usize) -> bool {
        if matches!(run.ending, Ending::OutOfTime | Ending::OutOfMemory) {
            return false;
        }
        match origin {
            Origin::Seed | Origin::Afl | Origin::Request => true,
            Origin::Negated | Origin::Checked | Origin::Optimistic | Origin::Lengthened => new_path || new_ranges > 0,
            Origin::Compared | Origin::Mutated => new_ranges > 0,
        }
    }

    fn keep(&mut self, bytes: &[u8], birth: Birth<'_>, run: &Run, score: u32) -> Result<(), Trouble> {
        let generation = birth.parent.map_or(0, |p| p.generation + 1);
        let meta = Meta {
            id: String::new(),
            parent: birth.parent.map(|p| p.id.clone()),
            origin: birth.origin,
            generation,
            bound: birth.bound,
            score,
            counts: run.counts.clone(),
            path: run.path,
            ending: run.ending.to_string(),
        };
        self.store.add(meta, bytes)?;
        self.status.generations = self.status.generations.max(generation);
        if let (Some(sync), true) = (&mut self.afl, birth.origin != Origin::Afl) {
            sync.write(bytes).map_err(|e| Trouble::Other(format!("AFL++'s folder can't be written: {e}")))?;
        }
        Ok(())
    }

    /// A negated decision leads to another path than the parent's, natively too.
    fn check_prediction(&mut self, run: &Run, birth: Birth<'_>) {
        if let (Some(parent), Origin::Negated) = (birth.parent, birth.origin)
            && parent.path == run.path
        {
            self.status.divergences += 1;
            self.surprise(
                "a native run took its parent's path though a decision was negated",
                format!("decision {} of test {}", birth.bound.saturating_sub(1), parent.id),
            );
        }
    }

    /// Commits a finding; whether it is new.
    fn found(&mut self, crash: &Crash, seen_by: &str, bytes: &[u8]) -> Result<bool, Trouble> {
        let key = crash.key();
        if !self.known_findings.insert(key.clone()) {
            return Ok(false);
        }
        let meta = FindingMeta {
            key,
            text: crash.text.clone(),
            file: crash.file.clone(),
            line: crash.line,
            function: crash.function.clone(),
            seen_by: seen_by.to_owned(),
            runs: self.status.runs,
            seconds: self.budget.elapsed().as_secs_f64(),
        };
        let new = self.store.add_finding(&meta, bytes, &crash.report)?;
        self.publish();
        Ok(new)
    }

    fn publish(&mut self) {
        let seconds = self.budget.elapsed().as_secs_f64();
        self.status.seconds = seconds;
        self.status.runs_per_second = self.status.runs as f64 / seconds.max(0.001);
        self.status.tests = self.store.len();
        self.status.pending = self.store.pending();
        self.status.paths = self.paths.len();
        self.status.blocks = self.coverage.blocks();
        self.status.findings = self.known_findings.len();
        (self.observer)(&self.status);
    }

    pub fn status(&self) -> &Status {
        &self.status
    }
}
