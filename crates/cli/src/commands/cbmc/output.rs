//! What CBMC prints: text, `--json-ui`, `--xml-ui`.

use super::VERSION;
use super::options::Ui;
use blitz_report::Finding;
use serde_json::{Value, json};

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
    json: Vec<Value>,
    xml: String,
}

impl Printer {
    pub fn new(ui: Ui) -> Printer {
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
        Printer { ui, json, xml }
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
                    "name": r.name, "class": r.class, "description": r.description, "sourceLocation": location(r), "expression": "",
                }));
                self.json.push(json!({ "properties": list.collect::<Vec<_>>() }));
            }
            Ui::Xml => rows.iter().for_each(|r| {
                self.xml.push_str(&format!(
                    "<property class=\"{}\" name=\"{}\">\n  {}\n  <description>{}</description>\n  <expression></expression>\n</property>\n",
                    r.class,
                    escaped(&r.name),
                    xml_location(&r.file, &r.function, r.line),
                    escaped(&r.description)
                ));
            }),
        }
    }

    pub fn loops(&mut self, rows: &[(String, String, String, u32)]) {
        for (name, file, function, line) in rows {
            match self.ui {
                Ui::Text => println!("\nLoop {name}:\n  file {file} line {line} function {function}"),
                Ui::Json => self.json.push(json!({ "name": name, "sourceLocation": { "file": file, "function": function, "line": line.to_string() } })),
                Ui::Xml => self.xml.push_str(&format!(
                    "<loop name=\"{}\">\n  {}\n</loop>\n",
                    escaped(name),
                    xml_location(file, function, *line)
                )),
            }
        }
    }

    pub fn results(&mut self, rows: &[Answered], trace: bool) {
        match self.ui {
            Ui::Text => text_results(rows, trace),
            Ui::Json => {
                self.json.push(json!({ "result": rows.iter().map(|a| json_result(a, trace)).collect::<Vec<_>>() }))
            }
            Ui::Xml => rows.iter().for_each(|a| self.xml.push_str(&xml_result(a))),
        }
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
        println!("\nTrace for {}:\n", a.row.name);
        for line in blitz_report::full_trace(&finding.trace) {
            println!("{line}");
        }
        println!(
            "\nViolated property:\n  file {} function {} line {}\n  {}\n",
            a.row.file, a.row.function, a.row.line, a.row.description
        );
    }
    let failed = rows.iter().filter(|a| a.status == "FAILURE").count();
    println!("\n** {failed} of {} failed (1 iterations)", rows.len());
}

fn location(row: &Row) -> Value {
    json!({ "file": row.file, "function": row.function, "line": row.line.to_string() })
}

fn json_result(a: &Answered, trace: bool) -> Value {
    let mut out = json!({
        "property": a.row.name,
        "description": a.row.description,
        "sourceLocation": location(&a.row),
        "status": a.status,
    });
    if let Some(finding) = a.finding.as_ref().filter(|_| trace) {
        let steps: Vec<Value> = finding.inputs.iter().map(|i| json!({
            "stepType": "assignment", "assignmentType": "variable", "hidden": false, "lhs": i.name, "value": { "data": i.value },
        })).collect();
        let mut steps = steps;
        steps.push(json!({ "stepType": "failure", "property": a.row.name, "reason": a.row.description, "sourceLocation": location(&a.row), "hidden": false }));
        out["trace"] = json!(steps);
    }
    out
}

fn xml_result(a: &Answered) -> String {
    let head = format!("<result property=\"{}\" status=\"{}\"", escaped(&a.row.name), a.status);
    let Some(finding) = &a.finding else { return format!("{head}/>\n") };
    let place = xml_location(&a.row.file, &a.row.function, a.row.line);
    let mut text = format!("{head}>\n<goto_trace>\n");
    for input in &finding.inputs {
        text.push_str(&format!(
            "<assignment assignment_type=\"state\" base_name=\"{0}\" display_name=\"{0}\" hidden=\"false\" identifier=\"{0}\" mode=\"C\" step_nr=\"0\" thread=\"0\">\n  {place}\n  <full_lhs>{0}</full_lhs>\n  <full_lhs_value>{1}</full_lhs_value>\n</assignment>\n",
            escaped(&input.name),
            escaped(&input.value)
        ));
    }
    text.push_str(&format!(
        "<failure hidden=\"false\" property=\"{}\" reason=\"{}\" step_nr=\"1\" thread=\"0\">\n  {place}\n</failure>\n</goto_trace>\n</result>\n",
        escaped(&a.row.name),
        escaped(&a.row.description)
    ));
    text
}

fn xml_location(file: &str, function: &str, line: u32) -> String {
    format!(
        "<location file=\"{}\" function=\"{}\" line=\"{line}\" working-directory=\"\"/>",
        escaped(file),
        escaped(function)
    )
}

fn escaped(text: &str) -> String {
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
