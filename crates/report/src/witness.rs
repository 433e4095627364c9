//! Violation witnesses of SV-COMP: YAML 2.0 and GraphML 1.0.
//!
//! A witness says which values the nondeterministic functions return, in order, and where the violation happens; a
//! validator then needs no search. Absent: invariants, branches (the values decide them).

use crate::finding::Finding;
use crate::model::{InputRow, Place};
use crate::sha256::sha256;
use crate::source::Sources;
use crate::xml::escape;
use blitz_ir::Channel;

/// What the witness is about, and when it was made.
pub struct Task<'a> {
    /// The program's C files.
    pub files: &'a [String],
    pub ptr_bits: u16,
    pub version: &'a str,
    /// ISO 8601.
    pub created: &'a str,
    pub entry: &'a str,
}

/// The digest of a program's file, in hexadecimal.
pub fn file_hash(file: &str) -> std::io::Result<String> {
    Ok(sha256(&std::fs::read(file)?))
}

/// Which property of the competition a kind belongs to.
fn specification(kind: &str, entry: &str) -> String {
    let formula = match kind {
        "assertion" | "unreachable" => "G ! call(reach_error())",
        "signed-overflow" => "G ! overflow",
        "double-free" | "invalid-free" => "G valid-free",
        "memory-leak" => "G valid-memtrack",
        _ => "G valid-deref",
    };
    format!("CHECK( init({entry}()), LTL({formula}) )")
}

/// The inputs that a witness can name: results of functions without a body, with a known place.
fn returns(finding: &Finding) -> impl Iterator<Item = &InputRow> {
    let named = |i: &&InputRow| matches!(i.channel, Channel::Nondet { .. }) && i.place.is_known();
    finding.inputs.iter().filter(named)
}

/// A number as C writes it: the report shows further readings in parentheses.
fn plain(value: &str) -> &str {
    value.split(' ').next().unwrap_or(value)
}

/// The chain of preconditions. It is for people: its conditions are not all expressions of C, so they can't be waypoints.
fn description(finding: &Finding) -> Option<String> {
    let chain: Vec<String> = finding.preconditions.iter().map(ToString::to_string).collect();
    (!chain.is_empty()).then(|| format!("it happens when {}", chain.join("; ")))
}

/// The witness in YAML, format 2.0.
pub fn yaml(finding: &Finding, task: &Task<'_>, sources: &mut Sources) -> String {
    let hashes: Vec<(String, String)> = hashes(task, sources);
    let uuid = uuid(&hashes, finding);
    let mut text = format!(
        "- entry_type: violation_sequence\n  metadata:\n    format_version: '2.0'\n    uuid: {uuid}\n    creation_time: {}\n",
        quoted(task.created)
    );
    text.push_str(&format!("    producer:\n      name: blitz\n      version: {}\n", quoted(task.version)));
    if let Some(why) = description(finding) {
        text.push_str(&format!("      description: {}\n", quoted(&why)));
    }
    text.push_str("    task:\n");
    text.push_str("      input_files:\n");
    for (file, _) in &hashes {
        text.push_str(&format!("        - {}\n", quoted(file)));
    }
    text.push_str("      input_file_hashes:\n");
    for (file, hash) in &hashes {
        text.push_str(&format!("        {}: {hash}\n", quoted(file)));
    }
    let model = if task.ptr_bits == 32 { "ILP32" } else { "LP64" };
    text.push_str(&format!(
        "      specification: {}\n      data_model: {model}\n      language: C\n  content:\n",
        quoted(&specification(&finding.kind, task.entry))
    ));
    for input in returns(finding) {
        let end = call_end(&input.place, sources);
        let constraint = format!(
            "            constraint:\n              value: {}\n              format: ext_c_expression\n",
            quoted(&format!("\\result == {}", plain(&input.value)))
        );
        text.push_str(&waypoint("function_return", &end, None, &constraint));
    }
    text.push_str(&waypoint("target", &finding.place, Some(&finding.function), ""));
    text
}

fn waypoint(kind: &str, at: &Place, function: Option<&str>, constraint: &str) -> String {
    let mut text = format!(
        "    - segment:\n        - waypoint:\n            type: {kind}\n            action: follow\n            location:\n              file_name: {}\n              line: {}\n",
        quoted(&at.file),
        at.line
    );
    if at.column > 0 {
        text.push_str(&format!("              column: {}\n", at.column));
    }
    if let Some(name) = function {
        text.push_str(&format!("              function: {}\n", quoted(name)));
    }
    text.push_str(constraint);
    text
}

/// The closing parenthesis of the call that begins at a place, if the source shows one.
fn call_end(place: &Place, sources: &mut Sources) -> Place {
    let found = sources.line(&place.file, place.line).and_then(|line| {
        let start = (place.column as usize).checked_sub(1)?;
        let mut depth = 0;
        line.bytes().enumerate().skip(start).find_map(|(i, b)| {
            depth += i32::from(b == b'(') - i32::from(b == b')');
            (b == b')' && depth == 0).then_some(i as u32 + 1)
        })
    });
    Place { column: found.unwrap_or(place.column), ..place.clone() }
}

fn hashes(task: &Task<'_>, sources: &mut Sources) -> Vec<(String, String)> {
    let hash = |file: &String| (file.clone(), sha256(sources.text(file).unwrap_or_default().as_bytes()));
    task.files.iter().map(hash).collect()
}

/// A name for the witness that follows from what it says.
fn uuid(hashes: &[(String, String)], finding: &Finding) -> String {
    let all: String = hashes.iter().map(|(_, h)| h.as_str()).chain([finding.property.as_str()]).collect();
    let h = sha256(all.as_bytes());
    format!("{}-{}-8{}-8{}-{}", &h[..8], &h[8..12], &h[13..16], &h[17..20], &h[20..32])
}

/// A YAML string in single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The witness in GraphML, format 1.0.
pub fn graphml(finding: &Finding, task: &Task<'_>, sources: &mut Sources) -> String {
    let mut text = String::from(HEAD);
    let hashes = hashes(task, sources);
    let (file, hash) = hashes.first().cloned().unwrap_or_default();
    let bits = if task.ptr_bits == 32 { "32bit" } else { "64bit" };
    let facts = [
        ("witness-type", "violation_witness".to_owned()),
        ("sourcecodelang", "C".to_owned()),
        ("producer", format!("blitz {}", task.version)),
        ("specification", specification(&finding.kind, task.entry)),
        ("programfile", file),
        ("programhash", hash),
        ("architecture", bits.to_owned()),
        ("creationtime", task.created.to_owned()),
    ];
    for (key, value) in facts {
        text.push_str(&format!("    <data key=\"{key}\">{}</data>\n", escape(&value)));
    }
    if let Some(why) = description(finding) {
        text.push_str(&format!("    <!-- {} -->\n", escape(&why.replace("--", "- -"))));
    }
    text.push_str("    <node id=\"N0\">\n      <data key=\"entry\">true</data>\n    </node>\n");
    let mut node = 0;
    for input in returns(finding) {
        node += 1;
        text.push_str(&format!("    <node id=\"N{node}\"/>\n"));
        let assumption = format!("\\result == {};", plain(&input.value));
        text.push_str(&edge(
            node,
            &input.place,
            &[("assumption", &assumption), ("assumption.resultfunction", &input.name)],
        ));
    }
    node += 1;
    text.push_str(&format!("    <node id=\"N{node}\">\n      <data key=\"violation\">true</data>\n    </node>\n"));
    text.push_str(&edge(node, &finding.place, &[]));
    text.push_str("  </graph>\n</graphml>\n");
    text
}

fn edge(to: usize, at: &Place, more: &[(&str, &str)]) -> String {
    let mut text = format!("    <edge source=\"N{}\" target=\"N{to}\">\n", to - 1);
    let line = at.line.to_string();
    let facts = [("originfile", at.file.as_str()), ("startline", &line), ("endline", &line)];
    for (key, value) in facts.iter().chain(more) {
        text.push_str(&format!("      <data key=\"{key}\">{}</data>\n", escape(value)));
    }
    text.push_str("    </edge>\n");
    text
}

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <key attr.name="isEntryNode" attr.type="boolean" for="node" id="entry"><default>false</default></key>
  <key attr.name="isViolationNode" attr.type="boolean" for="node" id="violation"><default>false</default></key>
  <key attr.name="witness-type" attr.type="string" for="graph" id="witness-type"/>
  <key attr.name="sourcecodelang" attr.type="string" for="graph" id="sourcecodelang"/>
  <key attr.name="producer" attr.type="string" for="graph" id="producer"/>
  <key attr.name="specification" attr.type="string" for="graph" id="specification"/>
  <key attr.name="programFile" attr.type="string" for="graph" id="programfile"/>
  <key attr.name="programHash" attr.type="string" for="graph" id="programhash"/>
  <key attr.name="architecture" attr.type="string" for="graph" id="architecture"/>
  <key attr.name="creationtime" attr.type="string" for="graph" id="creationtime"/>
  <key attr.name="originFileName" attr.type="string" for="edge" id="originfile"/>
  <key attr.name="startline" attr.type="int" for="edge" id="startline"/>
  <key attr.name="endline" attr.type="int" for="edge" id="endline"/>
  <key attr.name="assumption" attr.type="string" for="edge" id="assumption"/>
  <key attr.name="assumption.resultfunction" attr.type="string" for="edge" id="assumption.resultfunction"/>
  <graph edgedefault="directed">
"#;
