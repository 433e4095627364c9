//! Prints the IR of bitcode files: `lower [--libc model|host] [--no-checks] [--quiet] [--load-only] FILE.bc... [--func NAME]`.

use blitz_frontend::{LibcVariant, LoadOptions, ModuleInput, load};
use blitz_ir::Checks;

fn main() {
    let mut options = LoadOptions {
        checks: Checks::default(),
        libc: LibcVariant::None,
        entry: None,
        unit: None,
        offset_bits: None,
        no_body: Default::default(),
    };
    let (mut modules, mut wanted, mut quiet, mut load_only) = (Vec::new(), Vec::new(), false, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--libc" => {
                options.libc = match args.next().as_deref() {
                    Some("host") => LibcVariant::Host,
                    _ => LibcVariant::Model,
                }
            }
            "--no-checks" => options.checks = Checks::none(),
            "--quiet" => quiet = true,
            "--load-only" => load_only = true,
            "--func" => wanted.extend(args.next()),
            file => modules.push(ModuleInput {
                name: file.to_string(),
                bytes: std::fs::read(file).expect("the file should be readable"),
                edits: Default::default(),
            }),
        }
    }
    let started = std::time::Instant::now();
    let program = match load(modules, &options) {
        Ok(program) => program,
        Err(e) => {
            eprintln!("{e}");
            std::process::exit(2);
        }
    };
    eprintln!(
        "loaded in {:?}: {} functions, {} globals",
        started.elapsed(),
        program.funcs.len(),
        program.globals.len()
    );
    if load_only {
        return;
    }
    if !quiet {
        if wanted.is_empty() {
            print!("{}", program.text());
        } else {
            let ids: Vec<_> = wanted.iter().filter_map(|n| program.func_named(n)).collect();
            print!("{}", program.text_of(&ids));
        }
    }
    let errors = blitz_ir::verify::program(&program);
    for e in errors.iter().take(40) {
        eprintln!("verify: {e}");
    }
    for f in (0..program.funcs.len()).map(blitz_ir::FuncId::new) {
        for data in program.body(f).map(|b| b.insts.as_slice()).unwrap_or_default() {
            if let blitz_ir::Inst::Unsupported { what } = &data.inst {
                eprintln!("{}: unsupported: {what}", program.decl(f).name);
            }
        }
    }
    eprintln!("{} errors, {} properties, all in {:?}", errors.len(), program.properties().len(), started.elapsed());
}
