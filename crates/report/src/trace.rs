//! The trace of a run in the user's words: what happened in the user's own functions, in order.

use crate::finding::{input_name, object_name, place};
use crate::model::{Place, Step};
use crate::value::{Names, c_string, show_input, show_value, show_variable};
use blitz_base::Bv;
use blitz_base::span::Loc;
use blitz_interp::Event;
use blitz_ir::{FuncId, Type, Var};

/// The most steps a trace has; what is between its beginning and its end is left out.
const MOST: usize = 20_000;

/// The steps of the trace of a run that ended at a place.
pub(crate) fn steps_to(names: Names<'_>, events: &[Event], end: &Place) -> Vec<Step> {
    let mut steps = steps(names, events);
    for step in steps.iter_mut().rev().take_while(|s| s.what == "branch" && s.text == UNDECIDED) {
        step.text = format!("goes on at line {}", end.line);
        step.value = Some(end.line.to_string());
    }
    steps
}

/// What a branch says before it is known where execution went.
const UNDECIDED: &str = "decides";

/// The steps of a trace. What happens inside libc models is left out; the user did not write it.
fn steps(names: Names<'_>, events: &[Event]) -> Vec<Step> {
    let program = names.program;
    let mut open: Vec<FuncId> = Vec::new();
    let mut steps = Vec::new();
    for event in events {
        if let Some(mut step) = tell(names, event) {
            step.depth = open.len() as u32;
            step.function = open.last().map(|f| program.decl(*f).name.clone()).unwrap_or_default();
            steps.push(step);
        }
        match event {
            Event::Enter { func, .. } if !program.decl(*func).model => open.push(*func),
            Event::Leave { func, .. } if !program.decl(*func).model => {
                open.pop();
            }
            _ => {}
        }
    }
    name_ways(&mut steps);
    shorten(fold_repeats(steps))
}

/// Which way a branch went is where execution was next: the condition itself may be the opposite of what the source says.
fn name_ways(steps: &mut [Step]) {
    for i in 0..steps.len() {
        if steps[i].what != "branch" {
            continue;
        }
        let depth = steps[i].depth;
        let later = steps[i + 1..].iter().take_while(|s| s.depth >= depth);
        let next = later.filter(|s| s.depth == depth && s.place.is_known()).map(|s| s.place.line).next();
        if let Some(line) = next {
            steps[i].text = format!("goes on at line {line}");
            steps[i].value = Some(line.to_string());
        }
    }
}

/// The beginning and the end of what is too long.
fn shorten(mut steps: Vec<Step>) -> Vec<Step> {
    if steps.len() > MOST {
        let end = steps.split_off(steps.len() - MOST / 2);
        let left_out = steps.len() - MOST / 2;
        steps.truncate(MOST / 2);
        let last = steps.last().expect("what is too long should not be empty").place.clone();
        steps.push(step("cut", format!("{left_out} steps are left out"), Loc::UNKNOWN, |_| last.clone()));
        steps.extend(end);
    }
    steps
}

fn step(what: &'static str, text: String, loc: Loc, place: impl Fn(Loc) -> Place) -> Step {
    Step {
        what,
        text,
        depth: 0,
        place: place(loc),
        function: String::new(),
        name: None,
        value: None,
        object: None,
        offset: None,
        bytes: None,
    }
}

fn tell(names: Names<'_>, event: &Event) -> Option<Step> {
    let program = names.program;
    let mine = |f: FuncId| !program.decl(f).model;
    let make = |what, text, loc: &Loc| step(what, text, *loc, |loc| place(program, loc));
    match event {
        Event::Enter { func, args, loc } => mine(*func).then(|| make("call", call(names, *func, args), loc)),
        Event::Leave { func, results, loc } => {
            mine(*func).then(|| make("return", returned(names, *func, results), loc))
        }
        Event::Assign { func, var, value, loc } => mine(*func).then(|| assigned(names, *func, *var, value, make, loc)),
        Event::Store { func, object, name, offset, ty, value, loc } => mine(*func).then(|| {
            let target = name.map_or_else(|| names.object(*object), |n| object_name(program, n));
            let at = if *offset == 0 { String::new() } else { format!(" at offset {offset}") };
            let shown = show_value(names, *ty, value);
            Step {
                object: Some(*object),
                offset: Some(*offset),
                bytes: Some(u64::from(value.width()).div_ceil(8)),
                value: Some(shown.clone()),
                name: Some(target.clone()),
                ..make("store", format!("{target}{at} = {shown}"), loc)
            }
        }),
        Event::Branch { func, loc, .. } => mine(*func).then(|| make("branch", UNDECIDED.to_owned(), loc)),
        Event::Input(input) => {
            let shown = show_input(&input.value);
            let name = input_name(input);
            let text = format!("{name} = {shown}");
            Some(Step { name: Some(name), value: Some(shown), ..make("input", text, &input.loc) })
        }
        Event::Alloc { object, size, loc } => {
            let text = format!("object {object} of {size} bytes");
            Some(Step { object: Some(*object), bytes: Some(*size), ..make("alloc", text, loc) })
        }
        Event::Free { object, loc } => {
            Some(Step { object: Some(*object), ..make("free", format!("object {object}"), loc) })
        }
        Event::Output { fd, bytes, loc } => Some(make("output", format!("{} to file {fd}", c_string(bytes)), loc)),
    }
}

fn call(names: Names<'_>, func: FuncId, args: &[Bv]) -> String {
    let decl = names.program.decl(func);
    let plain = args.len().saturating_sub(decl.shadow_params as usize);
    let shown: Vec<String> = args
        .iter()
        .take(plain)
        .enumerate()
        .map(|(i, value)| {
            let ty = decl.signature.params.get(i).copied().unwrap_or(Type::Int(value.width()));
            let value = show_value(names, ty, value);
            match decl.params.get(i).filter(|n| !n.is_empty()) {
                Some(name) => format!("{name} = {value}"),
                None => value,
            }
        })
        .collect();
    format!("{}({})", decl.name, shown.join(", "))
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
    make: impl Fn(&'static str, String, &Loc) -> Step,
    loc: &Loc,
) -> Step {
    let body = names.program.body(func).expect("a function that assigns should have a body");
    let variable = &body.vars[var.index()];
    let (name, shown) = (variable.name.clone(), show_variable(names, variable.format, value));
    // Parameters get their values before the first place in the body.
    let entry = names.program.decl(func).loc;
    let loc = if loc.is_known() { loc } else { &entry };
    Step { name: Some(name.clone()), value: Some(shown.clone()), ..make("assign", format!("{name} = {shown}"), loc) }
}

/// Equal steps that follow each other become one that says how often.
fn fold_repeats(steps: Vec<Step>) -> Vec<Step> {
    let mut folded: Vec<(Step, u32)> = Vec::new();
    for step in steps {
        match folded.last_mut() {
            Some((last, count)) if *last == step => *count += 1,
            _ => folded.push((step, 1)),
        }
    }
    folded
        .into_iter()
        .map(|(mut step, count)| {
            if count > 1 {
                step.text.push_str(&format!(" ({count} times)"));
            }
            step
        })
        .collect()
}
