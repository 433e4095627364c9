//! KLEE's `.ktest`: a header, the command line, and named objects; all numbers are big-endian.

use crate::feed::Feed;

const MAGIC: &[u8] = b"KTEST";
const VERSION: u32 = 3;

/// A test in KLEE's format.
pub fn ktest(feed: &Feed) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    put(&mut out, VERSION);
    let args: Vec<&[u8]> = [b"program".as_slice()].into_iter().chain(feed.args.iter().map(Vec::as_slice)).collect();
    put(&mut out, args.len() as u32);
    for arg in args {
        put_bytes(&mut out, arg);
    }
    // Symbolic arguments: none, those above are what they are.
    put(&mut out, 0);
    put(&mut out, 0);
    let mut objects: Vec<(&str, &[u8])> = feed.direct.iter().map(|(n, b)| (n.as_str(), b.as_slice())).collect();
    if !feed.stdin.is_empty() {
        objects.push(("stdin", &feed.stdin));
    }
    objects.extend(feed.calls.iter().map(|c| (c.name.as_str(), c.bytes.as_slice())));
    put(&mut out, objects.len() as u32);
    for (name, bytes) in objects {
        put_bytes(&mut out, name.as_bytes());
        put_bytes(&mut out, bytes);
    }
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
}
