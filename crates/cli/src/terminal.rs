//! Everything that is printed goes through here: colour, width, quiet and verbose, and readers that go away.

use crate::Fault;
use crate::args::ColorChoice;
use annotate_snippets::Level;
use blitz_report::{Style, message_text};
use blitz_workflow::Listener;
use std::io::{IsTerminal, Write};

/// How and how much to print.
pub struct Terminal {
    pub style: Style,
    quiet: bool,
    verbose: bool,
    /// stderr is a terminal on which a line can be drawn over.
    live: bool,
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
        let live = std::io::stderr().is_terminal() && std::env::var_os("TERM").is_some_and(|t| t != "dumb");
        Self { style: Style { color, width: width() }, quiet, verbose, live }
    }

    /// The result of a command, on stdout.
    pub fn result(&self, text: &str) {
        self.clear_progress();
        let mut out = std::io::stdout().lock();
        // A reader that has gone away (`blitz ir | head`) wants no more, and that is all.
        let _ = out
            .write_all(text.as_bytes())
            .and_then(|()| if text.ends_with('\n') { Ok(()) } else { out.write_all(b"\n") });
        let _ = out.flush();
    }

    /// A finding or another text for people, on stderr.
    pub fn say(&self, text: &str) {
        self.clear_progress();
        let mut err = std::io::stderr().lock();
        let _ = writeln!(err, "{}", text.trim_end());
    }

    /// Something the user should know, unless they want quiet.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.say(&message_text(Level::NOTE, text, self.style));
        }
    }

    /// Something that makes the result worth less than it sounds; part of the result.
    pub fn warning(&self, text: &str) {
        self.result(&message_text(Level::WARNING, text, self.style));
    }

    pub fn verbose(&self) -> bool {
        self.verbose
    }

    /// Something only the curious want to know.
    pub fn detail(&self, text: &str) {
        if self.verbose {
            self.say(&message_text(Level::INFO, text, self.style));
        }
    }

    /// Whether somebody may want to know how the work goes.
    pub fn shows_progress(&self) -> bool {
        !self.quiet
    }

    /// Whether a line can be drawn over.
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// A line about the work: over the last one on a terminal, of its own elsewhere.
    pub fn progress(&self, text: &str) {
        let mut err = std::io::stderr().lock();
        let _ = if self.live {
            let text: String = text.chars().take(self.style.width.saturating_sub(1)).collect();
            write!(err, "\r\x1b[K{text}").and_then(|()| err.flush())
        } else {
            writeln!(err, "{text}")
        };
    }

    /// Takes the line away.
    pub fn clear_progress(&self) {
        if self.live {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
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

impl Listener for Terminal {
    fn note(&self, text: &str) {
        Terminal::note(self, text);
    }

    fn detail(&self, text: &str) {
        Terminal::detail(self, text);
    }
}

/// `$COLUMNS` where it is set, else the terminal's, else 100.
fn width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|c| c.parse::<usize>().ok());
    let measured = || terminal_size::terminal_size_of(std::io::stderr()).map(|(w, _)| usize::from(w.0));
    told.or_else(measured).unwrap_or(100).max(60)
}
