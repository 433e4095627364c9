//! Services of the host, as the host variant of the libc models asks for them.

use blitz_base::Budget;
use blitz_interp::{Entry, InputSource, Outcome, RunConfig, RunResult, run};
use blitz_ir::parse;

/// Runs a `main` with this body; `global0` is a constant string, `global1` a buffer of 64 bytes.
fn run_main(text: &str, body: &str, config: RunConfig) -> RunResult {
    let hex: String = text.bytes().map(|b| format!("{b:02x}")).collect();
    let program = format!(
        "target 64
global0 = \"text\" \"char[]\" size {size} align 1 constant init #{hex}
global1 = \"buffer\" \"char[64]\" size 64 align 16 init #
func0 = \"main\" () -> (i32) {{
block0:
{body}}}
",
        size = text.len() + 1,
    );
    let program = match parse::program(&program) {
        Ok(p) => p,
        Err(e) => panic!("the test's program should parse: {e}\n{program}"),
    };
    let config = RunConfig { entry: Entry::Func("main".into(), Vec::new()), ..config };
    run(&program, &config, &Budget::unlimited())
}

fn status(result: &RunResult) -> i32 {
    match &result.outcome {
        Outcome::Exit(status) => *status,
        other => panic!("the run should end normally, not with {other:?}"),
    }
}

/// A call of service `number` with up to six arguments, `v{n}` its result.
fn service(n: u32, number: u32, args: &[&str]) -> String {
    let mut all: Vec<&str> = args.to_vec();
    all.resize(6, "0:i64");
    format!("  v{n}: i64 = builtin host({number}:i32, {})\n", all.join(", "))
}

const TEXT_ADDRESS: &str = "  v0: i64 = ptrtoint global0\n  v1: i64 = ptrtoint global1\n";

#[test]
fn writes_go_to_the_sink() {
    let body = format!("{TEXT_ADDRESS}{}  v3: i32 = trunc v2\n  return v3\n", service(2, 2, &["1:i64", "v0", "5:i64"]));
    let result = run_main("hello", &body, RunConfig::default());
    assert_eq!((status(&result), result.written(1)), (5, b"hello".to_vec()));
}

#[test]
fn arguments_come_one_after_the_other() {
    let call = service(2, 35, &["v1", "64:i64"]) + &service(3, 36, &[]) + &service(4, 2, &["2:i64", "v1", "v2"]);
    let body = format!("{TEXT_ADDRESS}{call}  v5: i32 = trunc v3\n  return v5\n");
    let config = RunConfig { args: vec![b"p".to_vec(), b"xy".to_vec()], ..RunConfig::default() };
    let result = run_main("", &body, config);
    assert_eq!((status(&result), result.written(2)), (2, b"p\0xy\0".to_vec()));
}

#[test]
fn floats_are_printed_by_the_c_library() {
    let call = service(2, 22, &["v1", "64:i64", "v0", "v4", "0:i64"]) + &service(3, 2, &["1:i64", "v1", "v2"]);
    let body = format!(
        "{TEXT_ADDRESS}  v4: i64 = add v1, 32:i64\n  v5: ptr = inttoptr v4\n  store v5, #x400921fb54442d18:f64\n{call}  return 0:i32\n"
    );
    let result = run_main("%.3f", &body, RunConfig::default());
    assert_eq!((status(&result), result.written(1)), (0, b"3.142".to_vec()));
}

#[test]
fn files_are_written_and_read_back() {
    let path = std::env::temp_dir().join(format!("blitz-interp-{}", std::process::id()));
    let open = |n: u32, flags: i32| service(n, 3, &["v0", &format!("{flags}:i64"), "384:i64"]);
    let calls = [
        open(2, libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC),
        service(3, 2, &["v2", "v0", "4:i64"]),
        service(4, 5, &["v2", "0:i64", "0:i64"]),
        service(5, 1, &["v2", "v1", "64:i64"]),
        service(6, 4, &["v2"]),
        service(7, 1, &["v2", "v1", "64:i64"]),
        service(8, 8, &["v0"]),
    ]
    .concat();
    let body = format!(
        "{TEXT_ADDRESS}{calls}  v9: i64 = mul v5, 100:i64\n  v10: i64 = sub v9, v7\n  v11: i32 = trunc v10\n  return v11\n"
    );
    let result = run_main(&path.to_string_lossy(), &body, RunConfig::default());
    assert_eq!(status(&result), 400 + libc::EBADF);
    assert!(!path.exists(), "the file should have been removed");
}

#[test]
fn a_replay_never_touches_the_world() {
    let body = format!("{TEXT_ADDRESS}{}  return 0:i32\n", service(2, 8, &["v0"]));
    let config = RunConfig { inputs: InputSource::Recorded(Vec::new()), ..RunConfig::default() };
    let result = run_main("nothing", &body, config);
    assert!(
        matches!(&result.outcome, Outcome::Unsupported { what, .. } if what.to_string().contains("replay")),
        "{:?}",
        result.outcome
    );
}
