//! SARIF 2.1.0, the format of GitHub's code scanning and of many editors.
//!
//! One run with one rule per kind of check, one result per violation: place, call stack, the trace as a code flow, where
//! the object was allocated and freed, and a fingerprint that survives edits elsewhere in the file.

use crate::finding::Finding;
use crate::fingerprint::fingerprints;
use crate::model::{Place, Report, StackFrame};
use crate::rules::{Rule, rule, word};
use crate::source::Sources;
use crate::text::under_stubs;
use blitz_ir::CheckKind;
use serde_json::{Map, Value, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The most steps of a code flow that is still looked at.
const MOST_STEPS: usize = 1_000;

/// The report as SARIF.
pub fn sarif(report: &Report, version: &str, sources: &mut Sources) -> String {
    let prints = fingerprints(&report.violations, sources);
    let results: Vec<Value> = report.violations.iter().zip(prints).map(|(f, print)| result(f, &print)).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "blitz",
                "version": version,
                "informationUri": "https://github.com/blitz-checker/blitz",
                "rules": CheckKind::ALL.iter().map(|k| rule_entry(&rule(*k))).collect::<Vec<_>>(),
            }},
            "invocations": [{"executionSuccessful": true}],
            "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The folder blitz was called in"}}},
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": {"verdict": report.verdict, "notes": report.notes},
        }],
    });
    serde_json::to_string_pretty(&log).expect("a log should be expressible in JSON")
}

fn rule_entry(rule: &Rule) -> Value {
    let mut tags = vec!["security".to_owned(), "correctness".to_owned()];
    tags.extend(rule.cwe.map(|n| format!("external/cwe/cwe-{n}")));
    json!({
        "id": rule.kind.name(),
        "name": word(rule.kind),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": format!("{}. blitz has found inputs with which it happens, and has run the program on them.", rule.title)},
        "helpUri": "https://github.com/blitz-checker/blitz/blob/main/docs/semantics.md",
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": tags, "precision": "very-high", "security-severity": rule.severity},
    })
}

fn result(finding: &Finding, print: &str) -> Value {
    let mut entry = json!({
        "ruleId": finding.kind,
        "level": "error",
        "message": {"text": message(finding)},
        "locations": [location(&finding.place, Some(&finding.function))],
        "partialFingerprints": {"primaryLocationLineHash": print, "blitz/v1": print},
        "codeFlows": [code_flow(finding)],
        "properties": {
            "property": finding.property,
            "confirmed": finding.confirmed,
            "inputs": finding.inputs.iter().map(|i| format!("{} = {}", i.name, i.value)).collect::<Vec<_>>(),
            "preconditions": finding.preconditions.iter().map(|p| p.to_string()).collect::<Vec<_>>(),
        },
    });
    if let Some(index) = CheckKind::ALL.iter().position(|k| k.name() == finding.kind) {
        entry["ruleIndex"] = json!(index);
    }
    if !finding.stack.is_empty() {
        let frames: Vec<Value> =
            finding.stack.iter().map(|f| json!({"location": location(&f.place, Some(&f.function))})).collect();
        entry["stacks"] = json!([{"message": {"text": "the open calls"}, "frames": frames}]);
    }
    let related = related(finding);
    if !related.is_empty() {
        entry["relatedLocations"] = Value::Array(related);
    }
    entry
}

fn message(finding: &Finding) -> String {
    let mut text = finding.message.clone();
    if let Some((native, report)) = finding.native.as_ref().and_then(|n| Some((n, n.report.as_ref()?))) {
        text.push_str(&format!(" (confirmed natively{}: {})", under_stubs(native), report.text));
    }
    text
}

fn location(place: &Place, function: Option<&str>) -> Value {
    let mut entry = Map::new();
    if place.is_known() {
        let mut region = json!({"startLine": place.line});
        if place.column > 0 {
            region["startColumn"] = json!(place.column);
        }
        entry.insert("physicalLocation".into(), json!({"artifactLocation": artifact(&place.file), "region": region}));
    }
    if let Some(name) = function.filter(|f| !f.is_empty()) {
        entry.insert("logicalLocations".into(), json!([{"name": name, "kind": "function"}]));
    }
    Value::Object(entry)
}

fn artifact(file: &str) -> Value {
    if file.starts_with('/') {
        json!({"uri": format!("file://{}", uri(file))})
    } else {
        json!({"uri": uri(file), "uriBaseId": "SRCROOT"})
    }
}

/// A path with what a URI does not allow written as `%XX`.
fn uri(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-~".contains(&b);
    path.bytes().map(|b| if plain(b) { (b as char).to_string() } else { format!("%{b:02X}") }).collect()
}

fn code_flow(finding: &Finding) -> Value {
    let skip = finding.trace.len().saturating_sub(MOST_STEPS);
    let mut steps: Vec<Value> = finding.trace[skip..]
        .iter()
        .filter(|s| s.place.is_known())
        .map(|s| flow_step(&s.place, &s.function, &format!("{}: {}", s.what, s.text), s.depth, "important"))
        .collect();
    steps.push(flow_step(&finding.place, &finding.function, &finding.message, 0, "essential"));
    json!({"threadFlows": [{"locations": steps}]})
}

fn flow_step(place: &Place, function: &str, text: &str, depth: u32, importance: &str) -> Value {
    let mut at = location(place, Some(function));
    at["message"] = json!({"text": text});
    json!({"location": at, "nestingLevel": depth, "importance": importance})
}

fn related(finding: &Finding) -> Vec<Value> {
    let Some(info) = &finding.object_info else { return Vec::new() };
    let entry = |frames: &[StackFrame], text: &str| {
        let frame = frames.first().filter(|f| f.place.is_known())?;
        let mut at = location(&frame.place, Some(&frame.function));
        at["message"] = json!({"text": text});
        Some(at)
    };
    let all =
        [entry(&info.allocated, "the object was allocated here"), entry(&info.freed, "the object was freed here")];
    all.into_iter().flatten().collect()
}
