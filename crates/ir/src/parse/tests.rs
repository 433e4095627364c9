use crate::testing::{Rng, generate};
use crate::{TargetInfo, parse, passes, verify};

#[test]
fn what_is_printed_is_read_back() {
    let mut rng = Rng(3);
    let target = TargetInfo::new(64);
    for _ in 0..300 {
        let mut func = generate::body(&mut rng);
        for _ in 0..2 {
            let text = func.to_string();
            let back = parse::func(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert!(verify::func(&back, target).is_empty());
            assert_eq!(back.to_string(), text);
            assert_eq!(back.blocks.len(), func.blocks.len());
            passes::clean(&mut func, target);
        }
    }
}

/// Every instruction and terminator, every kind of constant and of declaration.
const EVERYTHING: &str = include_str!("everything.ir");

#[test]
fn every_instruction_is_read_back() {
    let program = parse::program(EVERYTHING).unwrap_or_else(|e| panic!("{e}"));
    let errors = verify::program(&program);
    assert!(errors.is_empty(), "{}", errors[0]);
    let text = program.text().to_string();
    let strip = |t: &str| -> Vec<String> {
        let code = |l: &str| l.split("  ;").next().unwrap_or("").trim().to_string();
        t.lines().map(code).filter(|l| !l.is_empty()).collect()
    };
    assert_eq!(strip(&text), strip(EVERYTHING));
    assert!(text.contains("; main.assertion.1"), "{text}");
}

#[test]
fn broken_texts_are_refused_with_their_line() {
    let cases = [
        ("block0:\n  v0: i32 = add 1:i32\n  return", 3, "','"),
        ("block0:\n  frob v1\n  return", 2, "frob"),
        ("block1:\n  return", 1, "out of order"),
        ("block0:\n  v0: i8 = add 1:i8, 300:i8\n  return", 2, "300"),
        ("block0:\n  v0: i8 = load null\n  v0: i8 = load null\n  return", 3, "twice"),
        ("block0:\n  unsupported \"x", 2, "without an end"),
        ("block0:\n  return v4000000000", 1, "proportion"),
        ("block0:\n  return v3", 2, "not defined"),
        ("block0:\n  debug var0", 2, "','"),
        ("block0:", 1, "the end"),
        ("block0:\n  return \u{fc}", 2, "unexpected character"),
    ];
    for (text, line, message) in cases {
        let error = parse::func(text).expect_err(text);
        assert!(error.message.contains(message), "{text}: {error}");
        assert_eq!(error.line, line, "{text}: {error}");
    }
}

#[test]
fn mutated_texts_never_panic() {
    let mut rng = Rng(11);
    for _ in 0..3000 {
        let mut bytes = EVERYTHING.as_bytes().to_vec();
        for _ in 0..1 + rng.below(4) {
            let at = rng.below(bytes.len());
            match rng.below(3) {
                0 => bytes[at] = b" :,()[]{}=\"@v19-+;x\n"[rng.below(20)],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"0123456789abcdef(){}"[rng.below(20)]),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(program) = parse::program(&text) {
            let _ = verify::program(&program);
        }
    }
}
