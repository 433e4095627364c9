//! The part of YAML that witnesses are written in: maps and lists by indentation, plain and single-quoted scalars.

use serde_json::{Map, Value};

/// The value a text stands for.
pub fn parse(text: &str) -> Value {
    let lines: Vec<(usize, String)> = text.lines().filter(|l| !l.trim().is_empty()).map(indented).collect();
    let mut rest = lines.as_slice();
    let value = block(&mut rest, 0);
    assert!(rest.is_empty(), "not understood: {rest:?}");
    value
}

fn indented(line: &str) -> (usize, String) {
    let text = line.trim_start();
    (line.len() - text.len(), text.to_owned())
}

fn block(rest: &mut &[(usize, String)], indent: usize) -> Value {
    match rest.first() {
        Some((_, text)) if text.starts_with("- ") => list(rest, indent),
        Some(_) => map(rest, indent),
        None => Value::Null,
    }
}

fn list(rest: &mut &[(usize, String)], indent: usize) -> Value {
    let mut items = Vec::new();
    while let Some(item) = rest.first().filter(|(at, t)| *at == indent && t.starts_with("- ")) {
        let inner = item.1[2..].to_owned();
        if key(&inner).is_none() {
            *rest = &rest[1..];
            items.push(scalar(&inner));
            continue;
        }
        // The first key of a map stands on the line of the dash, as if it were indented like the others.
        let mut lines = vec![(indent + 2, inner)];
        lines.extend(rest[1..].iter().take_while(|(at, _)| *at > indent).cloned());
        *rest = &rest[lines.len()..];
        let mut lines = lines.as_slice();
        items.push(map(&mut lines, indent + 2));
        assert!(lines.is_empty(), "not understood: {lines:?}");
    }
    Value::Array(items)
}

fn map(rest: &mut &[(usize, String)], indent: usize) -> Value {
    let mut members = Map::new();
    while let Some((_, text)) = rest.first().filter(|(at, t)| *at == indent && !t.starts_with("- ")) {
        let (name, value) = key(text).unwrap_or_else(|| panic!("no key: {text}"));
        *rest = &rest[1..];
        let value = match (value.as_str(), rest.first()) {
            ("", Some((deeper, _))) if *deeper > indent => block(rest, *deeper),
            ("", _) => Value::Null,
            (plain, _) => scalar(plain),
        };
        assert!(members.insert(name.clone(), value).is_none(), "{name} twice");
    }
    Value::Object(members)
}

/// `key: value` or `key:`; the key may be quoted.
fn key(text: &str) -> Option<(String, String)> {
    let end = match text.strip_prefix('\'') {
        Some(quoted) => quoted.find('\'')? + 2,
        None => text.find(':')?,
    };
    let value = text[end..].strip_prefix(':')?;
    (value.is_empty() || value.starts_with(' '))
        .then(|| (text[..end].trim_matches('\'').to_owned(), value.trim_start().to_owned()))
}

fn scalar(text: &str) -> Value {
    match text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        Some(inner) => Value::String(inner.replace("''", "'")),
        None => text.parse::<i64>().map_or_else(|_| Value::String(text.to_owned()), Value::from),
    }
}
