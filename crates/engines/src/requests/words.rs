//! Texts a program may be waiting for: a placeholder is typed first, and what the program compares it with takes its place.

use crate::tuning::{REQUESTS_LONG_LETTERS, REQUESTS_MAX_CHARACTERS, REQUESTS_MAX_TEXT_BYTES};
use blitz_ir::Func;
use std::collections::BTreeSet;

pub(super) type Text = Vec<u8>;

/// Stands for what is not known yet: no program has a word for it.
pub(super) const PLACEHOLDER: &[u8] = b"qz";

/// A text in which one of two words that were compared stands for the other: the one with the placeholder gives way. By itself, and
/// with something behind it.
pub(super) fn by_comparison(text: &[u8], (a, b): (&[u8], &[u8])) -> Vec<Text> {
    let (ours, theirs) = if position(a, PLACEHOLDER).is_some() { (a, b) } else { (b, a) };
    let typable = theirs.iter().all(|c| (b' '..=b'~').contains(c));
    let at = position(text, ours).filter(|_| position(ours, PLACEHOLDER).is_some() && typable);
    let Some(at) = at else { return Vec::new() };
    let (before, after) = (&text[..at], &text[at + ours.len()..]);
    let with_more = [before, theirs, b" ", PLACEHOLDER, after].concat();
    let alone = [before, theirs, after].concat();
    [alone, with_more].into_iter().filter(|t| t.len() <= REQUESTS_MAX_TEXT_BYTES).collect()
}

/// A text with a placeholder where there is none, else with these characters before and after it.
pub(super) fn decorated(text: &[u8], characters: &BTreeSet<u8>) -> Vec<Text> {
    if text.len() + PLACEHOLDER.len() + 1 > REQUESTS_MAX_TEXT_BYTES {
        return Vec::new();
    }
    let Some(at) = position(text, PLACEHOLDER) else {
        return vec![[text, b" ", PLACEHOLDER].concat()];
    };
    let (before, after) = (&text[..at], &text[at + PLACEHOLDER.len()..]);
    let around = |c: &u8| [[before, &[*c], PLACEHOLDER, after].concat(), [before, PLACEHOLDER, &[*c], after].concat()];
    characters.iter().flat_map(around).collect()
}

/// A text with many letters where the placeholder is.
pub(super) fn lengthened(text: &[u8]) -> Option<Text> {
    let at = position(text, PLACEHOLDER)?;
    Some([&text[..at], &[b'A'; REQUESTS_LONG_LETTERS], &text[at + PLACEHOLDER.len()..]].concat())
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        return None;
    }
    text.windows(part.len()).position(|w| w == part)
}

/// The characters that a function tells from others.
pub(super) fn characters(func: &Func) -> BTreeSet<u8> {
    let found = crate::characters::characters(func);
    if found.len() > REQUESTS_MAX_CHARACTERS { BTreeSet::new() } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_placeholder_is_compared_with_takes_its_place() {
        assert_eq!(by_comparison(b"qz", (b"qz", b"Root")), [b"Root".to_vec(), b"Root qz".to_vec()]);
        assert_eq!(by_comparison(b"Root /qz", (b"home", b"/qz"))[0], b"Root home");
        assert!(by_comparison(b"Root", (b"Root", b"Directory")).is_empty());
        assert!(by_comparison(b"qz", (b"qz", b"two\nlines")).is_empty());
    }

    #[test]
    fn many_letters_take_the_place_of_the_placeholder() {
        let long = lengthened(b"Root /qz:").expect("there is a placeholder");
        assert!(long.starts_with(b"Root /AAA") && long.ends_with(b"A:") && long.len() == 7 + REQUESTS_LONG_LETTERS);
        assert_eq!(lengthened(b"Root"), None);
    }

    #[test]
    fn characters_go_before_and_after_the_placeholder() {
        let slash = BTreeSet::from([b'/']);
        assert_eq!(decorated(b"Root", &slash), vec![b"Root qz".to_vec()]);
        assert_eq!(decorated(b"Root qz", &slash), vec![b"Root /qz".to_vec(), b"Root qz/".to_vec()]);
    }
}
