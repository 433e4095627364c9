//! The trace of a run in the user's words: what happened in the user's own functions, in order.

use crate::finding::{input_name, object_name, place};
use crate::locks::{Deed, LockCalls, LockEvent, mark_turns};
use crate::model::{Place, Step, StepKind};
use crate::value::{Names, c_string, show_input, show_value, show_variable};
use blitz_base::Bv;
use blitz_base::span::Loc;
use blitz_interp::Event;
use blitz_ir::{FuncId, Program, Type, Var};
use std::collections::BTreeMap;

/// The most steps a trace has; what is between its beginning and its end is left out.
const MOST: usize = 20_000;

/// The steps of the trace of a run that ended at a place.
pub(crate) fn steps_to(names: Names<'_>, events: &[Event], end: &Place) -> Vec<Step> {
    let mut steps = steps(names, events);
    for step in steps.iter_mut().rev().take_while(|s| s.what == StepKind::Branch && s.value.is_none()) {
        step.text = format!("goes on at line {}", end.line);
        step.value = Some(end.line.to_string());
    }
    steps
}

/// What a branch says before it is known where execution went.
const UNDECIDED: &str = "decides";

/// An event that becomes a step. A run has hundreds of thousands, of which a report shows some: words are made for those only.
#[derive(Clone, Copy)]
struct Told<'a> {
    event: &'a Event,
    /// The function it happened in, and how many calls were open.
    func: Option<FuncId>,
    depth: u32,
    /// The thread, in a run with several.
    thread: Option<u32>,
    /// Of a branch: the line it goes on at.
    way: Option<u32>,
    times: u32,
    /// What it does with a lock.
    lock: Option<LockEvent<'a>>,
}

/// The steps of a trace. What happens inside libc models is left out; the user did not write it.
fn steps(names: Names<'_>, events: &[Event]) -> Vec<Step> {
    let program = names.program;
    // The calls that each thread has open.
    let mut calls: BTreeMap<u32, Vec<FuncId>> = BTreeMap::new();
    let mut running = 0;
    let several = events.iter().any(|e| matches!(e, Event::Turn { .. }));
    let mut told = Vec::new();
    let mut locks = LockCalls::default();
    for event in events {
        if let Event::Turn { thread } = event {
            running = *thread;
        }
        let open = calls.entry(running).or_default();
        let lock = if several { locks.event(program, running, event) } else { None };
        if lock.is_some() || is_told(program, event) {
            let (func, depth) = (open.last().copied(), open.len() as u32);
            told.push(Told { event, func, depth, thread: several.then_some(running), way: None, times: 1, lock });
        }
        match event {
            Event::Enter { func, .. } if !program.decl(*func).model => open.push(*func),
            Event::Leave { func, .. } if !program.decl(*func).model => {
                open.pop();
            }
            _ => {}
        }
    }
    find_ways(program, &mut told);
    let mut steps = shorten(names, &fold_repeats(told));
    mark_turns(&mut steps);
    steps
}

/// Which way a branch went is where execution was next: the condition itself may be the opposite of what the source says.
fn find_ways(program: &Program, told: &mut [Told<'_>]) {
    for i in 0..told.len() {
        if matches!(told[i].event, Event::Branch { .. }) {
            let (depth, thread) = (told[i].depth, told[i].thread);
            let same = told[i + 1..].iter().filter(|t| t.thread == thread);
            let later = same.take_while(|t| t.depth >= depth);
            told[i].way = later
                .filter(|t| t.depth == depth)
                .map(|t| t.lock.map_or_else(|| loc_of(program, t.event), |l| l.loc))
                .find(|loc| loc.is_known())
                .map(|loc| loc.line);
        }
    }
}

/// Equal events that follow each other become one that says how often.
fn fold_repeats(told: Vec<Told<'_>>) -> Vec<Told<'_>> {
    let mut folded: Vec<Told<'_>> = Vec::new();
    for next in told {
        match folded.last_mut() {
            Some(last) if last.is_like(&next) => last.times += 1,
            _ => folded.push(next),
        }
    }
    folded
}

impl Told<'_> {
    fn is_like(&self, other: &Self) -> bool {
        let same = match (self.event, other.event) {
            // What the condition was says less than where it led to.
            (Event::Branch { func, loc, .. }, Event::Branch { func: f, loc: l, .. }) => (func, loc) == (f, l),
            (one, other) => one == other,
        };
        let one = (self.func, self.depth, self.way, self.thread);
        same && one == (other.func, other.depth, other.way, other.thread)
    }

    fn step(&self, names: Names<'_>) -> Step {
        let mut step = match self.lock {
            Some(lock) => locked(names, lock),
            None => tell(names, self.event),
        };
        step.depth = self.depth;
        step.thread = self.thread;
        step.function = self.func.map(|f| names.program.decl(f).name.clone()).unwrap_or_default();
        if let Some(line) = self.way {
            step.text = format!("goes on at line {line}");
            step.value = Some(line.to_string());
        }
        if self.times > 1 {
            step.text.push_str(&format!(" ({} times)", self.times));
        }
        step
    }
}

/// The steps; of what is too long, the beginning and the end.
fn shorten(names: Names<'_>, told: &[Told<'_>]) -> Vec<Step> {
    let words = |part: &[Told<'_>]| part.iter().map(|t| t.step(names)).collect::<Vec<Step>>();
    if told.len() <= MOST {
        return words(told);
    }
    let mut steps = words(&told[..MOST / 2]);
    let last = steps.last().expect("what is too long should not be empty").place.clone();
    let left_out = told.len() - MOST;
    steps.push(step(StepKind::Cut, format!("{left_out} steps are left out"), Loc::UNKNOWN, |_| last.clone()));
    steps.extend(words(&told[told.len() - MOST / 2..]));
    steps
}

fn step(what: StepKind, text: String, loc: Loc, place: impl Fn(Loc) -> Place) -> Step {
    Step {
        what,
        text,
        depth: 0,
        thread: None,
        switch: false,
        held: Vec::new(),
        place: place(loc),
        function: String::new(),
        callee: None,
        has_result: false,
        name: None,
        value: None,
        member: None,
        object: None,
        offset: None,
        bytes: None,
        input: None,
        given: Vec::new(),
        anonymous: false,
    }
}

/// Whether an event is one of the user's own.
fn is_told(program: &Program, event: &Event) -> bool {
    match event {
        Event::Enter { func, .. }
        | Event::Leave { func, .. }
        | Event::Assign { func, .. }
        | Event::Store { func, .. }
        | Event::Branch { func, .. } => !program.decl(*func).model,
        Event::Input(_) | Event::Alloc { .. } | Event::Free { .. } | Event::Output { .. } => true,
        // The steps that follow say whose they are.
        Event::Turn { .. } => false,
    }
}

/// Where an event happened. Parameters get their values before the first place in the body.
fn loc_of(program: &Program, event: &Event) -> Loc {
    match event {
        Event::Assign { func, loc, .. } if !loc.is_known() => program.decl(*func).loc,
        Event::Assign { loc, .. }
        | Event::Enter { loc, .. }
        | Event::Leave { loc, .. }
        | Event::Store { loc, .. }
        | Event::Branch { loc, .. }
        | Event::Alloc { loc, .. }
        | Event::Free { loc, .. }
        | Event::Output { loc, .. } => *loc,
        Event::Input(input) => input.loc,
        Event::Turn { .. } => Loc::UNKNOWN,
    }
}

fn tell(names: Names<'_>, event: &Event) -> Step {
    let program = names.program;
    let loc = &loc_of(program, event);
    let make = |what, text, loc: &Loc| step(what, text, *loc, |loc| place(program, loc));
    match event {
        Event::Enter { func, args, .. } => {
            let callee = Some(program.decl(*func).name.clone());
            let given = given(names, *func, args);
            let text = call(names, *func, &given);
            Step { callee, given, ..make(StepKind::Call, text, loc) }
        }
        Event::Leave { func, results, .. } => {
            let has_result = results.len() > program.decl(*func).shadow_results as usize;
            Step { has_result, ..make(StepKind::Return, returned(names, *func, results), loc) }
        }
        Event::Assign { func, var, value, .. } => assigned(names, *func, *var, value, make, loc),
        Event::Store { object, name, offset, ty, value, .. } => {
            let target = name.map_or_else(|| names.object(*object), |n| object_name(program, n));
            let at = if *offset == 0 { String::new() } else { format!(" at offset {offset}") };
            let shown = show_value(names, *ty, value);
            Step {
                object: Some(*object),
                offset: Some(*offset),
                bytes: Some(u64::from(value.width()).div_ceil(8)),
                value: Some(shown.clone()),
                name: Some(target.clone()),
                anonymous: name.is_none() && names.is_anonymous(*object),
                ..make(StepKind::Store, format!("{target}{at} = {shown}"), loc)
            }
        }
        Event::Turn { thread } => make(StepKind::Turn, format!("thread {thread} goes on"), loc),
        Event::Branch { .. } => make(StepKind::Branch, UNDECIDED.to_owned(), loc),
        Event::Input(input) => {
            let shown = show_input(&input.value);
            let name = input_name(input);
            let text = format!("{name} = {shown}");
            let channel = Some(input.name.channel());
            Step { name: Some(name), value: Some(shown), input: channel, ..make(StepKind::Input, text, loc) }
        }
        Event::Alloc { object, size, .. } => {
            let name = names.object(*object);
            let of = if names.is_anonymous(*object) { String::new() } else { format!(" for {name}") };
            let text = format!("{size} bytes{of}");
            Step { object: Some(*object), name: Some(name), bytes: Some(*size), ..make(StepKind::Alloc, text, loc) }
        }
        Event::Free { object, .. } => {
            let name = names.object(*object);
            Step { object: Some(*object), name: Some(name.clone()), ..make(StepKind::Free, name, loc) }
        }
        Event::Output { fd, bytes, .. } => make(StepKind::Output, format!("{} to file {fd}", c_string(bytes)), loc),
    }
}

fn locked(names: Names<'_>, LockEvent { deed, lock, loc }: LockEvent<'_>) -> Step {
    let shown = show_value(names, Type::Ptr, lock);
    let name = shown.strip_prefix('&').unwrap_or(&shown).to_owned();
    let (what, text) = match deed {
        Deed::Took => (StepKind::Lock, format!("locks {name}")),
        Deed::LetGo => (StepKind::Unlock, format!("unlocks {name}")),
    };
    Step { name: Some(name), ..step(what, text, loc, |loc| place(names.program, loc)) }
}

/// The arguments of a call, each with its parameter's name.
fn given(names: Names<'_>, func: FuncId, args: &[Bv]) -> Vec<(String, String)> {
    let decl = names.program.decl(func);
    let plain = args.len().saturating_sub(decl.shadow_params as usize);
    let one = |(i, value): (usize, &Bv)| {
        let ty = decl.signature.params.get(i).copied().unwrap_or(Type::Int(value.width()));
        let shown = match names.format(func, decl.params.get(i)) {
            Some(format) => show_variable(names, format, value),
            None => show_value(names, ty, value),
        };
        (decl.params.get(i).cloned().unwrap_or_default(), shown)
    };
    args.iter().take(plain).enumerate().map(one).collect()
}

fn call(names: Names<'_>, func: FuncId, given: &[(String, String)]) -> String {
    let one = |(name, value): &(String, String)| match name.as_str() {
        "" => value.clone(),
        name => format!("{name} = {value}"),
    };
    let shown: Vec<String> = given.iter().map(one).collect();
    format!("{}({})", names.program.decl(func).name, shown.join(", "))
}

fn returned(names: Names<'_>, func: FuncId, results: &[Bv]) -> String {
    let decl = names.program.decl(func);
    let types = &decl.signature.results;
    let plain = results.len().saturating_sub(decl.shadow_results as usize);
    let shown: Vec<String> = results.iter().zip(types).take(plain).map(|(v, t)| show_value(names, *t, v)).collect();
    if shown.is_empty() { decl.name.clone() } else { format!("{} returns {}", decl.name, shown.join(", ")) }
}

fn assigned(
    names: Names<'_>,
    func: FuncId,
    var: Var,
    value: &Bv,
    make: impl Fn(StepKind, String, &Loc) -> Step,
    loc: &Loc,
) -> Step {
    let body = names.program.body(func).expect("a function that assigns should have a body");
    let variable = &body.vars[var.index()];
    let (name, shown) = (variable.name.clone(), show_variable(names, variable.format, value));
    Step {
        name: Some(name.clone()),
        value: Some(shown.clone()),
        ..make(StepKind::Assign, format!("{name} = {shown}"), loc)
    }
}
