//! `blitz report`: opens the HTML report of a check, or says where it is.

use crate::args::ReportArgs;
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use blitz_workflow::runs::latest;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub fn report(args: &ReportArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let pages = pages(&latest(&args.folder));
    if pages.is_empty() {
        let folder = args.folder.display();
        return Err(Fault::new(format!(
            "there is no report in {folder}: `blitz check` writes one when it finds a violation"
        )));
    }
    for page in &pages {
        open(&std::path::absolute(page).unwrap_or_else(|_| page.clone()), terminal);
    }
    Ok(Exit::Success)
}

/// The page of a check, or those of its targets and entries, which have a folder each.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let own = folder.join("report.html");
    if own.is_file() {
        return vec![own];
    }
    let inner =
        std::fs::read_dir(folder).into_iter().flatten().filter_map(|e| Some(e.ok()?.path().join("report.html")));
    let mut pages: Vec<PathBuf> = inner.filter(|page| page.is_file()).collect();
    pages.sort();
    pages
}

fn open(page: &Path, terminal: &Terminal) {
    terminal.result(&page.display().to_string());
    let screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|v| std::env::var_os(v).is_some_and(|s| !s.is_empty()));
    if screen && std::io::stdout().is_terminal() {
        let opened = Command::new("xdg-open").arg(page).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        if opened.is_err() {
            terminal.note("no browser could be opened; the path above is the report");
        }
    }
}
