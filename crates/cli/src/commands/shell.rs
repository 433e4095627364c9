//! `blitz completions` and `blitz man`: made from the definition of the command line, so that they can't be out of date.

use crate::args::{Cli, CompletionsArgs};
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use clap::CommandFactory;

/// A script for a shell.
pub fn completions(args: &CompletionsArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "blitz", &mut script);
    terminal.result(&String::from_utf8_lossy(&script));
    Ok(Exit::Success)
}

/// The manual page, with a section per subcommand.
pub fn man(terminal: &Terminal) -> Result<Exit, Fault> {
    let mut page = Vec::new();
    let command = Cli::command();
    let broken = |e: std::io::Error| Fault::new(format!("the manual page can't be made: {e}"));
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(broken)?;
    for sub in command.get_subcommands() {
        let name = format!("blitz-{}", sub.get_name());
        clap_mangen::Man::new(sub.clone().display_name(name)).render(&mut page).map_err(broken)?;
    }
    terminal.result(&String::from_utf8_lossy(&page));
    Ok(Exit::Success)
}
