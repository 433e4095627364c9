//! Words in kits: quoting for the shell and for C, and the list of inputs for people.

use blitz_report::Finding;

/// Bytes as a word of bash; runs of one character are said, not written out.
pub fn shell_word(bytes: &[u8]) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"_-./=+:,@%".contains(b);
    if !bytes.is_empty() && bytes.len() <= LONG && bytes.iter().all(plain) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let (mut word, mut open) = (String::new(), false);
    for run in bytes.chunk_by(|a, b| a == b) {
        if run.len() > LONG && run[0].is_ascii_alphanumeric() {
            word.push_str(if open { "'" } else { "" });
            word.push_str(&format!("\"$(repeat {} {})\"", run[0] as char, run.len()));
            open = false;
            continue;
        }
        word.push_str(if open { "" } else { "$'" });
        open = true;
        run.iter().for_each(|b| push_quoted(&mut word, *b));
    }
    word.push_str(if open { "'" } else { "" });
    if word.is_empty() { "''".to_owned() } else { word }
}

fn push_quoted(word: &mut String, byte: u8) {
    match byte {
        b'\'' | b'\\' => word.extend(['\\', byte as char]),
        b' '..=b'~' => word.push(byte as char),
        b'\n' => word.push_str("\\n"),
        _ => word.push_str(&format!("\\{byte:03o}")),
    }
}

const LONG: usize = 64;

/// Bytes as the one argument of bash's printf that prints them, zeros included.
pub fn printf_word(bytes: &[u8]) -> String {
    let mut word = String::from("'");
    for &b in bytes {
        match b {
            b'%' => word.push_str("%%"),
            b'\'' | b'\\' => word.push_str(&format!("\\{b:03o}")),
            b' '..=b'~' => word.push(b as char),
            _ => word.push_str(&format!("\\{b:03o}")),
        }
    }
    // An empty format would be a mistake of the user's.
    word.push('\'');
    if bytes.is_empty() {
        "%s ''".to_owned()
    } else if bytes[0] == b'-' {
        format!("-- {word}")
    } else {
        word
    }
}

/// Bytes as a string literal of C.
pub fn c_literal(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &b in bytes {
        match b {
            b'"' | b'\\' => text.extend(['\\', b as char]),
            b' '..=b'~' if b != b'?' => text.push(b as char),
            _ => text.push_str(&format!("\\{b:03o}")),
        }
    }
    text.push('"');
    text
}

/// The inputs as a list.
pub fn inputs(finding: &Finding) -> String {
    let mut text = format!("{} at {}:{}\n\n", finding.message, finding.place.file, finding.place.line);
    for input in &finding.inputs {
        let at = if input.place.is_known() {
            format!("  ({}:{})", input.place.file, input.place.line)
        } else {
            String::new()
        };
        text.push_str(&format!("{} = {}{at}\n", input.name, input.value));
    }
    if finding.inputs.is_empty() {
        text.push_str("The program takes no inputs on the way there.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_shell() {
        for bytes in [b"".as_slice(), b"plain", b"it's \\ $HOME \"x\"", b"\xff\x01\n", &[b'A'; 200]] {
            let script =
                format!("repeat() {{ head -c \"$2\" /dev/zero | tr '\\0' \"$1\"; }}\nprintf %s {}", shell_word(bytes));
            let output = std::process::Command::new("bash").args(["-c", &script]).output().expect("bash should start");
            assert_eq!(output.stdout, bytes);
        }
    }

    #[test]
    fn formats_print_every_byte() {
        for bytes in [b"".as_slice(), b"plain", b"-n", b"100% it's \\x \0\x01", b"\xff\x00\x00"] {
            let script = format!("printf {}", printf_word(bytes));
            let output = std::process::Command::new("bash").args(["-c", &script]).output().expect("bash should start");
            assert_eq!(output.stdout, bytes, "{script}");
        }
    }

    #[test]
    fn literals_of_c_are_unambiguous() {
        assert_eq!(c_literal(b"a\"\x01\x312?"), "\"a\\\"\\00112\\077\"");
    }
}
