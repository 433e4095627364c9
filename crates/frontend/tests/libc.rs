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
