//! Measures instructions a second on a loop of arithmetic, checked memory accesses and a call.

use blitz_base::Budget;
use blitz_interp::{Entry, RunConfig, run};
use blitz_ir::parse;

const TEXT: &str = r#"target 64
prop0 = "main.buffer-overflow.1" buffer-overflow func0 "out of bounds"
prop1 = "main.signed-overflow.1" signed-overflow func0 "overflow"
prop2 = "main.uninitialised.1" uninitialised func0 "not set"
func0 = "main" () -> (i32) {
block0:
  v1: ptr = alloca 4096:i64, align 16
  memset v1, 1:i8, 4096:i64
  jump block1(0:i64, 0:i32)
block1(v2: i64, v3: i32):
  v4: i1 = ult v2, 10000000:i64
  branch v4, block2, block5
block2:
  v5: i64 = and v2, 1023:i64
  v6: i64 = mul v5, 4:i64
  v7: ptr = ptradd v1, v6
  checkmem read v7, 4:i64 [buffer-overflow prop0]
  v8: i32 = load v7
  v9: i32 = load.shadow v7
  v10: i1 = eq v9, 0:i32
  check v10, prop2
  v11: i32 = xor v3, v8
  v12: i1 = sadd.overflow v11, 1:i32
  v13: i1 = eq v12, 0:i1
  check v13, prop1
  v14: i32 = add v11, 1:i32
  v15: i32 = and v14, 65535:i32
  checkmem write v7, 4:i64 [buffer-overflow prop0]
  store v7, v15
  v16: i64 = and v2, 15:i64
  v17: i1 = eq v16, 0:i64
  branch v17, block3, block4(v15)
block3:
  v18: i32 = call func1(v15, v3) : (i32, i32) -> (i32)
  jump block4(v18)
block4(v19: i32):
  v20: i64 = add v2, 1:i64
  jump block1(v20, v19)
block5:
  v21: i32 = and v3, 127:i32
  return v21
}
func1 = "mix" (i32, i32) -> (i32) {
block0(v0: i32, v1: i32):
  v2: ptr = alloca 4:i64, align 4
  store v2, v0
  v3: i32 = load v2
  v4: i32 = xor v3, v1
  return v4
}
"#;

fn main() {
    let program = parse::program(TEXT).expect("the program should parse");
    let config = RunConfig { entry: Entry::Func("main".into(), Vec::new()), ..RunConfig::default() };
    let start = std::time::Instant::now();
    let result = run(&program, &config, &Budget::unlimited());
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{:?}: {} instructions, {:.0} million a second",
        result.outcome,
        result.steps,
        result.steps as f64 / seconds / 1e6
    );
}
