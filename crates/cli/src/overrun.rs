//! What holds the limits while a program is compiled and read, where nothing looks at them: a thread that ends the process.

use crate::Exit;
use crate::args::CheckFormat;
use blitz_base::Budget;
use blitz_report::{Report, Stats, Verdict, Why, summary_text};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How often it looks.
const LOOK: Duration = Duration::from_millis(50);
/// How many programs were loaded: the thread of one that is has nothing more to do.
static LOADED: AtomicU32 = AtomicU32::new(0);

/// Ends the process with a report on nothing if the limits are overrun before `loaded` is called.
pub fn guard_loading(budget: &Budget, format: CheckFormat) {
    if budget.remaining().is_none() && budget.memory_limit().is_none() {
        return;
    }
    let (budget, before) = (budget.clone(), LOADED.load(Ordering::Relaxed));
    std::thread::spawn(move || {
        while LOADED.load(Ordering::Relaxed) == before {
            if let Some(stop) = budget.overdue() {
                let stats = Stats { seconds: budget.elapsed().as_secs_f64(), ..Stats::default() };
                let mut report = Report::new(Verdict::Unknown, Vec::new(), Vec::new(), stats);
                report.reason = Some(Why::new(stop.into(), format!("{stop} while the program was compiled and read")));
                match format {
                    CheckFormat::Json => println!("{}", blitz_report::json(&report)),
                    CheckFormat::Jsonl => println!("{}", blitz_report::json_line("report", &report)),
                    CheckFormat::Text | CheckFormat::Sarif | CheckFormat::Html | CheckFormat::Junit => {
                        println!("{}", summary_text(&report));
                    }
                    CheckFormat::Witness | CheckFormat::Graphml => {}
                }
                Exit::Inconclusive.leave();
            }
            std::thread::sleep(LOOK);
        }
    });
}

/// The program is there; from here on others look.
pub fn loaded() {
    LOADED.fetch_add(1, Ordering::Relaxed);
}
