//! What CBMC prints: text, `--json-ui`, `--xml-ui`.

use super::VERSION;
use super::options::Ui;
use super::trace::{self, Definitions};
use blitz_report::Finding;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A property as CBMC lists it.
pub struct Row {
    pub name: String,
    pub class: &'static str,
    pub description: String,
    pub file: String,
    pub function: String,
    pub line: u32,
}

/// A property with its answer.
pub struct Answered {
    pub row: Row,
    /// `SUCCESS`, `FAILURE` or `UNKNOWN`.
    pub status: &'static str,
    pub finding: Option<Finding>,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Successful,
    Failed,
    Inconclusive,
}

impl Ending {
    fn word(self) -> &'static str {
        match self {
            Ending::Successful => "SUCCESSFUL",
            Ending::Failed => "FAILED",
            Ending::Inconclusive => "INCONCLUSIVE",
        }
    }

    fn status(self) -> &'static str {
        match self {
            Ending::Successful => "success",
            Ending::Failed => "failure",
            Ending::Inconclusive => "inconclusive",
        }
    }
}

/// Collects what is printed; text goes out at once.
pub struct Printer {
    ui: Ui,
    /// The folder in which the program was compiled: names of files are relative to it.
    directory: String,
    defined: Definitions,
    json: Vec<Value>,
    xml: String,
}

impl Printer {
    pub fn new(ui: Ui, directory: String, defined: Definitions) -> Printer {
        let program = format!("CBMC version {VERSION} 64-bit x86_64 linux");
        match ui {
            Ui::Text => println!("{program}"),
            Ui::Json | Ui::Xml => {}
        }
        let json = vec![json!({ "program": format!("CBMC {VERSION}") })];
        let xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cprover>\n<program>CBMC {}</program>\n",
            escaped(VERSION)
        );
        Printer { ui, directory, defined, json, xml }
    }

    pub fn ui(&self) -> Ui {
        self.ui
    }

    pub fn directory(&self) -> &str {
        &self.directory
    }

    /// Adds to what is printed as JSON.
    pub fn json(&mut self, value: Value) {
        self.json.push(value);
    }

    /// Adds to what is printed as XML.
    pub fn xml(&mut self, text: &str) {
        self.xml.push_str(text);
    }

    pub fn status(&mut self, text: &str) {
        self.message("STATUS-MESSAGE", text);
    }

    pub fn warning(&mut self, text: &str) {
        self.message("WARNING", text);
    }

    fn message(&mut self, kind: &str, text: &str) {
        match self.ui {
            Ui::Text if kind == "WARNING" => println!("**** WARNING: {text}"),
            Ui::Text => println!("{text}"),
            Ui::Json => self.json.push(json!({ "messageText": text, "messageType": kind })),
            Ui::Xml => {
                self.xml.push_str(&format!("<message type=\"{kind}\">\n  <text>{}</text>\n</message>\n", escaped(text)))
            }
        }
    }

    pub fn properties(&mut self, rows: &[Row]) {
        match self.ui {
            Ui::Text => rows.iter().for_each(|r| {
                println!("\nProperty {}:\n  file {} function {} line {}\n  {}", r.name, r.file, r.function, r.line, r.description);
            }),
            Ui::Json => {
                let list = rows.iter().map(|r| json!({
                    "name": r.name, "class": r.class, "description": r.description, "sourceLocation": json_place(&r.file, &r.function, r.line, &self.directory), "expression": "",
                }));
                self.json.push(json!({ "properties": list.collect::<Vec<_>>() }));
            }
            Ui::Xml => rows.iter().for_each(|r| {
                self.xml.push_str(&format!(
                    "<property class=\"{}\" name=\"{}\">\n  {}\n  <description>{}</description>\n  <expression> </expression>\n</property>\n",
                    r.class,
                    escaped(&r.name),
                    xml_place(&r.file, &r.function, r.line, &self.directory),
                    escaped(&r.description)
                ));
            }),
        }
    }

    pub fn loops(&mut self, rows: &[(String, String, String, u32)]) {
        let directory = &self.directory;
        match self.ui {
            Ui::Text => rows.iter().for_each(|(name, file, function, line)| {
                println!("\nLoop {name}:\n  file {file} line {line} function {function}");
            }),
            Ui::Json => {
                let list = rows.iter().map(|(name, file, function, line)| {
                    json!({ "name": name, "sourceLocation": json_place(file, function, *line, directory) })
                });
                self.json.push(json!({ "loops": list.collect::<Vec<_>>() }));
            }
            Ui::Xml => rows.iter().for_each(|(name, file, function, line)| {
                let (name, place) = (escaped(name), xml_place(file, function, *line, directory));
                self.xml
                    .push_str(&format!("<loop name=\"{name}\">\n  <loop-id>{name}</loop-id>\n  {place}\n</loop>\n"));
            }),
        }
    }

    pub fn results(&mut self, rows: &[Answered], trace: bool) {
        match self.ui {
            Ui::Text => text_results(rows, trace),
            Ui::Json => {
                let list = rows.iter().map(|a| self.json_result(a, trace)).collect::<Vec<_>>();
                self.json.push(json!({ "result": list }))
            }
            Ui::Xml => {
                let list: String = rows.iter().map(|a| self.xml_result(a, trace)).collect();
                self.xml.push_str(&list);
            }
        }
    }

    fn json_result(&self, a: &Answered, trace: bool) -> Value {
        let mut out = json!({
            "property": a.row.name,
            "description": a.row.description,
            "sourceLocation": json_place(&a.row.file, &a.row.function, a.row.line, &self.directory),
            "status": a.status,
        });
        if let Some(finding) = a.finding.as_ref().filter(|_| trace) {
            out["trace"] = trace::json(finding, &a.row, &self.defined, &self.directory);
        }
        out
    }

    fn xml_result(&self, a: &Answered, trace: bool) -> String {
        let place = xml_place(&a.row.file, &a.row.function, a.row.line, &self.directory);
        let finding = a.finding.as_ref().filter(|_| trace);
        let steps = finding.map_or(String::new(), |f| trace::xml(f, &a.row, &self.defined, &self.directory));
        format!("<result property=\"{}\" status=\"{}\">\n  {place}\n{steps}</result>\n", escaped(&a.row.name), a.status)
    }

    pub fn end(mut self, ending: Ending) {
        self.status(&format!("VERIFICATION {}", ending.word()));
        self.finish(Some(ending));
    }

    /// Prints what has been collected.
    pub fn finish(mut self, ending: Option<Ending>) {
        match self.ui {
            Ui::Text => {}
            Ui::Json => {
                self.json.extend(ending.map(|e| json!({ "cProverStatus": e.status() })));
                println!(
                    "{}",
                    serde_json::to_string_pretty(&self.json).expect("messages should be expressible in JSON")
                );
            }
            Ui::Xml => {
                if let Some(e) = ending {
                    self.xml.push_str(&format!("<cprover-status>{}</cprover-status>\n", e.status().to_uppercase()));
                }
                println!("{}</cprover>", self.xml);
            }
        }
    }
}

fn text_results(rows: &[Answered], trace: bool) {
    println!("\n** Results:");
    let mut last = (String::new(), String::new());
    for a in rows {
        let place = (a.row.file.clone(), a.row.function.clone());
        if place != last {
            println!("{} function {}", place.0, place.1);
            last = place;
        }
        println!("[{}] line {} {}: {}", a.row.name, a.row.line, a.row.description, a.status);
    }
    for a in rows.iter().filter(|_| trace) {
        let Some(finding) = &a.finding else { continue };
        print!("\nTrace for {}:\n\n{}", a.row.name, trace::text(finding));
        println!(
            "Violated property:\n  file {} function {} line {} thread 0\n  {}\n  violated\n",
            a.row.file, a.row.function, a.row.line, a.row.description
        );
    }
    let failed = rows.iter().filter(|a| a.status == "FAILURE").count();
    println!("\n** {failed} of {} failed (1 iterations)", rows.len());
}

/// A place as JSON; what is not known is left out.
pub fn json_place(file: &str, function: &str, line: u32, directory: &str) -> Value {
    let mut place = json!({ "file": file, "line": line.to_string(), "workingDirectory": directory });
    if !function.is_empty() {
        place["function"] = json!(function);
    }
    place
}

pub fn xml_place(file: &str, function: &str, line: u32, directory: &str) -> String {
    let function = match function {
        "" => String::new(),
        name => format!(" function=\"{}\"", escaped(name)),
    };
    format!(
        "<location file=\"{}\"{function} line=\"{line}\" working-directory=\"{}\"/>",
        escaped(file),
        escaped(directory)
    )
}

/// Lines as CBMC writes them: `3,6-10`.
pub fn lines_text(lines: &BTreeSet<u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => runs.push((line, line)),
        }
    }
    let text = |(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    runs.iter().map(text).collect::<Vec<_>>().join(",")
}

pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() && c != '\n' && c != '\t' => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
