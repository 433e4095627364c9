//! `blitz report`: opens the HTML report of a check, or says where it is.

use crate::args::ReportArgs;
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use std::io::IsTerminal;
use std::process::{Command, Stdio};

pub fn report(args: &ReportArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let page = args.folder.join("report.html");
    if !page.is_file() {
        let folder = args.folder.display();
        return Err(Fault::new(format!(
            "there is no report in {folder}: `blitz check` writes one when it finds a violation"
        )));
    }
    let page = std::path::absolute(&page).unwrap_or(page);
    terminal.result(&page.display().to_string());
    let screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|v| std::env::var_os(v).is_some_and(|s| !s.is_empty()));
    if screen && std::io::stdout().is_terminal() {
        let opened = Command::new("xdg-open").arg(&page).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        if opened.is_err() {
            terminal.note("no browser could be opened; the path above is the report");
        }
    }
    Ok(Exit::Success)
}
