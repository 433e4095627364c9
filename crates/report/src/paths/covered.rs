//! The coverage of a search as a page: each file with its lines, those that no path went through marked.

use super::lcov::Coverage;
use crate::source::Sources;
use crate::xml::escape;
use std::collections::BTreeMap;

const STYLE: &str = "<style>body{font-family:sans-serif;margin:2em}pre{line-height:1.3;margin:0}td,th{padding:0 1em;text-align:right}\
td:first-child,th:first-child{text-align:left}.hit{background:#e3f5e1}.missed{background:#fbdada}.n{color:#777}</style>";

/// A page of its own; source text that can't be read is left out.
pub fn coverage_html(coverage: &BTreeMap<String, Coverage>, sources: &mut Sources) -> String {
    let mut out =
        format!("<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>Coverage</title>{STYLE}</head><body>");
    out.push_str("<h1>Lines that the tests go through</h1><table><tr><th>file<th>lines<th>reached<th>share</tr>");
    for (n, (file, of_file)) in coverage.iter().enumerate() {
        let (all, hit) = (of_file.lines.len(), of_file.lines.values().filter(|times| **times > 0).count());
        let (name, percent) = (escape(file), 100 * hit / all.max(1));
        out.push_str(&format!("<tr><td><a href=\"#f{n}\">{name}</a><td>{all}<td>{hit}<td>{percent} %</tr>"));
    }
    out.push_str("</table>");
    for (n, (file, of_file)) in coverage.iter().enumerate() {
        out.push_str(&format!("<h2 id=\"f{n}\">{}</h2><pre>", escape(file)));
        let text = sources.text(file).unwrap_or_default();
        for (line, number) in text.lines().zip(1u32..) {
            let (class, times) = match of_file.lines.get(&number) {
                None => ("", String::new()),
                Some(0) => ("missed", "0".to_owned()),
                Some(times) => ("hit", times.to_string()),
            };
            let line = escape(line);
            out.push_str(&format!(
                "<span class=\"n\">{number:6} {times:>8} </span><span class=\"{class}\">{line}</span>\n"
            ));
        }
        out.push_str("</pre>");
    }
    out.push_str("</body></html>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_no_path_reached_are_marked() {
        let lines = BTreeMap::from([(1, 3), (2, 0)]);
        let coverage = BTreeMap::from([("a.c".to_owned(), Coverage { lines, functions: BTreeMap::new() })]);
        let mut sources = Sources::new();
        sources.insert("a.c", "x < 1;\ny();\n\n");
        let page = coverage_html(&coverage, &mut sources);
        assert!(page.contains("<span class=\"hit\">x &lt; 1;</span>"), "{page}");
        assert!(page.contains("<span class=\"missed\">y();</span>"), "{page}");
        assert!(page.contains("<td>2<td>1<td>50 %"), "{page}");
    }
}
