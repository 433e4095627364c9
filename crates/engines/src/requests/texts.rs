//! Requests for engines that run the program themselves: the texts of runs that showed something new.

use super::{Aim, Requests, Typing, used_by};
use crate::config::CheckConfig;
use crate::tuning::{REQUESTS_WORK, WORK_GROWTH};
use blitz_base::{Budget, Work};
use blitz_interp::Script;
use blitz_ir::{FuncId, Program};

/// Texts that bring a program into states that no text before brought it into, or into functions and branches that are new.
pub struct RequestTexts<'p, 'a> {
    requests: Requests<'p, 'a>,
    budget: &'a Budget,
    /// What the next runs may take.
    work: Work,
}

impl<'p, 'a> RequestTexts<'p, 'a> {
    /// `script` says what a run is given for a text.
    pub fn new(
        program: &'p Program,
        config: &'a CheckConfig,
        budget: &'a Budget,
        script: impl Fn(Vec<u8>) -> Script + 'a,
    ) -> Self {
        let own = (0..program.funcs.len()).map(FuncId::new).filter(|f| !program.decl(*f).model);
        let aim = Aim { to_check: None, watched: used_by(program, own.collect()) };
        let typing = Typing { max_args: 0, script: Box::new(move |_, text| script(text)) };
        Self { requests: Requests::new(program, config, budget, aim, typing), budget, work: REQUESTS_WORK }
    }

    /// The next ones; none if the runs that are left promise nothing.
    pub fn more(&mut self) -> Vec<Vec<u8>> {
        while (self.requests.runs == 0 || self.requests.goes_on()) && self.budget.expired().is_none() {
            let slice = self.budget.worth(self.work);
            self.requests.run(&|_| false, &slice);
            self.work = self.work.times(WORK_GROWTH);
            let texts: Vec<Vec<u8>> = self.requests.news.drain(..).map(|typed| typed.text()).collect();
            if !texts.is_empty() {
                return texts;
            }
        }
        Vec::new()
    }
}
