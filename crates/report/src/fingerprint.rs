//! What a finding is recognised by after the file around it has changed: its kind, its function and the text of its line,
//! not the line's number.

use crate::finding::Finding;
use crate::source::Sources;

/// A fingerprint for each finding; findings that look alike are counted.
pub fn fingerprints(findings: &[Finding], sources: &mut Sources) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    let mut prints = Vec::new();
    for finding in findings {
        let mark = marks(finding, sources);
        let before = seen.iter().filter(|m| **m == mark).count();
        prints.push(format!("{:016x}:{}", hash(mark.as_bytes()), before + 1));
        seen.push(mark);
    }
    prints
}

fn marks(finding: &Finding, sources: &mut Sources) -> String {
    let text = sources.line(&finding.place.file, finding.place.line).unwrap_or_default();
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let file = finding.place.file.rsplit('/').next().unwrap_or_default();
    [&finding.kind, file, &finding.function, &text].join("\0")
}

/// FNV-1a: the same everywhere and for ever.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3))
}
