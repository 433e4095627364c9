//! The trace of a run in the user's words: what happened in the user's own functions, in order.

use crate::finding::{object_name, place};
use crate::model::Step;
use crate::value::{c_string, show_input, show_value};
use blitz_base::Bv;
use blitz_interp::Event;
use blitz_ir::{FuncId, Program, Type, Var};

/// The steps of a trace. What happens inside libc models is left out; the user did not write it.
pub fn steps(program: &Program, events: &[Event]) -> Vec<Step> {
    let mut depth = 0u32;
    let mut steps = Vec::new();
    for event in events {
        let entered = matches!(event, Event::Enter { func, .. } if !program.decl(*func).model);
        if let Some((what, text, loc)) = tell(program, event) {
            steps.push(Step { what, text, depth, place: place(program, loc) });
        }
        if entered {
            depth += 1;
        } else if matches!(event, Event::Leave { func, .. } if !program.decl(*func).model) {
            depth = depth.saturating_sub(1);
        }
    }
    fold_repeats(steps)
}

type Told = (&'static str, String, blitz_base::span::Loc);

fn tell(program: &Program, event: &Event) -> Option<Told> {
    let mine = |f: FuncId| !program.decl(f).model;
    match event {
        Event::Enter { func, args, loc } => mine(*func).then(|| ("call", call(program, *func, args), *loc)),
        Event::Leave { func, results, loc } => mine(*func).then(|| ("return", returned(program, *func, results), *loc)),
        Event::Assign { func, var, value, loc } => {
            mine(*func).then(|| ("assign", assigned(program, *func, *var, value), *loc))
        }
        Event::Store { func, name, offset, value, loc, .. } => mine(*func).then(|| {
            let target = name.map_or_else(|| "memory".to_owned(), |n| object_name(program, n));
            let at = if *offset == 0 { String::new() } else { format!(" at offset {offset}") };
            ("store", format!("{target}{at} = {}", integer(program, value)), *loc)
        }),
        Event::Branch { func, taken, loc } => {
            mine(*func).then(|| ("branch", format!("the condition is {}", if *taken { "true" } else { "false" }), *loc))
        }
        Event::Input(input) => Some(("input", format!("{} = {}", input.name, show_input(&input.value)), input.loc)),
        Event::Alloc { object, size, loc } => Some(("alloc", format!("object {object} of {size} bytes"), *loc)),
        Event::Free { object, loc } => Some(("free", format!("object {object}"), *loc)),
        Event::Output { fd, bytes, loc } => Some(("output", format!("{} to file {fd}", c_string(bytes)), *loc)),
    }
}

fn call(program: &Program, func: FuncId, args: &[Bv]) -> String {
    let decl = program.decl(func);
    let plain = args.len().saturating_sub(decl.shadow_params as usize);
    let shown: Vec<String> = args
        .iter()
        .take(plain)
        .enumerate()
        .map(|(i, value)| {
            let ty = decl.signature.params.get(i).copied().unwrap_or(Type::Int(value.width()));
            let value = show_value(program, ty, value);
            match decl.params.get(i).filter(|n| !n.is_empty()) {
                Some(name) => format!("{name} = {value}"),
                None => value,
            }
        })
        .collect();
    format!("{}({})", decl.name, shown.join(", "))
}

fn returned(program: &Program, func: FuncId, results: &[Bv]) -> String {
    let decl = program.decl(func);
    let types = &decl.signature.results;
    let plain = results.len().saturating_sub(decl.shadow_results as usize);
    let shown: Vec<String> = results.iter().zip(types).take(plain).map(|(v, t)| show_value(program, *t, v)).collect();
    if shown.is_empty() { decl.name.clone() } else { format!("{} returns {}", decl.name, shown.join(", ")) }
}

fn assigned(program: &Program, func: FuncId, var: Var, value: &Bv) -> String {
    let body = program.body(func).expect("a function that assigns should have a body");
    format!("{} = {}", body.vars[var.index()].name, integer(program, value))
}

fn integer(program: &Program, value: &Bv) -> String {
    show_value(program, Type::Int(value.width()), value)
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
