//! One request after the other: runs of programs that answer what they read.
//!
//! A condition on such a program would be over many rounds of its main loop, each with dozens of handlers. But what a round does to
//! the rest is little: the state that some globals hold. So the program is *run*, on requests that are made
//! up from what it compares them with (`words.rs`), and of all runs that wait for more, one is kept for each such state. From there
//! every useful request is tried. A state is which of the globals in sight are zero, which point to something, and which to something
//! that is gone.
//!
//! The compositional engine asks for runs that violate a property; `blitz fuzz` takes the texts of all runs that showed something new.
//! How a text gets into the program is the asker's business (`Typing`), and so is what is in sight (`Aim`).
//!
//! Nothing is claimed when nothing is found. Absent: answers of the system other than the first that the models give.

mod texts;
mod words;

pub use texts::RequestTexts;

use crate::config::CheckConfig;
use crate::replay;
use crate::tuning::{
    REQUESTS_ASIDE_CALLS, REQUESTS_FAR, REQUESTS_MAX_IDLE_RUNS, REQUESTS_MAX_LINES, REQUESTS_MAX_STATES,
    REQUESTS_RUN_INSTS,
};
use crate::verdict::Violation;
use blitz_base::Budget;
use blitz_interp::{
    Event, InputSource, InputValue, Outcome, RunConfig, RunResult, Runner, Script, TraceLevel, Waiting,
};
use blitz_ir::{Const, FuncId, GlobalId, Program, PropertyId, ValueDef};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use words::{PLACEHOLDER, Text, by_comparison, characters, decorated, lengthened};

/// What runs are to come near to, and what tells one state from another.
pub(crate) struct Aim {
    /// Calls between functions and the one of the check; none, if any check will do.
    pub to_check: Option<HashMap<FuncId, u32>>,
    pub watched: Vec<GlobalId>,
}

/// Arguments and the text of all lines become what a run is given.
type ToScript<'a> = dyn Fn(&[Text], Text) -> Script + 'a;

/// How what is typed gets into the program.
pub(crate) struct Typing<'a> {
    /// Arguments that may be made up.
    pub max_args: usize,
    pub script: Box<ToScript<'a>>,
}

/// What is typed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Typed {
    args: Vec<Text>,
    lines: Vec<Text>,
}

impl Typed {
    fn text(&self) -> Text {
        self.lines.iter().flat_map(|l| l.iter().copied().chain([b'\n'])).collect()
    }
}

/// A run to be made.
#[derive(Clone)]
struct Trial {
    typed: Typed,
    /// Where the last request begins among the lines.
    from: usize,
    /// How near the run without that request came.
    distance: u32,
    /// How near that request or what it was made from comes by itself.
    near: u32,
    /// Where the program waits for requests; not known while arguments are tried.
    home: Option<u64>,
    /// What it begins with left the state in sight as it was before.
    aside: bool,
}

impl Trial {
    /// The less, the sooner it is run.
    fn urgency(&self) -> u32 {
        self.distance.saturating_add(self.near).saturating_add(if self.aside { REQUESTS_ASIDE_CALLS } else { 0 })
    }

    fn request(&self) -> &[Text] {
        &self.typed.lines[self.from..]
    }

    /// Another request instead.
    fn with(&self, request: &[Text]) -> Trial {
        let mut other = self.clone();
        other.typed.lines.truncate(self.from);
        other.typed.lines.extend_from_slice(request);
        other
    }
}

/// A request that did something new, for which arguments, and how near it came to the check.
struct Useful {
    args: Vec<Text>,
    request: Vec<Text>,
    near: u32,
}

/// What was new about a run.
struct News {
    /// Functions in which something happened for the first time.
    funcs: BTreeSet<FuncId>,
    /// Calls between the check's function and where the run came nearest to it.
    distance: u32,
    /// The same for its last request only.
    near: u32,
}

pub(crate) struct Requests<'p, 'a> {
    program: &'p Program,
    config: &'a CheckConfig,
    /// What the whole check may take: what was found is run again whatever it was worth.
    whole: &'a Budget,
    runner: Runner<'p>,
    aim: Aim,
    typing: Typing<'a>,
    covered: HashSet<u64>,
    states: HashSet<(Vec<Text>, Waiting)>,
    tried: HashSet<Typed>,
    /// Runs that wait for a request, one for each state.
    waiting: Vec<Trial>,
    useful: Vec<Useful>,
    /// By urgency and order.
    queue: BTreeMap<(u32, usize), Trial>,
    queued: usize,
    runs: u32,
    /// The last run that showed something new.
    last_new: u32,
    /// What was typed in runs that showed something new, or a violation that nobody looked for, and nobody has asked for yet.
    news: Vec<Typed>,
    /// Violations that came up without being looked for.
    met: HashSet<PropertyId>,
}

impl<'p, 'a> Requests<'p, 'a> {
    pub fn new(program: &'p Program, config: &'a CheckConfig, whole: &'a Budget, aim: Aim, typing: Typing<'a>) -> Self {
        Self {
            program,
            config,
            whole,
            runner: Runner::new(program, TraceLevel::Branches),
            aim,
            typing,
            covered: HashSet::new(),
            states: HashSet::new(),
            tried: HashSet::new(),
            waiting: Vec::new(),
            useful: Vec::new(),
            queue: BTreeMap::new(),
            queued: 0,
            runs: 0,
            last_new: 0,
            news: Vec::new(),
            met: HashSet::new(),
        }
    }

    /// Runs requests until one leads to a violation that is wanted, or the budget ends. May be called again.
    pub fn run(&mut self, wanted: &dyn Fn(PropertyId) -> bool, budget: &Budget) -> Option<Box<Violation>> {
        if self.runs == 0 {
            self.put_nothing();
        }
        while let Some((key, trial)) = self.queue.pop_first() {
            if budget.expired().is_some() {
                self.queue.insert(key, trial);
                break;
            }
            let found = self.take(trial, wanted, budget);
            if found.is_some() {
                return found;
            }
            if self.aim.to_check.is_none() && self.runs > self.last_new + REQUESTS_MAX_IDLE_RUNS {
                self.queue.clear();
                break;
            }
        }
        self.config.say(|| format!("  {} requests tried, {} states seen", self.runs, self.states.len()));
        None
    }

    /// Whether runs are left to be made, and the program waits for requests at all or the last runs showed something new.
    pub fn goes_on(&self) -> bool {
        let promising = !self.states.is_empty() || self.runs < self.last_new + REQUESTS_MAX_IDLE_RUNS;
        !self.queue.is_empty() && promising
    }

    fn put_nothing(&mut self) {
        let nothing = Typed { args: Vec::new(), lines: Vec::new() };
        self.put(Trial { typed: nothing, from: 0, distance: REQUESTS_FAR, near: 0, home: None, aside: false });
    }

    /// Puts a run in line: the nearer what it begins with came to the check, the sooner.
    fn put(&mut self, trial: Trial) {
        if self.tried.insert(trial.typed.clone()) {
            self.queue.insert((trial.urgency(), self.queued), trial);
            self.queued += 1;
        }
    }

    fn take(&mut self, trial: Trial, wanted: &dyn Fn(PropertyId) -> bool, budget: &Budget) -> Option<Box<Violation>> {
        self.runs += 1;
        let result = self.runner.run(&self.run_config(&trial.typed), budget);
        if let Outcome::Violation(what) = &result.outcome
            && wanted(what.property)
        {
            return self.confirm(result, &trial.typed);
        }
        let before = trial.typed.lines[..trial.from].iter().map(|l| l.len() + 1).sum();
        let news = self.news(&result, before);
        let trial = Trial { near: news.near, ..trial };
        let nearer = news.distance < trial.distance;
        let waiting = result.observed.waiting;
        let state = waiting.is_some_and(|w| self.states.insert((trial.typed.args.clone(), w)));
        let is_new = nearer || state || !news.funcs.is_empty();
        let unlooked_for = matches!(&result.outcome, Outcome::Violation(v) if self.met.insert(v.property));
        if is_new || unlooked_for {
            self.news.push(trial.typed.clone());
        }
        if is_new {
            self.last_new = self.runs;
            self.config.say(|| {
                let far = news.distance;
                format!("  {far} calls away: {}", shown(&trial.typed))
            });
        }
        self.put_what_it_was_compared_with(&trial, &result);
        if is_new {
            self.put_variants(&trial, &news);
        }
        match waiting {
            Some(w) if trial.home.is_none_or(|home| home == w.place) => {
                if is_new {
                    let next = Trial {
                        from: trial.typed.lines.len(),
                        distance: news.distance,
                        near: news.near,
                        home: Some(w.place),
                        aside: !(nearer || state),
                        typed: trial.typed.clone(),
                    };
                    self.go_on_from(next, trial.request());
                }
            }
            // It asks for the rest of the request.
            Some(_) if trial.request().len() < REQUESTS_MAX_LINES => {
                let mut longer = trial.clone();
                longer.typed.lines.push(PLACEHOLDER.to_vec());
                longer.distance = longer.distance.min(news.distance);
                self.put(longer);
            }
            Some(_) | None => {}
        }
        None
    }

    fn run_config(&self, typed: &Typed) -> RunConfig {
        let script = (self.typing.script)(&typed.args, typed.text());
        let script = Script { watched: self.aim.watched.clone(), ..script };
        RunConfig {
            inputs: InputSource::Script(script),
            trace: TraceLevel::Branches,
            max_steps: Some(REQUESTS_RUN_INSTS),
            checks: self.config.checks,
            ..RunConfig::default()
        }
    }

    fn confirm(&self, result: RunResult, typed: &Typed) -> Option<Box<Violation>> {
        self.config.say(|| format!("  found after {} runs: {}", self.runs, shown(typed)));
        let values = result.inputs_used.into_iter().map(|u| u.value).collect();
        replay::run(self.program, self.config, values, "compositional", self.whole).ok().map(Box::new)
    }

    /// What happened for the first time.
    fn news(&mut self, result: &RunResult, before: usize) -> News {
        let mut read = 0;
        let mut news = News { funcs: BTreeSet::new(), distance: REQUESTS_FAR, near: REQUESTS_FAR };
        for event in &result.trace {
            let (func, what) = match event {
                Event::Input(input) if input.name.channel().is_typed() => {
                    let bytes = match &input.value {
                        InputValue::Bytes(bytes) => bytes.len(),
                        InputValue::Value(_) | InputValue::Bool(_) => 1,
                    };
                    read += bytes;
                    continue;
                }
                Event::Enter { func, loc, .. } => (*func, (func.0, loc, 2)),
                Event::Branch { func, taken, loc } => (*func, (func.0, loc, u8::from(*taken))),
                Event::Leave { .. }
                | Event::Assign { .. }
                | Event::Store { .. }
                | Event::Turn { .. }
                | Event::Input(_)
                | Event::Alloc { .. }
                | Event::Free { .. }
                | Event::Output { .. } => continue,
            };
            let mut hasher = DefaultHasher::new();
            what.hash(&mut hasher);
            if self.covered.insert(hasher.finish()) {
                news.funcs.insert(func);
            }
            let distance = self.aim.to_check.as_ref().map_or(0, |to| to.get(&func).copied().unwrap_or(REQUESTS_FAR));
            news.distance = news.distance.min(distance);
            if read > before || before == 0 {
                news.near = news.near.min(distance);
            }
        }
        news
    }

    /// The last thing typed, with what the program compared it with in its place.
    fn put_what_it_was_compared_with(&mut self, trial: &Trial, result: &RunResult) {
        for (a, b) in &result.observed.comparisons {
            self.put_changed(trial, |text| by_comparison(text, (a, b)));
        }
    }

    fn put_variants(&mut self, trial: &Trial, news: &News) {
        let bodies = news.funcs.iter().filter_map(|&f| self.program.body(f));
        let known: BTreeSet<u8> = bodies.flat_map(characters).collect();
        self.put_changed(trial, |text| decorated(text, &known));
        self.put_changed(trial, |text| lengthened(text).into_iter().collect());
        if trial.typed.lines.is_empty() && trial.typed.args.len() < self.typing.max_args {
            let mut more = trial.clone();
            more.typed.args.push(PLACEHOLDER.to_vec());
            more.distance = news.distance;
            self.put(more);
        }
    }

    /// The same with each text of the last request (or the last argument) changed.
    fn put_changed(&mut self, trial: &Trial, change: impl Fn(&[u8]) -> Vec<Text>) {
        if trial.typed.lines.is_empty() {
            let Some(last) = trial.typed.args.last() else { return };
            for text in change(last) {
                let mut other = trial.clone();
                other.typed.args.pop();
                other.typed.args.push(text);
                self.put(other);
            }
            return;
        }
        for (i, line) in trial.request().iter().enumerate() {
            for text in change(line) {
                let mut request = trial.request().to_vec();
                request[i] = text;
                self.put(trial.with(&request));
            }
        }
    }

    /// The program waits in a state that is new, or after something new: every useful request may follow.
    fn go_on_from(&mut self, next: Trial, request: &[Text]) {
        if self.waiting.len() >= REQUESTS_MAX_STATES {
            return;
        }
        let args = next.typed.args.clone();
        let mut follow = vec![next.with(&[PLACEHOLDER.to_vec()])];
        let useful = self.useful.iter().filter(|u| u.args == args);
        follow.extend(useful.map(|u| Trial { near: u.near, ..next.with(&u.request) }));
        if !request.is_empty() {
            let others = self.waiting.iter().filter(|w| w.typed.args == args);
            follow.extend(others.map(|w| Trial { near: next.near, aside: w.aside || next.aside, ..w.with(request) }));
            follow.push(next.with(request));
            self.useful.push(Useful { args, request: request.to_vec(), near: next.near });
        }
        self.waiting.push(next);
        follow.into_iter().for_each(|t| self.put(t));
    }
}

fn shown(typed: &Typed) -> String {
    let text = |texts: &[Text], between: &str| {
        texts.iter().map(|t| String::from_utf8_lossy(t).into_owned()).collect::<Vec<_>>().join(between)
    };
    format!("`{}` < \"{}\"", text(&typed.args, " "), text(&typed.lines, "\\n"))
}

/// The variables that functions use by name.
pub(crate) fn used_by(program: &Program, funcs: BTreeSet<FuncId>) -> Vec<GlobalId> {
    let mut globals = BTreeSet::new();
    for body in funcs.into_iter().filter_map(|f| program.body(f)) {
        for value in &body.values {
            if let ValueDef::Const(Const::Global(g, _)) = value.def {
                let data = &program.globals[g.index()];
                globals.extend((!data.constant && !data.model).then_some(g));
            }
        }
    }
    globals.into_iter().collect()
}
