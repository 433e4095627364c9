//! Memory that may hold anything: what an assigns clause names, once the contract stands for the code.

use super::clause::Target;
use super::functions::escaped;

/// Statements that let the targets hold anything. All addresses are taken before the first of them changes.
pub fn any(targets: &[Target], what: &str) -> String {
    taken(targets) + &havoc(targets, what)
}

/// The addresses and sizes of the targets.
pub fn taken(targets: &[Target]) -> String {
    let mut out = String::new();
    for (n, Target { condition, address, size, .. }) in targets.iter().enumerate() {
        let address = format!("(char *)({address})");
        let address = if condition.is_empty() { address } else { format!("(({condition}) ? {address} : (char *)0)") };
        out.push_str(&format!(
            "char *__blitz_target{n} = {address}; __SIZE_TYPE__ __blitz_size{n} = __blitz_target{n} ? ({size}) : 0; "
        ));
    }
    out
}

/// What stands at the addresses that were taken holds anything.
pub fn havoc(targets: &[Target], what: &str) -> String {
    let mut out = String::new();
    for (n, target) in targets.iter().enumerate() {
        let name = format!("{what} {}", escaped(&target.text));
        out.push_str(&format!(
            "if (__blitz_target{n}) __blitz_input_bytes(__blitz_target{n}, __blitz_size{n}, \"{name}\"); "
        ));
    }
    out
}
