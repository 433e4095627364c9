//! Test-Comp's exchange format: `metadata.xml`, and one file per test with the values of the nondeterministic functions in order.

use blitz_interp::{InputValue, UsedInput};
use blitz_ir::Channel;
use blitz_report::PathReport;
use blitz_report::witness::{Task, file_hash};
use blitz_report::xml_escape;
use std::io;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n";
const GOAL: &str = "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )";

/// The files of a suite: name and contents.
pub fn files(tests: &[&PathReport], task: &Task<'_>) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut out = vec![("metadata.xml".to_owned(), metadata(task)?.into_bytes())];
    for (i, test) in tests.iter().enumerate() {
        out.push((format!("testcase-{}.xml", i + 1), case(test).into_bytes()));
    }
    Ok(out)
}

fn metadata(task: &Task<'_>) -> io::Result<String> {
    let file = task.files.first().map(String::as_str).unwrap_or_default();
    let hash = if file.is_empty() { String::new() } else { file_hash(file)? };
    let fields = [
        ("sourcecodelang", "C"),
        ("producer", "blitz"),
        ("specification", GOAL),
        ("programfile", file),
        ("programhash", &hash),
        ("entryfunction", task.entry),
        ("architecture", if task.ptr_bits == 32 { "32bit" } else { "64bit" }),
        ("creationtime", task.created),
    ];
    let lines: String = fields.iter().map(|(tag, value)| format!("  <{tag}>{}</{tag}>\n", xml_escape(value))).collect();
    Ok(format!(
        "{HEAD}<!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">\n<test-metadata>\n{lines}</test-metadata>\n"
    ))
}

fn case(test: &PathReport) -> String {
    let inputs: String = test
        .run
        .inputs_used
        .iter()
        .filter(|i| i.via.is_none() && matches!(i.name.channel(), Channel::Nondet { .. }))
        .map(|i| format!("  <input>{}</input>\n", number(i)))
        .collect();
    format!(
        "{HEAD}<!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n<testcase>\n{inputs}</testcase>\n"
    )
}

/// A value as C writes it, of the type that the function's name tells.
fn number(input: &UsedInput) -> String {
    let unsigned = input.name.channel() == Channel::Nondet { unsigned: true };
    match &input.value {
        InputValue::Bool(b) => u8::from(*b).to_string(),
        InputValue::Value(v) if unsigned => v.to_u128().map_or_else(|| "0".to_owned(), |n| n.to_string()),
        InputValue::Value(v) => v.to_i128().map_or_else(|| "0".to_owned(), |n| n.to_string()),
        InputValue::Bytes(bytes) => {
            let hex: String = bytes.iter().rev().map(|b| format!("{b:02x}")).collect();
            format!("0x{hex}")
        }
    }
}
