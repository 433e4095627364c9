//! Ctrl-C: the first asks the run to stop and report what it has, the second ends the process.

use blitz_base::Budget;
use std::sync::atomic::Ordering;

/// Connects Ctrl-C to the budget's cancel flag.
pub fn cancel_on_ctrl_c(budget: &Budget) {
    let flag = budget.cancel_flag();
    // It fails only if a handler is set already, which then does the same.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(crate::Exit::Inconclusive.code()));
        }
    });
}
