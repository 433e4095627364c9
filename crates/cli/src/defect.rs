//! A panic is a defect of ours: it is caught here, told with what to send, and becomes exit code 70.

use crate::Exit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::Write;
use std::sync::Mutex;

/// The stack of the thread that works: LLVM's readers recurse on what they read.
const STACK_BYTES: usize = 512 << 20;

static STORY: Mutex<Option<String>> = Mutex::new(None);

/// Runs the work on a thread of its own; a panic in it becomes a defect.
pub fn guarded(work: impl FnOnce() -> Exit + Send) -> Exit {
    std::panic::set_hook(Box::new(|info| {
        let mut story = STORY.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        story.get_or_insert_with(|| info.to_string());
    }));
    let result = std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("blitz".to_owned()).stack_size(STACK_BYTES);
        match builder.spawn_scoped(scope, work) {
            Ok(thread) => thread.join().ok(),
            Err(_) => None,
        }
    });
    match result {
        Some(exit) => exit,
        None if reader_is_gone() => Exit::Status(CLOSED_PIPE),
        None => tell(),
    }
}

/// What a shell reports of a program that wrote into a closed pipe (`blitz check prog.c | head`).
const CLOSED_PIPE: u8 = 128 + 13;

/// Whether nobody reads what is printed any more: printing panics then, and that is no defect.
fn reader_is_gone() -> bool {
    let (out, err) = (std::io::stdout(), std::io::stderr());
    let mut ends = [PollFd::new(&out, PollFlags::empty()), PollFd::new(&err, PollFlags::empty())];
    poll(&mut ends, Some(&Timespec::default())).is_ok() && ends.iter().any(|e| e.revents().contains(PollFlags::ERR))
}

fn tell() -> Exit {
    // Taken out, so that a panic in here would not wait for itself.
    let story = STORY.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    let story = story.as_deref().unwrap_or("the working thread could not be started");
    let command: Vec<String> = std::env::args().collect();
    let text = format!(
        "error: a defect of blitz, not of your program: {story}\n\
         Please report it with these three lines and the files the command names:\n  \
         version: {} ({})\n  command: {}\n  folder:  the files above, or a preprocessed copy (clang -E FILE.c)\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        command.join(" ")
    );
    // Where nobody reads it, nothing is to be done.
    let _ = std::io::stderr().write_all(text.as_bytes());
    Exit::Defect
}
