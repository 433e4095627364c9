//! A panic is a defect of ours: it is caught here, told with what to send, and becomes exit code 70.

use crate::Exit;
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
    result.unwrap_or_else(tell)
}

fn tell() -> Exit {
    let story = STORY.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let story = story.as_deref().unwrap_or("the working thread could not be started");
    let command: Vec<String> = std::env::args().collect();
    eprintln!("error: a defect of blitz, not of your program: {story}");
    eprintln!("Please report it with these three lines and the files the command names:");
    eprintln!("  version: {} ({})", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    eprintln!("  command: {}", command.join(" "));
    eprintln!("  folder:  the files above, or a preprocessed copy (clang -E FILE.c)");
    Exit::Defect
}
