//! The explore engine over the corpus: it says what the programs say of themselves. Quick runs take a part, `BLITZ_TEST_LONG=1` takes all.
//!
//! A tree that is not complete says nothing about what was not found, so where the time ends the search only invented violations count as wrong.

mod common;

use common::Case;

const EVERY: usize = 12;

#[test]
fn explore_says_what_the_corpus_says() {
    let mut cases = common::all_cases();
    // Programs for one engine: too large for the others, or with marks for one property alone.
    cases.retain(|c| c.topic != "compositional" && c.key("property").is_none() && c.key("known-bug").is_none());
    if !common::long() {
        cases.retain(|c| c.key("slow").is_none());
        cases = cases.into_iter().step_by(EVERY).collect();
    }
    common::for_all(&cases, agrees);
}

fn agrees(case: &Case) -> Result<(), String> {
    let out = tempfile::tempdir().map_err(|e| e.to_string())?;
    let path = case.path.display().to_string();
    let folder = format!("--out={}", out.path().display());
    let mut args: Vec<String> = ["check", "--engine=explore", "--no-native", "--format=json", "--timeout=60s"]
        .into_iter()
        .map(str::to_owned)
        .chain([folder, path])
        .collect();
    for (key, option) in [("checks", "--checks"), ("unwind", "--unwind"), ("flags", "--cflags"), ("alloc", "--alloc")] {
        args.extend(case.key(key).map(|value| format!("{option}={value}")));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let output = common::blitz(&common::root(), &args);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("no report ({e}): {}", String::from_utf8_lossy(&output.stderr)))?;
    let verdict = report["verdict"].as_str().unwrap_or("?");
    let found: Vec<(u32, String)> = report["violations"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|v| (v["line"].as_u64().unwrap_or(0) as u32, v["kind"].as_str().unwrap_or("?").to_owned()))
        .collect();
    if let Some(invented) = found.iter().find(|f| !case.marks.contains(f)) {
        return Err(format!("invented {invented:?}"));
    }
    let out_of_time = report["reason"].as_str().is_some_and(|r| r.contains("out of time"));
    let wanted = case.key("verdict").unwrap_or("?");
    let missing = verdict == "violation" && case.marks.iter().any(|m| !found.contains(m));
    if (verdict == wanted && !missing) || (verdict != "safe" && out_of_time) {
        return Ok(());
    }
    Err(format!("{verdict} ({}), not {wanted}; found {found:?}", report["reason"]))
}
