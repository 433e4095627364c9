//! Models with mistakes: every one is refused in one sentence that names the line, or decided; none makes a reader or an engine panic.
//!
//! Each is a model of tests/hw with a few random changes. Quick runs take 100 of each language, `HW_MUTATIONS=2000` more.

use blitz_base::{Budget, Work};
use blitz_hw::explicit::random::{Rng, aiger};
use blitz_hw::{Language, Options, check};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// What a model that is still one may cost.
const WORK: Work = Work::about_millis(50);
/// A counterexample of more steps is not looked for.
const BOUND: usize = 6;

fn count() -> u64 {
    std::env::var("HW_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(100)
}

/// The models of tests/hw with this ending, sorted.
fn models(ending: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/hw");
    let entries = std::fs::read_dir(folder).expect("tests/hw should be there");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry should be readable").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == ending));
    paths.sort();
    paths.iter().map(|p| std::fs::read(p).expect("a model should be readable")).collect()
}

/// Words that are numbers, keywords or neither.
const WORDS: [&str; 16] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "4294967295",
    "18446744073709551616",
    "99999999999999999999",
    "sort",
    "array",
    "next",
    "(",
    ")",
    ";",
    "\u{e9}",
    "TRUE",
];

fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let at = rng.below(bytes.len());
    match rng.below(7) {
        0 => bytes[at] = rng.bits() as u8,
        1 => bytes[at] ^= 1 << rng.below(7),
        2 => drop(bytes.remove(at)),
        3 => bytes.truncate(at),
        4 => replace_word(rng, bytes),
        _ => change_lines(rng, bytes),
    }
}

fn replace_word(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let mut words: Vec<Vec<u8>> = bytes.split(|&b| b == b' ').map(<[u8]>::to_vec).collect();
    let at = rng.below(words.len());
    words[at] = match rng.below(3) {
        0 => words[rng.below(words.len())].clone(),
        _ => WORDS[rng.below(WORDS.len())].as_bytes().to_vec(),
    };
    *bytes = words.join(&b' ');
}

fn change_lines(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let mut lines: Vec<Vec<u8>> = bytes.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    let (a, b) = (rng.below(lines.len()), rng.below(lines.len()));
    match rng.below(3) {
        0 => lines.swap(a, b),
        1 => lines.insert(a, lines[b].clone()),
        _ => drop(lines.remove(a)),
    }
    *bytes = lines.join(&b'\n');
}

/// What is wrong with how a model is taken, if something is.
fn fault(language: Language, bytes: &[u8]) -> Result<bool, String> {
    let loaded = match language.read(bytes) {
        Ok(loaded) => loaded,
        Err(e) => {
            let sentence = e.to_string();
            let known = e.line.is_some() || sentence == "the file is no text";
            return if known && !sentence.contains('\n') {
                Ok(false)
            } else {
                Err(format!("it is refused so: {sentence}"))
            };
        }
    };
    let options = Options { bound: Some(BOUND), ..Options::default() };
    check(&loaded.ts, &options, &Budget::unlimited().worth(WORK));
    Ok(true)
}

/// A model of `random::aiger`, whose variables are in the order that the binary format wants.
fn binary(text: &str) -> Vec<u8> {
    let mut lines = text.lines();
    let header = lines.next().expect("a model should have a header");
    let counts: Vec<usize> = header.split(' ').skip(1).map(|n| n.parse().expect("a count")).collect();
    let ands = counts[4];
    let lines: Vec<&str> = lines.skip(counts[1]).collect();
    let (head, gates) = lines.split_at(lines.len() - ands);
    let mut bytes = format!("aig{}\n", &header[3..]).into_bytes();
    for (at, line) in head.iter().enumerate() {
        // A latch's own literal is implied.
        let line = if at < counts[2] { line.split_once(' ').expect("a latch has a next value").1 } else { line };
        bytes.extend(line.bytes().chain([b'\n']));
    }
    for gate in gates {
        let lits: Vec<u32> = gate.split(' ').map(|n| n.parse().expect("a literal")).collect();
        for mut delta in [lits[0] - lits[1], lits[1] - lits[2]] {
            while delta >= 128 {
                bytes.push(delta as u8 | 128);
                delta >>= 7;
            }
            bytes.push(delta as u8);
        }
    }
    bytes
}

#[test]
fn binary_models_are_the_ascii_ones() {
    for seed in 0..count() {
        let text = aiger(&mut Rng::new(seed));
        let bytes = binary(&text);
        let [ascii, binary] =
            [text.as_bytes(), &bytes].map(|b| Language::Aiger.read(b).unwrap_or_else(|e| panic!("{seed}: {e}")));
        let options = Options { bound: Some(BOUND), ..Options::default() };
        let names = |ts| {
            let outcome = check(ts, &options, &Budget::unlimited());
            outcome.results.iter().map(|r| r.status.name()).collect::<Vec<_>>()
        };
        assert_eq!(names(&ascii.ts), names(&binary.ts), "{seed}");
    }
}

#[test]
fn binary_aiger_with_mistakes() {
    let models: Vec<Vec<u8>> = (0..40).map(|seed| binary(&aiger(&mut Rng::new(seed)))).collect();
    hold(Language::Aiger, "aig", &models);
}

fn hold(language: Language, ending: &str, models: &[Vec<u8>]) {
    let mut refused = 0;
    for seed in 0..count() {
        let mut rng = Rng::new(seed);
        let mut bytes = models[rng.below(models.len())].clone();
        for _ in 0..1 + rng.below(3) {
            mutate(&mut rng, &mut bytes);
        }
        let found = catch_unwind(AssertUnwindSafe(|| fault(language, &bytes)));
        let found = found.unwrap_or_else(|_| Err("it makes blitz panic".to_owned()));
        let text = || String::from_utf8_lossy(&bytes).into_owned();
        refused += u64::from(!found.unwrap_or_else(|wrong| panic!("{ending} {seed}: {wrong}\n{}", text())));
    }
    assert!(refused * 4 > count() && refused < count(), "{refused} of {} are refused", count());
}

#[test]
fn aiger_with_mistakes() {
    hold(Language::Aiger, "aag", &models("aag"));
}

#[test]
fn btor2_with_mistakes() {
    hold(Language::Btor2, "btor2", &models("btor2"));
}

#[test]
fn smv_with_mistakes() {
    hold(Language::Smv, "smv", &models("smv"));
}
