//! Contracts in CBMC's syntax as C: of functions (`__CPROVER_requires` and its kin) and of loops.
//!
//! A function gets a *wrapper* beside it, and whoever calls the function calls the wrapper (`crate::redirect`, `crate::unit`):
//!
//! | wrapper | what it does | direction |
//! |---|---|---|
//! | enforced | assumes what the contract requires (asserts it, where the call is one of the program's), calls, asserts what it ensures; writes are held against the assigns clause | exact, for calls that keep to it |
//! | replaced | asserts what is required, lets the assigned memory hold anything, assumes what is ensured | *more*, if the function keeps its contract |
//! | assumed | assumes an expression of the user's (`--assume`), calls | exact, for such calls |
//!
//! A loop is cut into its first arrival, any iteration and what follows (`loops`).
//! What contracts do at run time (frames, stamps, fresh objects) is in `libc/src/contract.c`.
//!
//! A replaced function without an assigns clause may do whatever a function without a body may do, unless it is asked for CBMC's meaning
//! (nothing is assigned). Contracts that nobody asks for go, as in CBMC.
//!
//! Absent: `__CPROVER_obeys_contract`, functions as targets of assigns clauses. They are refused where they are reached.

mod changed;
mod clause;
mod declared;
mod expr;
mod functions;
mod loops;
mod place;
mod predicates;

use super::tokens::{Token, solid, split};
use declared::Declared;
use expr::Use;
use place::Places;
use predicates::Predicates;

/// What begins the names of wrappers; the function's own name follows.
pub const ENFORCED: &str = "__blitz_enforced_";
pub const REPLACED: &str = "__blitz_replaced_";
pub const ASSUMED: &str = "__blitz_assumed_";

/// What is done with the contracts of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contracts {
    /// Functions whose contracts are checked of calls that keep to them. `f/g` takes the contract of `g`.
    pub enforce: Vec<String>,
    /// Functions whose contracts are checked at every call, what they require as well.
    pub check: Vec<String>,
    /// Functions that calls take to be what their contracts say.
    pub replace: Vec<String>,
    /// Loops with invariants are replaced by these.
    pub loops: bool,
    /// A function without an assigns clause assigns nothing, as CBMC has it.
    pub silence_assigns_nothing: bool,
    /// What is assumed of the arguments of functions that the check begins with: C over their parameters.
    pub assumed: Vec<String>,
}

impl Contracts {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.enforce.is_empty()
            && self.check.is_empty()
            && self.replace.is_empty()
            && !self.loops
            && self.assumed.is_empty()
    }
}

/// What wrappers call.
const DECLARATIONS: &str = "\
void __blitz_claim(_Bool, const char *);\n\
void __blitz_assume(int);\n\
void __blitz_contract_begin(void);\n\
void __blitz_contract_end(void);\n\
void __blitz_contract_leave(void *);\n\
void __blitz_contract_stop(void);\n\
void __blitz_contract_assigns(const void *, __SIZE_TYPE__);\n\
void __blitz_contract_frees(const void *);\n\
void __blitz_contract_forget(void);\n\
int __blitz_contract_make_fresh(void *, __SIZE_TYPE__);\n\
int __blitz_contract_is_fresh(const void *, __SIZE_TYPE__, int);\n\
int __blitz_contract_in_range(const void *, const void *, const void *);\n\
int __blitz_contract_make_in_range(const void *, void *, const void *);\n\
int __blitz_contract_freeable(const void *);\n\
int __blitz_is_live(const void *);\n\
_Bool __blitz_input_bool(const char *);\n\
void __blitz_input_bytes(void *, __SIZE_TYPE__, const char *);\n\
__SIZE_TYPE__ __blitz_object_size(const void *);\n\
long __blitz_offset(const void *);\n\
__SIZE_TYPE__ __blitz_object_id(const void *);\n\
int __blitz_readable(const void *, __SIZE_TYPE__);\n\
__SIZE_TYPE__ __blitz_mismatch(const void *, const void *, __SIZE_TYPE__);\n\
void __blitz_heap_free(void *);\n\
void __blitz_unsupported(const char *);\n";

/// A text in which the contracts that are asked for are in force; what else it says of contracts stays.
pub fn applied(text: &str, contracts: &Contracts) -> String {
    let text = if contracts.loops { loops::applied(text) } else { text.to_owned() };
    let tokens = split(&text);
    let places = Places::of(&tokens);
    let all = declared::all(&tokens);
    let of_functions = !(contracts.enforce.is_empty() && contracts.check.is_empty() && contracts.replace.is_empty());
    let predicates = if of_functions { Predicates::of(&tokens, &all) } else { Predicates::default() };
    let mut out = String::from(DECLARATIONS);
    let mut done = Vec::new();
    let mut from = 0;
    for (i, one) in all.iter().enumerate() {
        let copies = predicates.copies(&tokens, &places, one);
        let made = copies + &wrappers((&tokens, &places, &predicates), &all, i, contracts, &mut done);
        if !made.is_empty() {
            out.push_str(&super::joined(&tokens[from..one.end]));
            out.push_str(&made);
            out.push_str(&places.mark(one.end));
            from = one.end;
        }
    }
    out.push_str(&super::joined(&tokens[from..]));
    out
}

/// Declarations of the functions with contracts that are called before anything declares them.
pub fn declared_ahead(tokens: &[Token<'_>]) -> String {
    let all = declared::all(tokens);
    let called = |name: &str, i: usize| {
        tokens[i].text == name && solid(tokens, i + 1).is_some_and(|open| tokens[open].text == "(")
    };
    let called_before = |one: &Declared<'_>| (0..one.start).any(|i| called(one.name, i));
    let first = |i: usize| all[..i].iter().all(|before| before.name != all[i].name);
    let ahead = all.iter().enumerate().filter(|(i, one)| !one.clauses.is_empty() && first(*i) && called_before(one));
    ahead.filter_map(|(_, one)| functions::ahead(tokens, one)).collect()
}

/// The wrappers that stand behind a declaration.
fn wrappers(
    (tokens, places, predicates): (&[Token<'_>], &Places<'_>, &Predicates),
    all: &[Declared<'_>],
    number: usize,
    contracts: &Contracts,
    done: &mut Vec<String>,
) -> String {
    let one = &all[number];
    let mut out = String::new();
    let mut once = |prefix: &str, name: &str| {
        let whole = format!("{prefix}{name}");
        let fresh = !done.contains(&whole);
        done.extend(fresh.then_some(whole));
        fresh
    };
    let lists = [
        (&contracts.enforce, ENFORCED, Use::Assumed),
        (&contracts.check, ENFORCED, Use::Asserted),
        (&contracts.replace, REPLACED, Use::Asserted),
    ];
    for (list, prefix, required) in lists {
        for asked in list {
            let (function, of) = asked.split_once('/').unwrap_or((asked, asked));
            // The wrapper stands behind the declaration that says the contract.
            if one.name != of || one.clauses.is_empty() || !once(prefix, function) {
                continue;
            }
            let wrapper = functions::Wrapper { tokens, places, one, function, predicates };
            out.push_str(&match prefix {
                ENFORCED => wrapper.enforced(required),
                _ => wrapper.replaced(contracts.silence_assigns_nothing),
            });
        }
    }
    if one.body.is_some() && !contracts.assumed.is_empty() {
        let fitting: Vec<&String> = contracts.assumed.iter().filter(|e| functions::fits(tokens, one, e)).collect();
        if !fitting.is_empty() && once(ASSUMED, one.name) {
            let wrapper = functions::Wrapper { tokens, places, one, function: one.name, predicates };
            out.push_str(&wrapper.assumed(&fitting));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{declared_ahead, split};

    #[test]
    fn what_is_called_before_its_declaration_is_declared_ahead() {
        let text = "void f(int *p) __CPROVER_assigns(*p) { g(p); h(p); }\n\
                    void g(int *q) __CPROVER_assigns(*q) { *q = 1; }\n\
                    struct s *h(int *q) __CPROVER_assigns(*q) { *q = 1; return 0; }\n";
        assert_eq!(declared_ahead(&split(text)), "void g(int *q);\n");
    }
}
