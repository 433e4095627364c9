//! Tactics: what makes the search quicker or larger without being part of what an obligation means.
//!
//! A tactic restricts a condition, orders what is looked at, or looks elsewhere. None is claimed to be complete, and none can make a violation:
//! what it leads to is run like everything else. Each can be switched off (`--tactics`), and `bench/ablation` measures each
//! by itself; one that finds nothing that others don't, and saves nothing, should go.

pub(super) mod absent;
pub(super) mod answers;
pub(super) mod idle;
pub(super) mod letters;
pub(super) mod one_path;
pub(super) mod requests;
pub(super) mod step_over;
pub(super) mod weakening;

/// A tactic of the compositional engine, or of `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tactic {
    /// Searches that begin at the start of the program with the calls that lead to the check inlined.
    Direct,
    /// Searches in text end at the first place or nowhere, until nothing else is left.
    Narrow,
    /// Loops outside the function of the check are followed little at first.
    Focus,
    /// First the executions that make none of the calls left out.
    Absent,
    /// At the start, calls that are made in any case are assumed to change nothing.
    Idle,
    /// Texts of one letter.
    Letters,
    /// A large condition on one path through its choices.
    OnePath,
    /// What an under-approximation left out is taken up again when nothing else is left.
    Weakening,
    /// Statements that a condition does not depend on are passed over (`--granularity`).
    StepOver,
    /// The program is run on requests that are made up from what it compares them with.
    Requests,
    /// Properties of one function and kind are searched for together until that takes too long.
    Groups,
    /// What was answered once is not asked again, whatever the variables are called.
    Answers,
    /// First the program is run on long, repeated and odd texts; in `auto` before any engine.
    Probes,
}

/// Every tactic and its name on the command line.
const TABLE: [(Tactic, &str); 13] = [
    (Tactic::Direct, "direct"),
    (Tactic::Narrow, "narrow"),
    (Tactic::Focus, "focus"),
    (Tactic::Absent, "absent"),
    (Tactic::Idle, "idle"),
    (Tactic::Letters, "letters"),
    (Tactic::OnePath, "one-path"),
    (Tactic::Weakening, "weakening"),
    (Tactic::StepOver, "step-over"),
    (Tactic::Requests, "requests"),
    (Tactic::Groups, "groups"),
    (Tactic::Answers, "answers"),
    (Tactic::Probes, "probes"),
];

/// A set of tactics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tactics(u32);

impl Tactics {
    pub const NONE: Tactics = Tactics(0);
    pub const ALL: Tactics = Tactics((1 << TABLE.len()) - 1);

    pub fn has(self, tactic: Tactic) -> bool {
        self.0 & 1 << tactic as u32 != 0
    }

    fn with(self, tactic: Tactic) -> Self {
        Self(self.0 | 1 << tactic as u32)
    }

    pub(crate) fn without(self, tactic: Tactic) -> Self {
        Self(self.0 & !(1 << tactic as u32))
    }

    /// Reads `letters,idle` (these alone), `-letters,-idle` (all but these), `all` or `none`.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "all" => return Ok(Self::ALL),
            "none" => return Ok(Self::NONE),
            _ => {}
        }
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        let removed = words.iter().filter(|w| w.starts_with('-')).count();
        if removed != 0 && removed != words.len() {
            return Err("either tactics to use, or tactics to leave out with a `-` before each".to_string());
        }
        let start = if removed == 0 { Self::NONE } else { Self::ALL };
        words.iter().try_fold(start, |set, word| {
            let name = word.trim_start_matches('-');
            let known = TABLE.iter().find(|(_, n)| *n == name);
            let &(tactic, _) = known.ok_or_else(|| format!("there is no tactic `{name}` ({})", Self::names()))?;
            Ok(if removed == 0 { set.with(tactic) } else { set.without(tactic) })
        })
    }

    /// All names, with commas.
    pub fn names() -> String {
        TABLE.map(|(_, name)| name).join(", ")
    }
}

impl Default for Tactics {
    fn default() -> Self {
        Self::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_what_is_used_or_what_is_left_out() {
        let some = Tactics::parse("letters, idle").expect("two tactics");
        assert!(some.has(Tactic::Letters) && some.has(Tactic::Idle) && !some.has(Tactic::Direct));
        let rest = Tactics::parse("-letters,-idle").expect("all but two");
        assert!(!rest.has(Tactic::Letters) && !rest.has(Tactic::Idle) && rest.has(Tactic::Direct));
        assert_eq!(Tactics(some.0 | rest.0), Tactics::ALL);
        assert!(Tactics::parse("letters,-idle").is_err());
        assert!(Tactics::parse("lettres").is_err_and(|e| e.contains("one-path")));
    }

    #[test]
    fn every_tactic_has_its_own_bit() {
        let bits = TABLE.iter().enumerate().all(|(i, (tactic, _))| *tactic as usize == i);
        assert!(bits, "the table should be in the order of the enum");
    }
}
