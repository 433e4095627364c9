//! A line that says what is going on: redrawn on a terminal, written now and then elsewhere.

use crate::terminal::Terminal;
use blitz_base::Budget;
use blitz_engines::Progress;
use blitz_workflow::Phase;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// How often the line is drawn on a terminal, and how often it is written elsewhere.
const REDRAW: Duration = Duration::from_millis(200);
const REWRITE: Duration = Duration::from_secs(15);

/// How often a line is written where none can be drawn over, if it is drawn this often elsewhere.
pub fn rewrite_pause(redraw: Duration) -> Duration {
    redraw.max(REWRITE)
}

/// What is known about the work.
#[derive(Default)]
struct State {
    phase: Option<Phase>,
    engine: Option<Progress>,
    done: bool,
}

/// Watches over a piece of work.
pub struct Watch<'a> {
    state: Mutex<State>,
    changed: Condvar,
    terminal: &'a Terminal,
    budget: &'a Budget,
}

impl<'a> Watch<'a> {
    /// Does the work with a line about it beside.
    pub fn over<R>(terminal: &'a Terminal, budget: &'a Budget, work: impl FnOnce(&Watch<'a>) -> R) -> R {
        let watch = Watch { state: Mutex::new(State::default()), changed: Condvar::new(), terminal, budget };
        if !terminal.shows_progress() {
            return work(&watch);
        }
        std::thread::scope(|scope| {
            scope.spawn(|| watch.draw());
            let end = End(&watch);
            let result = work(&watch);
            drop(end);
            result
        })
    }

    /// A new part of the work begins.
    pub fn phase(&self, phase: Phase) {
        let mut state = self.lock();
        state.phase = Some(phase);
        state.engine = None;
    }

    /// An engine has come further.
    pub fn engine(&self, progress: &Progress) {
        self.lock().engine = Some(progress.clone());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn draw(&self) {
        let pause = if self.terminal.is_live() { REDRAW } else { REWRITE };
        let mut state = self.lock();
        loop {
            let (next, _) = self
                .changed
                .wait_timeout_while(state, pause, |s| !s.done)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            state = next;
            if state.done {
                self.terminal.clear_progress();
                return;
            }
            if let Some(phase) = state.phase {
                self.terminal.progress(&line(phase, &state, self.budget));
            }
        }
    }
}

/// Stops the drawing, even if the work panics.
struct End<'w, 'a>(&'w Watch<'a>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().done = true;
        self.0.changed.notify_all();
    }
}

fn words(phase: Phase) -> &'static str {
    match phase {
        Phase::Compiling => "compiling",
        Phase::Checking => "checking",
        Phase::Confirming => "confirming natively",
    }
}

fn line(phase: Phase, state: &State, budget: &Budget) -> String {
    let mut parts = vec![format!("{} {}", words(phase), seconds(budget.elapsed()))];
    if let Some(p) = &state.engine {
        match &p.paths {
            None => parts.push(format!("{} step {}", p.engine, p.step)),
            Some(paths) => {
                parts.push(format!("{} paths, {} waiting", paths.paths, paths.waiting));
                let percent = 100 * paths.covered / paths.blocks.max(1);
                parts.push(format!("{percent} % of {} blocks", paths.blocks));
            }
        }
        parts.push(format!("{} of {} properties open", p.open.len(), p.properties));
        if p.violated > 0 {
            parts.push(format!("{} violated", p.violated));
        }
        parts.extend(p.at.as_ref().map(|property| format!("at {property}")));
        if let Some(deepest) = p.loops.iter().max_by_key(|l| l.depth) {
            parts.push(format!("loop {} at {}", deepest.name, deepest.depth));
        }
    }
    parts.push(format!("{} MB", blitz_base::budget::resident_bytes() >> 20));
    parts.extend(budget.remaining().map(|left| format!("{} left", seconds(left))));
    parts.join(", ")
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_phase_engine_and_limits() {
        let engine = Progress {
            engine: "incremental",
            step: 7,
            properties: 12,
            violated: 1,
            open: Vec::new(),
            loops: Vec::new(),
            memory: 0,
            terms: 0,
            clauses: 0,
            queries: 0,
            at: Some("main.shift.1".to_owned()),
            paths: None,
        };
        let state = State { phase: Some(Phase::Checking), engine: Some(engine), done: false };
        let text = line(Phase::Checking, &state, &Budget::new(Some(Duration::from_secs(100)), None));
        let start = "checking 0 s, incremental step 7, 0 of 12 properties open, 1 violated, at main.shift.1, ";
        assert!(text.starts_with(start), "{text}");
        assert!(text.ends_with(" s left"), "{text}");
    }
}
