//! A counterexample in CBMC's three forms, from the steps of the run that showed it.
//!
//! Invariant: what `cbmc-viewer` reads is there: calls and returns with the place of the function, assignments with name and value, the failure last.
//! Absent: binary forms of values, what happens inside library models.

use super::output::{Row, escaped, json_place, xml_place};
use blitz_ir::Channel;
use blitz_ir::channel::owner;
use blitz_report::{Finding, Step, StepKind};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Where functions begin, by name: file and line.
pub type Definitions = BTreeMap<String, (String, u32)>;

/// One step as CBMC knows them.
enum Happens {
    Call { function: String },
    Return { function: String },
    Assigns { place: String, value: String, input: bool },
}

struct Shown<'a> {
    step: &'a Step,
    happens: Happens,
}

fn shown(steps: &[Step]) -> Vec<Shown<'_>> {
    let one = |step| Some(Shown { step, happens: happens(step)? });
    steps.iter().filter(|s| s.place.is_known()).filter_map(one).collect()
}

fn happens(step: &Step) -> Option<Happens> {
    match step.what {
        StepKind::Call => Some(Happens::Call { function: step.callee.clone()? }),
        StepKind::Return => Some(Happens::Return { function: step.function.clone() }),
        StepKind::Assign | StepKind::Store | StepKind::Input => {
            let name = step.name.clone()?;
            // A variable that nobody has set is an input here and an assignment there.
            let unset = step.input.filter(|channel| *channel == Channel::Unset);
            let name = unset.and_then(|channel| owner(&name, channel)).map(str::to_owned).unwrap_or(name);
            let place = match step.offset {
                Some(offset) if offset != 0 => format!("{name}+{offset}"),
                _ => name,
            };
            Some(Happens::Assigns { place, value: step.value.clone()?, input: step.what == StepKind::Input })
        }
        _ => None,
    }
}

/// The trace as blocks of text, an empty line after each.
pub fn text(finding: &Finding) -> String {
    let mut out = String::new();
    for (number, Shown { step, happens }) in (1..).zip(shown(&finding.trace)) {
        let Happens::Assigns { place, value, .. } = happens else { continue };
        out.push_str(&format!(
            "State {number} file {} function {} line {} thread {}\n----------------------------------------------------\n  {place}={value}\n\n",
            step.place.file,
            step.function,
            step.place.line,
            step.thread.unwrap_or(0)
        ));
    }
    out
}

pub fn json(finding: &Finding, row: &Row, defined: &Definitions, directory: &str) -> Value {
    let at = |function: &str| {
        let (file, line) = defined.get(function).cloned().unwrap_or_default();
        json!({ "displayName": function, "identifier": function, "sourceLocation": json_place(&file, "", line, directory) })
    };
    let mut steps: Vec<Value> = Vec::new();
    for Shown { step, happens } in shown(&finding.trace) {
        let place = json_place(&step.place.file, &step.function, step.place.line, directory);
        let mut one = match &happens {
            Happens::Call { function } => json!({ "stepType": "function-call", "function": at(function) }),
            Happens::Return { function } => json!({ "stepType": "function-return", "function": at(function) }),
            Happens::Assigns { place, value, input } => json!({
                "stepType": "assignment", "assignmentType": "variable", "lhs": place, "mode": "C",
                "value": { "data": value, "name": if *input { "input" } else { "value" } },
            }),
        };
        one["sourceLocation"] = place;
        steps.push(one);
    }
    steps.push(json!({ "stepType": "failure", "property": row.name, "reason": row.description, "sourceLocation": json_place(&row.file, &row.function, row.line, directory) }));
    for step in &mut steps {
        step["hidden"] = json!(false);
        step["internal"] = json!(false);
        step["thread"] = json!(0);
    }
    Value::Array(steps)
}

pub fn xml(finding: &Finding, row: &Row, defined: &Definitions, directory: &str) -> String {
    let mut out = String::from("  <goto_trace>\n");
    let steps = shown(&finding.trace);
    let last = steps.len() + 1;
    for (number, Shown { step, happens }) in (1..).zip(steps) {
        let place = xml_place(&step.place.file, &step.function, step.place.line, directory);
        let function = |tag: &str, name: &str| {
            let (file, line) = defined.get(name).cloned().unwrap_or_default();
            let (name, at) = (escaped(name), xml_place(&file, "", line, directory));
            format!(
                "    <{tag} hidden=\"false\" step_nr=\"{number}\" thread=\"0\">\n      <function display_name=\"{name}\" identifier=\"{name}\">\n        {at}\n      </function>\n      {place}\n    </{tag}>\n"
            )
        };
        out.push_str(&match &happens {
            Happens::Call { function: name } => function("function_call", name),
            Happens::Return { function: name } => function("function_return", name),
            Happens::Assigns { place: lhs, value, .. } => {
                let (lhs, value) = (escaped(lhs), escaped(value));
                let scope = escaped(&format!("{}::{lhs}", step.function));
                format!(
                    "    <assignment assignment_type=\"state\" base_name=\"{lhs}\" display_name=\"{scope}\" hidden=\"false\" identifier=\"{scope}\" mode=\"C\" step_nr=\"{number}\" thread=\"0\">\n      {place}\n      <full_lhs>{lhs}</full_lhs>\n      <full_lhs_value>{value}</full_lhs_value>\n    </assignment>\n"
                )
            }
        });
    }
    out.push_str(&format!(
        "    <failure hidden=\"false\" property=\"{}\" reason=\"{}\" step_nr=\"{last}\" thread=\"0\">\n      {}\n    </failure>\n  </goto_trace>\n",
        escaped(&row.name),
        escaped(&row.description),
        xml_place(&row.file, &row.function, row.line, directory)
    ));
    out
}
