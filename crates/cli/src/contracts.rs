//! What the command line asks of contracts, and whether the program has them.

use crate::Fault;
use crate::args::InputArgs;
use blitz_frontend::driver::{ASSUMED, Contracts, ENFORCED};
use blitz_frontend::shown_name;
use blitz_ir::Program;
use blitz_workflow::suggest::did_you_mean;

/// What is put in force for a check that begins with this function: what its own contract requires is assumed, what those of others require is
/// checked at their calls.
pub fn asked(args: &InputArgs, entry: Option<&str>) -> Contracts {
    let begins = |name: &&String| entry == Some(function(name));
    Contracts {
        enforce: args.enforce.iter().filter(begins).cloned().collect(),
        check: args.enforce.iter().filter(|n| !begins(n)).cloned().collect(),
        replace: args.replace.clone(),
        loops: args.loop_contracts,
        silence_assigns_nothing: false,
        assumed: if entry.is_some_and(|e| e != "main") { args.assume.clone() } else { Vec::new() },
    }
}

/// `f/g` is the function `f` with the contract of `g`.
pub fn function(asked: &str) -> &str {
    asked.split('/').next().unwrap_or(asked)
}

/// Every contract that is asked for has to be there: of a mistyped one nothing would ever be violated.
pub fn found(args: &InputArgs, program: &Program) -> Result<(), Fault> {
    for asked in args.enforce.iter().chain(&args.replace) {
        if !has_contract(program, asked) {
            return Err(missing(asked, program));
        }
    }
    Ok(())
}

/// What is assumed has to speak of the function that the check begins with.
pub fn assumptions_fit(args: &InputArgs, program: &Program, entry: &str) -> Result<(), Fault> {
    if args.assume.is_empty() || is_assumed_of(program, entry) {
        return Ok(());
    }
    if entry == "main" {
        return Err(Fault::new("--assume speaks of the arguments of a function: it needs --entry FUNC or --entries"));
    }
    Err(Fault::new(format!(
        "--assume {}: that speaks of no parameter of `{entry}`, or of a name that its file does not have",
        args.assume.join(" and ")
    )))
}

/// Whether some of what is assumed speaks of this function.
fn is_assumed_of(program: &Program, entry: &str) -> bool {
    program.func_named(&shown_name(&format!("{ASSUMED}{entry}"))).is_some()
}

/// Whether a function is one that contracts put in front of another.
pub fn is_wrapper(name: &str) -> bool {
    name.ends_with(".contract") || name.ends_with(".assumption")
}

/// Whether a contract that was asked for is in force.
pub fn has_contract(program: &Program, asked: &str) -> bool {
    program.func_named(&shown_name(&format!("{ENFORCED}{}", function(asked)))).is_some()
}

fn missing(asked: &str, program: &Program) -> Fault {
    let name = function(asked);
    let user = program.funcs.iter().filter(|f| !f.model).map(|f| f.name.as_str());
    let exists = user.clone().any(|n| n == name);
    let near = if exists { String::new() } else { did_you_mean(name, user) };
    Fault::new(format!(
        "`{asked}` has no contract that is seen: __CPROVER_requires, __CPROVER_ensures and __CPROVER_assigns stand behind its parameters{near}"
    ))
}

/// What an answer rests on.
pub fn notes(args: &InputArgs, program: &Program, entry: &str) -> Vec<String> {
    let replaced = args.replace.iter().map(|name| {
        format!(
            "`{name}` is replaced by its contract: `safe` holds if it keeps to that (--enforce {name}), and a violation behind its call may rest on \
             results that it never gives"
        )
    });
    let loops =
        args.loop_contracts.then(|| "loops with invariants are replaced by these, which are checked".to_owned());
    let fits = is_assumed_of(program, entry);
    let assumed = args.assume.iter().filter(|_| fits).map(|text| format!("only calls with {text} were looked at"));
    replaced.chain(loops).chain(assumed).collect()
}
