//! The libc models against glibc: built natively, called with random arguments, compared result by result.

use std::process::Command;

#[test]
fn models_agree_with_glibc() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/libc/tests/compare.sh");
    let output = Command::new("sh").args([script, "4000"]).output().expect("sh should run");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn every_model_declares_its_direction() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/libc/doc.py");
    let output = Command::new("python3").args([script, "--check"]).output().expect("python3 should run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
