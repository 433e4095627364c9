//! Everything that is printed goes through here: colour, width, quiet and verbose, and readers that go away.

use crate::Fault;
use crate::args::ColorChoice;
use annotate_snippets::Level;
use blitz_report::{Style, message_text};
use std::io::{IsTerminal, Write};

/// How and how much to print.
pub struct Terminal {
    pub style: Style,
    quiet: bool,
    verbose: bool,
}

impl Terminal {
    pub fn new(color: ColorChoice, quiet: bool, verbose: bool) -> Self {
        let color = match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
        };
        Self { style: Style { color, width: width() }, quiet, verbose }
    }

    /// The result of a command, on stdout.
    pub fn result(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        // A reader that has gone away (`blitz ir | head`) wants no more, and that is all.
        let _ = out
            .write_all(text.as_bytes())
            .and_then(|()| if text.ends_with('\n') { Ok(()) } else { out.write_all(b"\n") });
        let _ = out.flush();
    }

    /// A finding or another text for people, on stderr.
    pub fn say(&self, text: &str) {
        let mut err = std::io::stderr().lock();
        let _ = writeln!(err, "{}", text.trim_end());
    }

    /// Something the user should know, unless they want quiet.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.say(&message_text(Level::NOTE, text, self.style));
        }
    }

    /// Something only the curious want to know.
    pub fn detail(&self, text: &str) {
        if self.verbose {
            self.say(&message_text(Level::INFO, text, self.style));
        }
    }

    /// The user's mistake.
    pub fn fault(&self, fault: &Fault) {
        match fault {
            Fault::Sentence(sentence) => self.say(&message_text(Level::ERROR, sentence, self.style)),
            Fault::Verbatim(text) => self.say(text),
        }
    }
}

/// `$COLUMNS` where it is set, else the terminal's, else 100.
fn width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|c| c.parse::<usize>().ok());
    let measured = || terminal_size::terminal_size_of(std::io::stderr()).map(|(w, _)| usize::from(w.0));
    told.or_else(measured).unwrap_or(100).max(60)
}
