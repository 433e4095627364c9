//! `blitz ir`: the program as the engines see it.

use crate::args::IrArgs;
use crate::input;
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use blitz_ir::{FuncId, Program};

pub fn ir(args: &IrArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let loaded = input::load(&args.inputs, &args.clang.flags, input::Environment::Model, terminal)?;
    let funcs = chosen(&loaded.program, args)?;
    terminal.result(&loaded.program.text_of(&funcs).to_string());
    Ok(Exit::Success)
}

fn chosen(program: &Program, args: &IrArgs) -> Result<Vec<FuncId>, Fault> {
    if args.function.is_empty() {
        return Ok(input::functions(program).filter(|f| args.models || !program.decl(*f).model).collect());
    }
    args.function
        .iter()
        .map(|name| program.func_named(name).ok_or_else(|| Fault::new(format!("there is no function `{name}`"))))
        .collect()
}
