//! KLEE's `.ktest`: a header, the command line, and named objects; all numbers are big-endian.
//!
//! `ktest-tool` reads the command line as ASCII. Arguments with other bytes are objects, named as KLEE names symbolic ones
//! (`n_args`, `arg00`, ...), and so are files (`NAME-data`).

use crate::feed::Feed;

const MAGIC: &[u8] = b"KTEST";
const VERSION: u32 = 3;

/// A test in KLEE's format.
pub fn ktest(feed: &Feed) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    put(&mut out, VERSION);
    let ascii = feed.args.iter().all(|a| a.is_ascii());
    let shown = feed.args.iter().filter(|_| ascii).map(Vec::as_slice);
    let args: Vec<&[u8]> = [b"program".as_slice()].into_iter().chain(shown).collect();
    put(&mut out, args.len() as u32);
    for arg in args {
        put_bytes(&mut out, arg);
    }
    // Symbolic arguments: none, those above are what they are.
    put(&mut out, 0);
    put(&mut out, 0);
    let objects = objects(feed, ascii);
    put(&mut out, objects.len() as u32);
    for (name, bytes) in objects {
        put_bytes(&mut out, name.as_bytes());
        put_bytes(&mut out, &bytes);
    }
    out
}

fn objects(feed: &Feed, args_are_shown: bool) -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    if !args_are_shown {
        out.push(("n_args".to_owned(), (feed.args.len() as u32).to_le_bytes().to_vec()));
        let text = |a: &Vec<u8>| a.iter().copied().chain([0]).collect();
        out.extend(feed.args.iter().enumerate().map(|(i, a)| (format!("arg{i:02}"), text(a))));
    }
    out.extend(feed.files.iter().map(|(name, bytes)| (format!("{name}-data"), bytes.clone())));
    out.extend(feed.direct.iter().cloned());
    if !feed.stdin.is_empty() {
        out.push(("stdin".to_owned(), feed.stdin.clone()));
    }
    out.extend(feed.calls.iter().map(|c| (c.name.clone(), c.bytes.clone())));
    out
}

fn put(out: &mut Vec<u8>, number: u32) {
    out.extend(number.to_be_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u32);
    out.extend(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_has_header_arguments_and_objects() {
        let mut feed = Feed::default();
        feed.args = vec![b"-n".to_vec()];
        feed.direct = vec![("x".into(), vec![1, 0])];
        let expected = [
            b"KTEST".as_slice(),
            &[0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 7],
            b"program",
            &[0, 0, 0, 2],
            b"-n",
            &[0; 8],
            &[0, 0, 0, 1, 0, 0, 0, 1],
            b"x",
            &[0, 0, 0, 2, 1, 0],
        ]
        .concat();
        assert_eq!(ktest(&feed), expected);
    }

    #[test]
    fn arguments_that_are_not_ascii_are_objects() {
        let mut feed = Feed::default();
        feed.args = vec![vec![0xff]];
        feed.files = vec![("a".into(), vec![7])];
        let names: Vec<String> = objects(&feed, false).into_iter().map(|(n, _)| n).collect();
        assert_eq!(names, ["n_args", "arg00", "a-data"]);
        assert_eq!(ktest(&feed)[9..13], [0, 0, 0, 1], "the program's name should be the whole command line");
    }
}
