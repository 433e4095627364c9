//! Inline assembler: empty templates are barriers that pass their tied operands through, and `fstcw` tells the rounding mode; others are refused.

use super::Lowering;
use crate::llvm::Val;
use crate::types::Parts;

impl Lowering<'_> {
    pub(super) fn inline_asm(&mut self, inst: Val) {
        let (template, constraints) = inst.callee().asm_texts();
        if matches!(template.trim(), "fstcw $0" | "fnstcw $0") && constraints.starts_with("=*m") {
            return self.store_control_word(inst.args()[0]);
        }
        if !does_nothing(&template) {
            return self.refuse(inst, &format!("inline assembler \"{}\"", super::short(&template)));
        }
        let args: Vec<Parts> = inst.args().into_iter().map(|a| self.get(a)).collect();
        let ties = ties(&constraints);
        let outputs = direct_outputs(&constraints);
        let wanted = self.part_types(inst.ty());
        let mut out = Vec::new();
        for (n, ty) in wanted.into_iter().enumerate() {
            let output = outputs.get(n).copied().unwrap_or(n);
            let tied = ties.iter().find(|(tied, _)| *tied == output).and_then(|(_, arg)| args.get(*arg)?.first());
            let value = match tied {
                Some(&v) => self.fit(v, ty),
                None => self.undef(ty),
            };
            out.push(value);
        }
        self.set(inst, out.into());
    }
}

/// Whether the template has no instruction that computes something.
fn does_nothing(template: &str) -> bool {
    template.split([';', '\n']).map(str::trim).all(|line| {
        line.is_empty()
            || line.starts_with('#')
            || matches!(line, "nop" | "pause" | "rep" | "mfence" | "lfence" | "sfence")
    })
}

/// Positions of the outputs that are results, not written through an address.
fn direct_outputs(constraints: &str) -> Vec<usize> {
    let outputs = constraints.split(',').filter_map(|c| c.strip_prefix('='));
    let is_direct = |c: &str| !c.trim_start_matches('&').starts_with('*');
    outputs.enumerate().filter(|(_, c)| is_direct(c)).map(|(n, _)| n).collect()
}

/// Which argument is tied to which output: `=r,=m,0,r` ties argument 0 to output 0.
fn ties(constraints: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut argument = 0;
    for c in constraints.split(',') {
        if c.starts_with('~') || c.starts_with('!') {
            continue;
        }
        if let Some(output) = c.strip_prefix('=') {
            // An indirect output takes an argument: the address.
            argument += usize::from(output.trim_start_matches('&').starts_with('*'));
            continue;
        }
        if let Ok(output) = c.parse() {
            out.push((output, argument));
        }
        argument += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{does_nothing, ties};

    #[test]
    fn finds_tied_operands() {
        assert_eq!(ties("=r,0,~{memory}"), vec![(0, 0)]);
        assert_eq!(ties("=r,=r,r,1"), vec![(1, 1)]);
        assert_eq!(ties("=*m,=r,*m,0"), vec![(0, 2)]);
    }

    #[test]
    fn barriers_do_nothing() {
        assert!(does_nothing(""));
        assert!(does_nothing("rep; nop"));
        assert!(!does_nothing("cpuid"));
    }
}
