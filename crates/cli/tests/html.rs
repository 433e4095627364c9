//! The HTML report in a browser: the trace is walked with the keyboard, and each step shows its line, values and memory.
//!
//! Chromium without a window loads a copy of the page to which a script was added; the script presses keys and leaves what
//! it saw in the document, which Chromium then prints.

mod common;

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAM: &str = include_str!("data/walk.c");

/// Presses keys from the first step to the last and notes what is shown.
const WALK: &str = r##"<script>
const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const text = (where) => [...document.querySelectorAll(where)].map((n) => n.textContent);
const seen = [];
press("Home");
for (let last = -1; Number(document.body.dataset.step) !== last;) {
  last = Number(document.body.dataset.step);
  seen.push({
    line: Number(document.querySelector("#code .here").dataset.line),
    step: document.querySelector("#steps .here").textContent.trim(),
    values: Object.fromEntries([...document.querySelectorAll("#values tr[data-name]")].map((r) => [r.dataset.name, r.lastChild.textContent])),
    memory: text("#memory .memory span"),
    picture: text("#picture .touched"),
  });
  press(seen.length % 2 ? "j" : "ArrowDown");
}
press("k");
const back = Number(document.body.dataset.step);
const search = document.getElementById("search");
search.value = "fill";
search.dispatchEvent(new Event("input"));
const found = text("#properties a");
search.value = "no such function";
search.dispatchEvent(new Event("input"));
const nothing = text("#properties a");
const result = document.createElement("pre");
result.id = "result";
result.textContent = JSON.stringify({ seen, back, found, nothing, summary: document.getElementById("summary").textContent });
document.body.append(result);
</script>
"##;

/// What a script leaves in a copy of a page that it was added to.
fn walked(page: &Path, script: &str) -> Value {
    let text = std::fs::read_to_string(page).expect("a report should be written");
    assert!(!text.contains("src=\"") && !text.contains("href=\"http"), "the page should need nothing beside it");
    let copy = page.with_file_name("walk.html");
    std::fs::write(&copy, text.replace("</body>", &format!("{script}</body>"))).expect("writable");
    let output = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--virtual-time-budget=5000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", page.with_file_name("profile").display()))
        .arg(format!("file://{}", copy.display()))
        .stdin(Stdio::null())
        .output()
        .expect("chromium should start (make deps-test installs it)");
    let dom = String::from_utf8_lossy(&output.stdout);
    let json = dom.split("<pre id=\"result\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let json =
        json.unwrap_or_else(|| panic!("the page's script should run: {}", String::from_utf8_lossy(&output.stderr)));
    let json = json.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&json).expect("the walk should be JSON")
}

#[test]
fn a_trace_is_walked_with_the_keyboard() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("walk.c"), PROGRAM).expect("writable");
    let status = Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(["check", "walk.c", "--no-native", "--quiet"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("blitz should start");
    assert_eq!(status.code(), Some(10));
    let walk = walked(&folder.path().join("blitz-out/latest/report.html"), WALK);
    let seen = walk["seen"].as_array().expect("steps");
    assert!(seen.len() >= 20, "{} steps", seen.len());
    assert_eq!(walk["back"].as_u64(), Some(seen.len() as u64 - 2), "one step back from the last");
    let last = &seen[seen.len() - 1];
    assert_eq!(last["line"], 5, "{last}");
    assert!(last["step"].as_str().is_some_and(|s| s.contains("violation")), "{last}");
    assert_eq!(last["values"]["i"], "5", "{last}");
    assert_eq!(last["picture"], serde_json::json!(["5"]), "{last}");
    let cells: Vec<&str> = last["memory"].as_array().expect("cells").iter().filter_map(Value::as_str).collect();
    for (n, letter) in ["97 ('a')", "98 ('b')", "99 ('c')", "100 ('d')", "101 ('e')"].iter().enumerate() {
        assert!(cells.contains(letter), "byte {n} of the object: {cells:?}");
    }
    let first_call =
        seen.iter().find(|s| s["step"].as_str().is_some_and(|t| t.contains("call: fill"))).expect("a call");
    assert_eq!(first_call["line"], 14, "{first_call}");
    assert!(walk["found"].as_array().is_some_and(|l| !l.is_empty()), "search should find the function");
    assert_eq!(walk["nothing"], serde_json::json!([]));
    assert!(walk["summary"].as_str().is_some_and(|s| s.contains("1 violated")), "{}", walk["summary"]);
}

/// Turns to what callers have to see to, by its key.
const NEEDS: &str = r##"<script>
document.dispatchEvent(new KeyboardEvent("keydown", { key: "2", bubbles: true }));
const shown = [...document.querySelectorAll("#needs tr")].map((row) => row.textContent);
const result = document.createElement("pre");
result.id = "result";
result.textContent = JSON.stringify({ shown, keys: document.getElementById("keys").textContent });
document.body.append(result);
</script>
"##;

#[test]
fn preconditions_have_a_table_of_their_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("first.c"), "int first(int *p) { return *p; }\n").expect("writable");
    common::blitz(folder.path(), &["check", "first.c", "--entries", "all", "--no-native", "--out", "out"]);
    let page = walked(&folder.path().join("out/report.html"), NEEDS);
    assert!(page["keys"].as_str().is_some_and(|k| k.starts_with("1 violations 2 needs")), "{page}");
    let shown = page["shown"].to_string();
    assert!(shown.contains("p != NULL") && shown.contains("null-deref"), "{page}");
}
