//! Printing scripts: what `parse_script` reads, over bit-vectors and arrays alone.
//!
//! Why: a query that goes wrong is saved as a script anyone can run. Floats print as the circuits they became, macros are expanded.
//! Definitions made inside a `push` are forgotten at its `pop` and printed again where needed.

use super::command::{Command, Labelled};
use super::print::{Printer, quote_symbol};
use crate::node::Term;
use crate::terms::Terms;

/// The commands as text that means the same.
pub fn print_script(terms: &Terms, commands: &[Command]) -> String {
    let mut script = Script { terms, printer: Printer::default(), saved: Vec::new(), out: String::new() };
    for command in commands {
        script.command(command);
    }
    script.out
}

struct Script<'a> {
    terms: &'a Terms,
    printer: Printer,
    /// The printer as it was at each `push`.
    saved: Vec<Printer>,
    out: String,
}

impl Script<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn define(&mut self, t: Term) -> String {
        self.printer.define(self.terms, t, &mut self.out)
    }

    fn define_all(&mut self, items: &[Labelled]) -> String {
        let names: Vec<String> = items.iter().map(|item| self.define(item.value.term)).collect();
        names.join(" ")
    }

    fn command(&mut self, command: &Command) {
        let text = match command {
            Command::SetLogic(logic) => format!("(set-logic {logic})"),
            Command::SetOption(keyword, value) => format!("(set-option {keyword} {value})"),
            Command::SetInfo(keyword, value) => format!("(set-info {keyword} {value})"),
            Command::Declare(declared) => {
                self.define(declared.value.term);
                return;
            }
            Command::DefineFun(_) | Command::DefineSort(_) => return,
            Command::Assert(t, None) => format!("(assert {})", self.define(*t)),
            Command::Assert(t, Some(name)) => {
                format!("(assert (! {} :named {}))", self.define(*t), quote_symbol(name))
            }
            Command::Push(levels) => {
                (0..*levels).for_each(|_| self.saved.push(self.printer.clone()));
                format!("(push {levels})")
            }
            Command::Pop(levels) => {
                for _ in 0..*levels {
                    self.printer = self.saved.pop().unwrap_or_default();
                }
                format!("(pop {levels})")
            }
            Command::CheckSatAssuming(items) => format!("(check-sat-assuming ({}))", self.define_all(items)),
            Command::GetValue(items) => format!("(get-value ({}))", self.define_all(items)),
            Command::CheckSat => "(check-sat)".to_string(),
            Command::GetModel => "(get-model)".to_string(),
            Command::GetUnsatCore => "(get-unsat-core)".to_string(),
            Command::GetUnsatAssumptions => "(get-unsat-assumptions)".to_string(),
            Command::GetAssertions => "(get-assertions)".to_string(),
            Command::GetAssignment => "(get-assignment)".to_string(),
            Command::GetProof => "(get-proof)".to_string(),
            Command::GetInfo(keyword) => format!("(get-info {keyword})"),
            Command::GetOption(keyword) => format!("(get-option {keyword})"),
            Command::Echo(message) => format!("(echo \"{}\")", message.replace('"', "\"\"")),
            Command::Exit => "(exit)".to_string(),
            Command::Reset | Command::ResetAssertions => {
                self.printer = Printer::default();
                self.saved.clear();
                if *command == Command::Reset { "(reset)" } else { "(reset-assertions)" }.to_string()
            }
        };
        self.line(&text);
    }
}
