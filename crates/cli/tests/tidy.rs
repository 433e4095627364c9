//! Rules of the repository, as a test: layers, file sizes, nothing unfinished, nothing of one machine.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The layers of ARCHITECTURE.md: what each crate may use. What is missing here is absent on purpose.
const LAYERS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("testkit", &[]),
    ("ir", &["base"]),
    ("term", &["base"]),
    ("solver", &["base", "term"]),
    ("hw", &["base", "term", "solver"]),
    ("frontend", &["base", "ir"]),
    ("analysis", &["base", "ir"]),
    ("interp", &["base", "ir"]),
    ("symex", &["base", "ir", "term", "analysis"]),
    ("engines", &["base", "ir", "term", "solver", "analysis", "symex", "interp"]),
    ("report", &["base", "ir", "interp", "engines"]),
    ("kit", &["base", "ir", "frontend", "interp", "report"]),
    ("fuzz", &["base", "ir", "frontend", "interp", "engines", "report", "kit"]),
    ("workflow", &["base", "ir", "frontend", "engines", "report", "kit"]),
    (
        "cli",
        &[
            "base", "ir", "solver", "hw", "frontend", "analysis", "interp", "engines", "report", "kit", "fuzz",
            "workflow",
        ],
    ),
];

const LONGEST_FILE: usize = 800;
const LONGEST_ARCHITECTURE: usize = 150;

#[test]
fn crates_use_only_the_layers_below() {
    let allowed: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    for folder in folders(&common::root().join("crates")) {
        let name = folder.file_name().expect("a crate should have a name").to_string_lossy().into_owned();
        let Some(allowed) = allowed.get(name.as_str()) else {
            panic!("crate {name} is in no layer of ARCHITECTURE.md")
        };
        let used = internal_dependencies(&folder.join("Cargo.toml"));
        let wrong: Vec<&String> = used.iter().filter(|d| !allowed.contains(&d.as_str())).collect();
        assert!(wrong.is_empty(), "{name} must not use {wrong:?}");
    }
}

/// Names of our own crates in the `[dependencies]` of a manifest.
fn internal_dependencies(manifest: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(manifest).expect("a crate should have a manifest");
    let mut section = String::new();
    let mut found = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.to_owned();
        } else if let (true, Some(rest)) = (section == "[dependencies]", line.strip_prefix("blitz-")) {
            found.insert(rest.split(['.', ' ', '=']).next().unwrap_or(rest).to_owned());
        }
    }
    found
}

#[test]
fn files_stay_short() {
    let long: Vec<String> = sources()
        .iter()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > LONGEST_FILE)
        .map(|(path, lines)| format!("{} has {lines} lines", path.display()))
        .collect();
    assert!(long.is_empty(), "files should have at most {LONGEST_FILE} lines: {long:#?}");
}

#[test]
fn nothing_is_left_unfinished() {
    // Spelt in two halves, so that this file does not find itself.
    let words = [concat!("todo", "!("), concat!("unimplemented", "!("), concat!("FIX", "ME"), concat!("#[ign", "ore")];
    complain_about(&words, "should not be left in the code");
}

#[test]
fn nothing_of_one_machine_is_in_the_code() {
    // A folder of some user's, or of the place where this was written; a model's "user" is nobody.
    let words =
        [concat!("/home", "/runner"), concat!("/ro", "ot/."), concat!("/work", "/main"), concat!("/work", "/shared")];
    complain_about(&words, "is a path of one machine");
}

#[test]
fn only_the_command_line_prints_or_exits() {
    let words = [
        concat!("print", "!("),
        concat!("println", "!("),
        concat!("dbg", "!("),
        concat!("process", "::exit"),
        concat!("process", "::abort"),
    ];
    let found: Vec<String> = sources()
        .into_iter()
        .filter(|(path, _)| is_library_source(path))
        .flat_map(|(path, text)| occurrences(&path, &text, &words))
        .collect();
    assert!(found.is_empty(), "a library gives strings: {found:#?}");
}

#[test]
fn engines_do_not_know_each_other() {
    let engines: Vec<&str> = blitz_engines::Engine::ALL.iter().map(|e| e.name()).collect();
    for (path, text) in sources() {
        let place = path.to_string_lossy().into_owned();
        let of = |name: &&&str| {
            place.contains(&format!("engines/src/{name}/")) || place.ends_with(&format!("engines/src/{name}.rs"))
        };
        let Some(own) = engines.iter().find(of).filter(|name| **name != "auto") else { continue };
        for other in engines.iter().filter(|name| *name != own) {
            assert!(!text.contains(&format!("crate::{other}::")), "{place} should not use {other}");
        }
    }
}

fn is_library_source(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let parts: Vec<&str> = text.split('/').collect();
    parts.contains(&"src")
        && !parts.contains(&"cli")
        && !parts.contains(&"tests")
        && path.file_name().is_some_and(|f| f != "tests.rs")
}

/// What is known in one place only: a word of it, and the places.
const SECRETS: &[(&str, &[&str])] = &[
    (concat!("llvm", "_sys"), &["frontend/src/llvm/"]),
    (concat!("rustsat", "_cadical"), &["solver/src/sat/"]),
    // Seconds of solvers and proofs are for reports.
    (
        concat!("Instant", "::now"),
        &["base/src/budget.rs", "solver/src/cadical.rs", "solver/src/smtlib/mod.rs", "cli/src/"],
    ),
    (concat!("SystemTime", "::now"), &["base/src/budget.rs"]),
    (concat!("unsafe", " {"), UNSAFE),
    (concat!("unsafe", " fn"), UNSAFE),
    (concat!("unsafe", " impl"), UNSAFE),
    (concat!("unsafe", " extern"), UNSAFE),
    // Inlined calls recurse: whoever executes symbolically has the stack for it.
    (concat!("stack", "_size("), &["engines/src/", "cli/src/defect.rs", "cli/src/commands/fuzz.rs"]),
];

/// Bindings of LLVM and CaDiCaL; the interpreter's registers, pages and calls of the host; what starts processes and
/// shares memory with them.
const UNSAFE: &[&str] = &[
    "frontend/src/llvm/",
    "frontend/src/driver/clang.rs",
    "interp/src/",
    "solver/src/sat/",
    "solver/src/smtlib/process.rs",
    "kit/src/host.rs",
    "kit/src/native.rs",
    "fuzz/src/layout.rs",
    "fuzz/src/server.rs",
    "fuzz/src/store.rs",
];

/// Tests that look at the clock: what `--timeout` means is a time, and a search that is interrupted has to have begun.
const CLOCKS: &[&str] = &["cli/tests/daily.rs"];

#[test]
fn tests_measure_no_time_but_of_what_a_time_limit_means() {
    let is_test = |path: &Path| {
        let text = path.to_string_lossy();
        (text.contains("/tests/") || text.ends_with("/tests.rs")) && !CLOCKS.iter().any(|c| text.contains(c))
    };
    let words = [concat!("Instant", "::now"), concat!(".elap", "sed(")];
    let found: Vec<String> = sources()
        .into_iter()
        .filter(|(path, _)| is_test(path))
        .flat_map(|(path, text)| occurrences(&path, &text, &words))
        .collect();
    assert!(found.is_empty(), "a busy machine takes longer: {found:#?}");
}

/// The pages about the code, and what they put into backticks.
fn quoted() -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(common::root().join(page)).expect("a readable page");
        let code = text.split("```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2));
        found.extend(code.map(|quote| (page, quote.to_owned())));
    }
    found
}

#[test]
fn files_that_the_pages_about_the_code_name_are_there() {
    let root = common::root();
    let lost: Vec<_> = quoted()
        .into_iter()
        .filter(|(_, name)| name.contains('/') && !name.contains(['<', ' ', '*', '{']))
        .filter(|(_, name)| !root.join(name).exists() && !root.join("crates").join(name).exists())
        .filter(|(_, name)| !sources().iter().any(|(path, _)| path.to_string_lossy().contains(name.as_str())))
        .collect();
    assert!(lost.is_empty(), "should be files: {lost:#?}");
}

#[test]
fn functions_and_types_that_the_pages_about_the_code_name_are_there() {
    let code = sources();
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let declared = |name: &str| {
        let kinds = ["fn", "struct", "enum", "trait", "mod", "type", "const", "macro_rules!"];
        let starts = kinds.map(|kind| format!("{kind} {name}"));
        // A variant stands at the beginning of a line.
        let begins =
            |line: &str| line.trim_start().strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '(', ',']));
        code.iter().any(|(_, text)| starts.iter().any(|s| text.contains(s.as_str())) || text.lines().any(begins))
    };
    let lost: Vec<_> = quoted()
        .into_iter()
        .filter(|(_, name)| name.contains("::") && name.chars().all(is_name))
        .filter(|(_, name)| !declared(name.rsplit("::").next().unwrap_or(name)))
        .collect();
    assert!(lost.is_empty(), "should be declared somewhere: {lost:#?}");
}

#[test]
fn directives_are_read_and_explained() {
    let page = std::fs::read_to_string(common::root().join("CONTRIBUTING.md")).expect("a readable page");
    let table = page.split("| directive | means |").nth(1).and_then(|rest| rest.split("\n\n").next());
    let table = table.expect("a table of directives");
    let explained: BTreeSet<&str> =
        table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next()).collect();
    let explained: BTreeSet<&str> = explained
        .into_iter()
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .map(|name| name.split(':').next().unwrap_or(name))
        .collect();
    let mut cases = common::all_cases();
    cases.extend(common::cases("threads"));
    let used: BTreeSet<&str> = cases.iter().flat_map(|c| c.header.keys().map(String::as_str)).collect();
    let unexplained: Vec<_> = used.difference(&explained).collect();
    assert!(unexplained.is_empty(), "CONTRIBUTING.md should explain {unexplained:?}");
    let tests: String = sources()
        .into_iter()
        .filter(|(path, _)| path.to_string_lossy().contains("cli/tests/"))
        .map(|(_, text)| text)
        .collect();
    let unread: Vec<_> = explained
        .iter()
        .filter(|name| ![format!("key(\"{name}\")"), format!("(\"{name}\", \"--")].iter().any(|r| tests.contains(r)))
        .collect();
    assert!(unread.is_empty(), "no test reads {unread:?}");
}

#[test]
fn every_kind_of_check_is_documented_and_has_five_pairs() {
    let semantics = std::fs::read_to_string(common::root().join("docs/semantics.md")).expect("a readable page");
    for kind in blitz_ir::CheckKind::ALL {
        let name = kind.name();
        assert!(semantics.contains(name), "docs/semantics.md should say what {name} is");
        let folder = common::root().join("tests/c").join(name);
        if folder.is_dir() {
            let bugs = files(&folder).into_iter().filter(|p| p.to_string_lossy().ends_with(".bug.c")).count();
            assert!(bugs >= 5, "{name} should have five pairs, not {bugs}");
        }
    }
}

#[test]
fn what_one_place_knows_stays_there() {
    for (word, places) in SECRETS {
        let elsewhere: Vec<String> = sources()
            .into_iter()
            .filter(|(path, _)| path.to_string_lossy().contains("/src/") && path.extension().is_some_and(|e| e == "rs"))
            .filter(|(path, _)| !places.iter().any(|place| path.to_string_lossy().contains(place)))
            .flat_map(|(path, text)| occurrences(&path, &text, &[word]))
            .collect();
        assert!(elsewhere.is_empty(), "only {places:?} should know {word}: {elsewhere:#?}");
    }
}

#[test]
fn every_file_of_rust_begins_with_what_it_is() {
    let bare: Vec<String> = sources()
        .into_iter()
        .filter(|(path, text)| path.extension().is_some_and(|e| e == "rs") && !text.starts_with("//!"))
        .filter(|(path, _)| path.file_name().is_some_and(|f| f != "tests.rs"))
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert!(bare.is_empty(), "a module should open with its documentation: {bare:#?}");
}

#[test]
fn the_architecture_is_one_short_page_and_a_page_per_engine() {
    let root = common::root();
    let lines = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("a readable page").lines().count();
    assert!(lines <= LONGEST_ARCHITECTURE, "ARCHITECTURE.md has {lines} lines");
    for engine in blitz_engines::Engine::ALL {
        let page = root.join(format!("docs/engines/{}.md", engine.name()));
        let text = std::fs::read_to_string(&page).unwrap_or_default();
        let says_what_is_missing = text.contains("**Missing.**") || text.contains("## Missing");
        assert!(text.contains("**Idea.**") && says_what_is_missing, "{page:?}");
    }
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page should be text");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next()) {
            let folder = page.parent().expect("a page should be in a folder");
            if !target.is_empty() && !target.contains("://") && !folder.join(target).exists() {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links should lead to files: {broken:#?}");
}

#[test]
fn entities_have_types_of_their_own() {
    let entities = ["object", "frame", "occurrence", "instance", "region", "activation", "chain"];
    let raw: Vec<String> =
        entities.iter().flat_map(|e| [format!("{e}: u32"), format!("{e}s: Vec<u32>"), format!("{e}s: u32")]).collect();
    let raw: Vec<&str> = raw.iter().map(String::as_str).collect();
    let found: Vec<String> = sources()
        .iter()
        .filter(|(path, _)| is_library_source(path))
        .flat_map(|(path, text)| occurrences(path, text, &raw))
        .collect();
    assert!(found.is_empty(), "should be ids (`base::ids`): {found:#?}");
}

/// The words that meant two things, or nothing to a reader who knows the field.
#[test]
fn confused_words_stay_out() {
    let words =
        [concat!("how man", "ieth"), concat!("so man", "ieth"), concat!("taken ", "to be"), concat!("evi", "dent")];
    complain_about(&words, "has a better word in the glossary");
    // A graph is visited; what executions do is an iteration, an activation or an occurrence.
    let is_about_executions = |path: &Path| {
        let crates = ["crates/engines/", "crates/symex/", "crates/interp/", "crates/analysis/", "crates/cli/src/"];
        crates.iter().any(|c| path.to_string_lossy().contains(c))
    };
    let visits: Vec<String> = sources()
        .iter()
        .filter(|(path, _)| is_about_executions(path))
        .flat_map(|(path, text)| occurrences(path, text, &["visit", "Visit"]))
        .collect();
    assert!(visits.is_empty(), "should say iteration, activation or occurrence: {visits:#?}");
}

#[test]
fn names_of_inputs_are_read_in_one_place_and_library_models_use_them() {
    let names = blitz_ir::channel::FIXED.iter().map(|(name, _)| format!("\"{name}\""));
    let names: Vec<String> = names.collect();
    let (mut models, mut elsewhere) = (String::new(), Vec::new());
    for (path, text) in sources() {
        let place = path.to_string_lossy().into_owned();
        if place.contains("frontend/libc/src") {
            models.push_str(&text);
        } else if is_library_source(&path) && !place.ends_with("ir/src/channel.rs") {
            // One word may mean something else.
            let spoken: Vec<&str> = names.iter().map(String::as_str).filter(|n| n.contains(' ')).collect();
            elsewhere.extend(occurrences(&path, &text, &spoken));
        }
    }
    assert!(elsewhere.is_empty(), "an input is known by its channel: {elsewhere:#?}");
    models.push_str("\"allocation fails\"");
    let unused: Vec<&String> = names.iter().filter(|n| !models.contains(n.as_str())).collect();
    assert!(unused.is_empty(), "no library model asks for {unused:?}");
}

#[test]
fn numbers_of_the_engines_stand_in_one_table() {
    // No choices, or defaults of options; and what prints conditions of paths.
    let known = [
        "STACK",
        "MAX_SENTENCES",
        "DEFAULT_INLINE",
        "EXACT",
        "START",
        "PRIME",
        "MAX_DEPTH",
        "MAX_ACTIVATIONS",
        "MAX_PATH_STEPS",
    ];
    let number = |line: &str| {
        let (name, ty) = line.split_once("const ")?.1.split_once(": ")?;
        let counts = ["u16 ", "u32 ", "u64 ", "usize ", "Work ", "Duration ", "f64 "].iter().any(|t| ty.starts_with(t));
        (counts && !known.contains(&name)).then(|| name.to_owned())
    };
    let mut found = Vec::new();
    for (path, text) in sources() {
        let place = path.to_string_lossy().into_owned();
        if place.contains("crates/engines/src") && !place.ends_with("tuning.rs") {
            found.extend(text.lines().filter_map(number).map(|name| format!("{place}: {name}")));
        }
    }
    assert!(found.is_empty(), "engines/src/tuning.rs should hold {found:#?}");
}

/// A `_` arm over instructions may say that an instruction has not the shape that is looked for. What an instruction
/// means is decided one by one. The same holds for the operations of terms: what a rule does not fit, and what is not
/// taken apart, stays as it is.
#[test]
fn matches_over_instructions_and_terms_are_closed() {
    let nothing = [
        "None,",
        "return None,",
        "false,",
        "return false,",
        "{}",
        "Vec::new(),",
        "Simple::Keep,",
        "return,",
        // Facts about bits: anything may be set.
        "all,",
        // On to a match that is closed.
        "Op::Slow,",
        "self.slow_inst(func.inst(i)).map(|()| Next::Continue),",
        "self.pure(id, block),",
        // What is no comparison is compared with zero; sizes, orders and places of what is something else.
        "Inst::Compare { op: CmpOp::Eq, lhs: cond, rhs: b.int(1, 0) },",
        "1,",
        "Self::OutOfBounds,",
        "work.extend(data.term.successors().into_iter().map(|(to, _)| to)),",
        // What is no search looks at all it is given.
        "(None, limit),",
        "{",
    ];
    let whole = [
        // The rules of `term/build` have the plain operation last.
        "self.unary(Kind::Neg, width, a),",
        "self.unary(Kind::Not, width, a),",
        "self.binary(Kind::Add, width, a, k),",
        "self.binary(Kind::Mul, width, a, k),",
        "self.binary(Kind::Eq, 1, a, b),",
        "return self.extract_rules(t, hi, lo),",
        "match self.low_constant(index) {",
        "return Stop::Stuck(at),",
        // Sums, conjunctions, negations, choices and stacks of writes: what is none is one part.
        "(t, None),",
        "(t, one()),",
        "(t, true),",
        "(fact, holds),",
        "return t,",
        "(t, false),",
        "(fact, true),",
        "(inner, k),",
        "(part, self.tru()),",
        "(Some(address), 0),",
        "[None, None],",
        "Some(a),",
        "part,",
        "at,",
        "out.push(t),",
        "out.push((cond, t)),",
        "conjuncts.push(t),",
        "terms.children(t).to_vec(),",
        "match parts.iter_mut().find(|(p, _)| *p == t) {",
        "self.ptr_add_plain(terms, p, delta),",
        "out.learn(terms, part),",
        "self.decided.insert(fact, false),",
        // Nothing is known of its bits.
        "width,",
        "0,",
        "KnownBits::default(),",
        "(self.used_bits(t) + 1).min(u32::from(self.width(t))),",
        // For people.
        "ELLIPSIS.to_owned(),",
        "self.text(t, depth),",
        "expression(terms, t, text),",
    ];
    let mut open = Vec::new();
    for (path, text) in sources().into_iter().filter(|(path, _)| is_library_source(path)) {
        let lines: Vec<&str> = text.lines().collect();
        for (i, line) in lines.iter().enumerate() {
            let Some(body) = line.trim_start().strip_prefix("_ => ") else { continue };
            let fits = |prefixes: &'static [&str]| arms_above(&lines[..i], line).any(|arm| is_about(prefixes, arm));
            let of_instructions = !nothing.contains(&body) && fits(&["Inst::", "Terminator::"]);
            let of_terms = !nothing.contains(&body) && !whole.contains(&body) && fits(&["Op::"]);
            if of_instructions || of_terms {
                open.push(format!("{}:{}: {body}", path.display(), i + 1));
            }
        }
    }
    assert!(open.is_empty(), "a new instruction or operation should be decided here: {open:#?}");
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The lines of the same match that begin where this one does.
fn arms_above<'a>(before: &'a [&'a str], line: &str) -> impl Iterator<Item = &'a str> {
    let depth = indent(line);
    let inside = before.iter().rev().take_while(move |l| l.trim().is_empty() || indent(l) >= depth);
    inside.filter(move |l| indent(l) == depth).copied()
}

fn is_about(prefixes: &[&str], arm: &str) -> bool {
    let pattern = arm.trim_start().trim_start_matches(['|', '&', '(', ' ']);
    let pattern = pattern.strip_prefix("Some(").unwrap_or(pattern).trim_start_matches('&');
    prefixes.iter().any(|prefix| pattern.starts_with(prefix))
}

/// Twins that differ in more than one place: a statement that is moved, or a name that is used several times.
const MOVED: &[&str] = &["given-freed-memory", "wide-text-freed", "leak-of-temporary", "atomic-section"];
/// The most tokens of an expression by which twins differ.
const MOST_TOKENS: usize = 8;

#[test]
fn twins_differ_in_one_place() {
    let corpus = common::root().join("tests/c");
    let mut far = Vec::new();
    for bug in folders(&corpus).iter().flat_map(|f| files(f)) {
        let name = bug.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let Some(stem) = name.strip_suffix(".bug.c") else { continue };
        let safe = bug.with_file_name(format!("{stem}.safe.c"));
        let (Ok(one), Ok(other)) = (std::fs::read_to_string(&bug), std::fs::read_to_string(&safe)) else { continue };
        let (one, other) = (tokens(&one), tokens(&other));
        let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
        let (one, other) = (&one[same..], &other[same..]);
        let end = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
        let differ = one.len().max(other.len()) - end;
        if differ > MOST_TOKENS && !MOVED.contains(&stem) {
            far.push(format!("{}: {differ} tokens", bug.display()));
        }
    }
    assert!(far.is_empty(), "bug and safe twins should differ in one expression: {far:#?}");
}

/// Words, and other characters one by one; without comments.
fn tokens(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let code = text.lines().map(|l| l.split("//").next().unwrap_or(l)).filter(|l| !l.trim_start().starts_with("/*"));
    for line in code {
        let mut word = String::new();
        for c in line.chars().chain([' ']) {
            if c.is_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            if !word.is_empty() {
                out.push(std::mem::take(&mut word));
            }
            if !c.is_whitespace() {
                out.push(c.to_string());
            }
        }
    }
    out
}

/// Every page for readers.
fn pages() -> Vec<PathBuf> {
    let root = common::root();
    let mut open = vec![root.join("docs")];
    let mut found = files(&root);
    found.extend(files(&root.join("bench")));
    while let Some(folder) = open.pop() {
        open.extend(folders(&folder));
        found.extend(files(&folder));
    }
    found.retain(|p| p.extension().is_some_and(|e| e == "md"));
    found
}

fn complain_about(words: &[&str], why: &str) {
    let found: Vec<String> = sources().iter().flat_map(|(path, text)| occurrences(path, text, words)).collect();
    assert!(found.is_empty(), "{why}: {found:#?}");
}

fn occurrences(path: &Path, text: &str, words: &[&str]) -> Vec<String> {
    let hit = |(i, line): (usize, &str)| {
        let word = words.iter().find(|w| line.contains(**w))?;
        Some(format!("{}:{}: {word}", path.display(), i + 1))
    };
    text.lines().enumerate().filter_map(hit).collect()
}

/// Every source file of ours: Rust, C, scripts.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![common::root().join("crates"), common::root().join("scripts")];
    while let Some(folder) = open.pop() {
        open.extend(folders(&folder));
        for path in files(&folder) {
            if path.extension().is_some_and(|e| e == "rs" || e == "c" || e == "h" || e == "sh") {
                let text = std::fs::read_to_string(&path).expect("a source file should be text");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|p| p.is_dir()).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|p| p.is_file()).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let written_by_tools = |p: &PathBuf| p.file_name().is_some_and(|f| f == "target" || f == "blitz-out");
    let list = std::fs::read_dir(folder).expect("a folder should be readable");
    list.map(|e| e.expect("a folder entry").path()).filter(|p| !written_by_tools(p)).collect()
}
