//! The formats of a report: JSON and SARIF against their schemas, fingerprints, witnesses, JUnit.

mod common;
#[path = "common/yaml.rs"]
mod yaml;

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const PROGRAM: &str = include_str!("data/walk.c");

struct Checked {
    folder: tempfile::TempDir,
    stdout: String,
}

impl Checked {
    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join("out").join(name)).expect("a report should be written")
    }

    fn kit(&self) -> PathBuf {
        self.folder.path().join("out/repro/fill.buffer-overflow.1")
    }
}

fn check(source: &str, args: &[&str]) -> Checked {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("walk.c"), source).expect("writable");
    let output = Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(["check", "walk.c", "--out", "out", "--no-native"])
        .args(args)
        .current_dir(folder.path())
        .env("SOURCE_DATE_EPOCH", "1700000000")
        .stdin(Stdio::null())
        .output()
        .expect("blitz should start");
    assert_eq!(output.status.code(), Some(10), "{}", String::from_utf8_lossy(&output.stderr));
    Checked { folder, stdout: String::from_utf8_lossy(&output.stdout).into_owned() }
}

/// One check for all tests.
fn shared() -> &'static Checked {
    static CHECKED: OnceLock<Checked> = OnceLock::new();
    CHECKED.get_or_init(|| check(PROGRAM, &["--format", "json"]))
}

fn schema(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a schema should be readable");
    serde_json::from_str(&text).expect("a schema should be JSON")
}

fn json_schema() -> Value {
    schema(&common::root().join("docs/report.schema.json"))
}

/// What of a value is not as a schema says. Knows the words that our schemas use, and no others.
fn complaints(schema: &Value, root: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    for (word, wanted) in schema.as_object().expect("a schema should be an object") {
        match word.as_str() {
            "$ref" => {
                let path = wanted.as_str().and_then(|r| r.strip_prefix('#')).expect("a reference should be local");
                let target = root.pointer(path).expect("a reference should lead somewhere");
                complaints(target, root, value, at, found);
            }
            "type" if !is_type(value, wanted.as_str().unwrap_or("")) => found.push(format!("{at} is no {wanted}")),
            "const" if value != wanted => found.push(format!("{at} is {value}, not {wanted}")),
            "enum" if !wanted.as_array().is_some_and(|list| list.contains(value)) => {
                found.push(format!("{at} is {value}, not one of {wanted}"));
            }
            "minimum" if value.as_f64() < wanted.as_f64() => found.push(format!("{at} is less than {wanted}")),
            "required" => {
                for name in wanted.as_array().into_iter().flatten().filter_map(Value::as_str) {
                    if value.is_object() && value.get(name).is_none() {
                        found.push(format!("{at} has no {name}"));
                    }
                }
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    complaints(wanted, root, item, &format!("{at}[{i}]"), found);
                }
            }
            "properties" | "additionalProperties" => {}
            "type" | "const" | "enum" | "minimum" | "title" | "$schema" | "$id" | "$defs" => {}
            other => panic!("the test does not know `{other}` of JSON Schema"),
        }
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        let inner = format!("{at}.{name}");
        match (schema["properties"].get(name), schema.get("additionalProperties")) {
            (Some(wanted), _) => complaints(wanted, root, member, &inner, found),
            (None, Some(Value::Bool(false))) => found.push(format!("{inner} is not in the schema")),
            (None, Some(wanted @ Value::Object(_))) => complaints(wanted, root, member, &inner, found),
            (None, _) => {}
        }
    }
}

fn is_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("the test does not know the type `{other}`"),
    }
}

fn valid(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    complaints(schema, schema, value, "report", &mut found);
    found
}

#[test]
fn json_follows_its_schema() {
    let report: Value = serde_json::from_str(&shared().stdout).expect("a report should be JSON");
    let none: Vec<String> = Vec::new();
    assert_eq!(valid(&json_schema(), &report), none);
    let written: Value = serde_json::from_str(&shared().read("report.json")).expect("a report should be JSON");
    assert_eq!(report, written, "stdout and the file should say the same");
    // The schema is one that can be broken.
    for (pointer, wrong) in
        [("/violation/confirmed", json!("perhaps")), ("/properties/0/line", json!(-1)), ("/schema", json!(0))]
    {
        let mut broken = report.clone();
        *broken.pointer_mut(pointer).expect("the report should have this") = wrong;
        assert!(!valid(&json_schema(), &broken).is_empty(), "{pointer} should be noticed");
    }
    let mut broken = report;
    broken["violation"]["surprise"] = json!(1);
    assert!(!valid(&json_schema(), &broken).is_empty());
}

#[test]
fn sarif_follows_its_schema() {
    let log: Value = serde_json::from_str(&shared().read("report.sarif")).expect("SARIF should be JSON");
    let none: Vec<String> = Vec::new();
    assert_eq!(valid(&schema(&common::root().join("crates/cli/tests/data/sarif.schema.json")), &log), none);
    let run = &log["runs"][0];
    let result = &run["results"][0];
    let index = result["ruleIndex"].as_u64().expect("a rule") as usize;
    let rule = &run["tool"]["driver"]["rules"][index];
    assert_eq!((&rule["id"], &result["ruleId"]), (&json!("buffer-overflow"), &json!("buffer-overflow")));
    assert!(rule["properties"]["tags"].as_array().expect("tags").contains(&json!("external/cwe/cwe-119")));
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 5);
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("a flow");
    assert!(flow.len() >= 20, "{} steps", flow.len());
    assert_eq!(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 11);
}

#[test]
fn fingerprints_survive_lines_above_and_tell_lines_apart() {
    let print = |c: &Checked| {
        let log: Value = serde_json::from_str(&c.read("report.sarif")).expect("SARIF should be JSON");
        let result = &log["runs"][0]["results"][0];
        (
            result["partialFingerprints"]["blitz/v1"].clone(),
            result["locations"][0]["physicalLocation"]["region"]["startLine"].clone(),
        )
    };
    let (before, line) = print(shared());
    assert_eq!(line, 5);
    let moved = check(&format!("{}{PROGRAM}", "/* a line */\n".repeat(10)), &[]);
    assert_eq!(print(&moved), (before.clone(), json!(15)));
    let changed = check(&PROGRAM.replace("'a' + i", "'b' + i"), &[]);
    assert_ne!(print(&changed).0, before);
}

#[test]
fn witnesses_name_the_values_and_the_target() {
    let yaml = std::fs::read_to_string(shared().kit().join("witness.yml")).expect("a witness");
    let hash = "      input_file_hashes:\n        'walk.c': ";
    assert!(yaml.contains(hash), "{yaml}");
    let wanted = "  content:\n    - segment:\n        - waypoint:\n            type: function_return\n            action: follow\n            location:\n              file_name: 'walk.c'\n              line: 8\n              column: 33\n            constraint:\n              value: '\\result == 6'\n              format: ext_c_expression\n    - segment:\n        - waypoint:\n            type: target\n            action: follow\n            location:\n              file_name: 'walk.c'\n              line: 5\n              column: 10\n              function: 'fill'\n";
    assert!(yaml.ends_with(wanted), "{yaml}");
    for line in [
        "    format_version: '2.0'",
        "    creation_time: '2023-11-14T22:13:20Z'",
        "      data_model: LP64",
        "      specification: 'CHECK( init(main()), LTL(G valid-deref) )'",
    ] {
        assert!(yaml.lines().any(|l| l == line), "{line}: {yaml}");
    }
    let graph = std::fs::read_to_string(shared().kit().join("witness.graphml")).expect("a witness");
    assert_eq!(open_elements(&graph), Vec::<String>::new());
    for part in [
        "<data key=\"assumption\">\\result == 6;</data>",
        "<data key=\"violation\">true</data>",
        "<data key=\"witness-type\">violation_witness</data>",
    ] {
        assert!(graph.contains(part), "{part}: {graph}");
    }
}

#[test]
fn witnesses_follow_the_schema_of_their_format() {
    let schema = schema(&common::root().join("crates/cli/tests/data/witness.schema.json"));
    let text = std::fs::read_to_string(shared().kit().join("witness.yml")).expect("a witness");
    let witness = yaml::parse(&text);
    assert_eq!(valid(&schema, &witness), Vec::<String>::new());
    let segments = witness[0]["content"].as_array().expect("segments");
    let kinds: Vec<&Value> = segments.iter().map(|s| &s["segment"][0]["waypoint"]["type"]).collect();
    assert_eq!(kinds, ["function_return", "target"], "the target should come once, at the end");
    for (wrong, right) in [("action: follow", "action: go"), ("line: 5", "line: 0"), ("data_model: LP64", "data: LP64")]
    {
        assert!(!valid(&schema, &yaml::parse(&text.replace(wrong, right))).is_empty(), "{right} should be noticed");
    }
}

#[test]
fn preconditions_are_in_every_format_for_people() {
    let checked = check(PROGRAM, &["--engine", "compositional", "--format", "json"]);
    let report: Value = serde_json::from_str(&checked.stdout).expect("a report should be JSON");
    assert!(!report["violation"]["preconditions"].as_array().expect("a list").is_empty());
    assert!(checked.read("junit.xml").contains("it happens when"), "{}", checked.read("junit.xml"));
    let text = std::fs::read_to_string(checked.kit().join("witness.yml")).expect("a witness");
    let witness = yaml::parse(&text);
    let told = witness[0]["metadata"]["producer"]["description"].as_str().expect("a description");
    assert!(told.starts_with("it happens when fill ("), "{told}");
    let schema = schema(&common::root().join("crates/cli/tests/data/witness.schema.json"));
    assert_eq!(valid(&schema, &witness), Vec::<String>::new());
    let graph = std::fs::read_to_string(checked.kit().join("witness.graphml")).expect("a witness");
    assert!(graph.contains("<!-- it happens when"), "{graph}");
}

#[test]
fn junit_has_a_case_per_property() {
    let xml = shared().read("junit.xml");
    assert_eq!(open_elements(&xml), Vec::<String>::new());
    let report: Value = serde_json::from_str(&shared().stdout).expect("a report should be JSON");
    let properties = report["properties"].as_array().expect("a list").len();
    assert_eq!(xml.matches("<testcase ").count(), properties);
    assert_eq!(xml.matches("<failure ").count(), 1);
    assert!(xml.contains("message=\"access of 1 byte at offset 5 of a heap object of 5 bytes\""), "{xml}");
}

/// Elements of XML that are not closed in order.
fn open_elements(xml: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    for tag in xml.split('<').skip(1).filter_map(|t| t.split('>').next()) {
        let name: String =
            tag.trim_start_matches('/').chars().take_while(|c| !c.is_whitespace() && *c != '/').collect();
        if tag.starts_with(['?', '!']) || tag.ends_with('/') {
            continue;
        }
        match tag.strip_prefix('/') {
            Some(_) if open.last() == Some(&name) => {
                open.pop();
            }
            Some(_) => return vec![format!("</{name}> closes nothing")],
            None => open.push(name),
        }
    }
    open
}
