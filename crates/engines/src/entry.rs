//! Where execution begins: the start code for `main`, or a function with arbitrary arguments.

use crate::Refused;
use crate::config::CheckConfig;
use blitz_base::Bv;
use blitz_ir::{FuncId, Program, Type};
use blitz_term::{Sort, Term, Terms};

/// The start code of the libc models.
const START: &str = "__blitz_entry";

/// The function to run and, if it is not the start code, its name.
pub(crate) struct EntryPoint {
    pub func: FuncId,
    pub named: Option<String>,
}

pub(crate) fn find(program: &Program, config: &CheckConfig) -> Result<EntryPoint, Refused> {
    if config.entry == "main"
        && let Some(func) = program.func_named(START)
        && program.decl(func).has_body
    {
        return Ok(EntryPoint { func, named: None });
    }
    let missing = || {
        Refused(format!("there is no function `{}` with a body to start from (--entry names another)", config.entry))
    };
    let func = program.func_named(&config.entry).ok_or_else(missing)?;
    if !program.decl(func).has_body {
        return Err(missing());
    }
    Ok(EntryPoint { func, named: Some(config.entry.clone()) })
}

/// Arbitrary arguments: integers and floats are free, pointers are null.
pub(crate) fn arguments(program: &Program, terms: &mut Terms, func: FuncId) -> Vec<Term> {
    let decl = program.decl(func);
    let bits = program.target.ptr_bits;
    let plain = decl.signature.params.len() - decl.shadow_params as usize;
    let mut args: Vec<Term> = decl
        .signature
        .params
        .iter()
        .enumerate()
        .map(|(i, ty)| match ty {
            // What is passed is determinate.
            _ if i >= plain => terms.zero(ty.bits(bits)),
            Type::Ptr => terms.zero(bits),
            Type::Int(_) | Type::Float(_) => terms.var(&format!("argument {i}"), Sort::Bv(ty.bits(bits))),
        })
        .collect();
    if decl.signature.variadic {
        args.push(terms.zero(bits));
    }
    args
}

/// The values of the arguments under a model.
pub(crate) fn argument_values(terms: &Terms, args: &[Term], mut value: impl FnMut(&Terms, Term) -> Bv) -> Vec<Bv> {
    args.iter().map(|&a| value(terms, a)).collect()
}
