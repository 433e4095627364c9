//! `blitz cbmc`: checks a goto binary or C files, and answers in CBMC's form.

use super::goto::Goto;
use super::loops::Loops;
use super::options::{Options, Task};
use super::output::{Answered, Ending, Printer, Row};
use super::words;
use crate::{Exit, Fault, interrupt};
use blitz_base::Budget;
use blitz_engines::{BOUNDED_FIRST_WORK, BOUNDED_WORK, Behind, CheckConfig, Engine, Status};
use blitz_frontend::driver;
use blitz_frontend::unit::Variables;
use blitz_frontend::{CompiledUnit, LibcVariant, LoadError, LoadOptions, NoBody};
use blitz_ir::{CheckKind, FuncId, Program, Property, PropertyId};
use blitz_report::{Finding, from_check};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::mem::ManuallyDrop;

/// CBMC's exit codes: verified, a failure, not decided.
const SUCCESSFUL: Exit = Exit::Success;
const FAILED: Exit = Exit::Violation;
const INCONCLUSIVE: Exit = Exit::Status(5);
/// The command line is wrong, and the program can't be read.
const USAGE: Exit = Exit::Status(1);
const UNREADABLE: Exit = Exit::Status(6);

pub fn cbmc(args: &[OsString]) -> Result<Exit, Fault> {
    let options = match Options::parse(&words(args)) {
        Ok(options) => options,
        Err(fault) => return Ok(told(&fault, USAGE)),
    };
    if options.task == Task::Version {
        println!("{}", super::VERSION);
        return Ok(Exit::Success);
    }
    match work(&options) {
        Ok(exit) => Ok(exit),
        Err(fault) => Ok(told(&fault, UNREADABLE)),
    }
}

fn told(fault: &Fault, exit: Exit) -> Exit {
    match fault {
        Fault::Sentence(text) | Fault::Verbatim(text) => eprintln!("{}", text.trim_end()),
    }
    exit
}

fn work(options: &Options) -> Result<Exit, Fault> {
    let goto = inputs(options)?;
    let options = &options.bounded_by(&goto.early);
    let program = load(&goto, options)?;
    let directory = goto.units.first().map(|u| u.directory.display().to_string()).unwrap_or_default();
    let mut printer = Printer::new(options.ui, directory, definitions(&program));
    let wanted = !options.unwindset.is_empty() || options.unwind.is_some() || options.task == Task::ShowLoops;
    let loops = Loops::new(&program, if wanted { goto.inputs() } else { Vec::new() });
    match options.task {
        Task::ShowLoops => {
            printer.loops(&loop_rows(&program, &loops));
            printer.finish(None);
            Ok(SUCCESSFUL)
        }
        Task::ShowProperties => {
            let rows: Vec<Row> = named(&program).into_values().collect();
            printer.properties(&rows);
            printer.finish(None);
            Ok(SUCCESSFUL)
        }
        Task::ShowSymbols => {
            super::tables::symbols(&program);
            Ok(SUCCESSFUL)
        }
        Task::Cover => cover(options, &goto, &program, &loops, printer),
        Task::Write(what) => {
            let names = named(&program);
            let properties = ours(&program, &names, &options.properties)?;
            let config = CheckConfig { properties, ..config(options, &goto, &loops, &mut printer) };
            let rows = names.into_iter().map(|((_, _, _, id), row)| (id, row)).collect();
            super::formula::write(what, options, &program, &config, &rows)
        }
        Task::Check | Task::Version => check(options, &goto, &program, &loops, printer),
    }
}

fn inputs(options: &Options) -> Result<Goto, Fault> {
    if options.files.is_empty() {
        return Err(Fault::new("cbmc: name C files or a goto binary"));
    }
    let mut goto = Goto::default();
    for file in &options.files {
        match file.extension().and_then(|e| e.to_str()) {
            Some("c" | "i") if !Goto::is_one(file) => goto.add_source(file, &options.flags, false)?,
            _ => goto.add(Goto::read(file)?),
        }
    }
    goto.entry = options.function.clone().or(goto.entry);
    Ok(goto)
}

pub fn load(goto: &Goto, options: &Options) -> Result<ManuallyDrop<Program>, Fault> {
    let compiled = goto.compile()?;
    let wrong = |e: LoadError| Fault::new(e.to_string());
    let entry = goto.entry.clone().unwrap_or_else(|| "main".to_owned());
    let nondet_static = goto.nondet_static || options.nondet_static;
    let hold = if nondet_static { Variables::AnyBytes } else { Variables::Initialised };
    let unit = match entry.as_str() {
        "main" if nondet_static => {
            return Err(Fault::new("--nondet-static: name the function to begin with, it can't be main"));
        }
        "main" => None,
        name => {
            let made = blitz_frontend::unit::harness(compiled.modules.clone(), name, hold).map_err(wrong)?;
            let bitcode = driver::compile_unit(&made.text, made.ptr_bits).map_err(|e| Fault::new(e.to_string()))?;
            Some(CompiledUnit { bitcode, symbols: made.symbols })
        }
    };
    let load = LoadOptions {
        checks: options.checks,
        libc: LibcVariant::Model,
        entry: Some(entry),
        unit,
        offset_bits: None,
        no_body: NoBody::Fails,
    };
    let program = blitz_frontend::load(compiled.modules, &load).map_err(wrong)?;
    Ok(ManuallyDrop::new(program))
}

/// Where the user's functions begin.
fn definitions(program: &Program) -> super::trace::Definitions {
    let known = program.funcs.iter().filter(|f| !f.model && f.loc.is_known());
    known.map(|f| (f.name.clone(), (program.file(f.loc.file).to_owned(), f.loc.line))).collect()
}

fn loop_rows(program: &Program, loops: &Loops<'_>) -> Vec<(String, String, String, u32)> {
    let mut rows = Vec::new();
    for f in crate::input::functions(program).filter(|f| !program.decl(*f).model) {
        let Some(body) = program.body(f) else { continue };
        let forest = blitz_ir::LoopForest::new(body);
        let function = program.decl(f).name.clone();
        for (number, id) in loops.of(f) {
            let loc = forest.info(id).loc;
            let file = if loc.is_known() { program.file(loc.file).to_owned() } else { String::new() };
            rows.push((format!("{function}.{number}"), file, function.clone(), loc.line));
        }
    }
    rows
}

/// CBMC's class for a kind of check.
fn class(kind: CheckKind, text: &str) -> &'static str {
    use CheckKind as K;
    match kind {
        K::Assertion if text.starts_with("no body for ") => "no-body",
        K::Assertion => "assertion",
        K::ArrayBounds => "array_bounds",
        K::BufferOverflow | K::NullDeref | K::UseAfterFree | K::UseAfterScope => "pointer_dereference",
        K::DoubleFree | K::InvalidFree => "precondition_instance",
        K::MemoryLeak => "memory-leak",
        K::Uninitialised => "uninitialised",
        K::SignedOverflow | K::UnsignedOverflow => "overflow",
        K::Shift => "undefined-shift",
        K::DivByZero => "division-by-zero",
        K::PointerOverflow => "pointer_arithmetic",
        K::Unreachable => "unreachable",
        K::Unwinding => "unwind",
        K::DataRace => "data-race",
        K::Deadlock => "deadlock",
        K::MutexMisuse => "mutex-misuse",
    }
}

/// Every property of the user's functions under the name CBMC would give it: counted per function and class, by place.
fn named(program: &Program) -> BTreeMap<(FuncId, u32, u32, PropertyId), Row> {
    program.fix_properties();
    let mut all: Vec<(PropertyId, Property)> =
        program.properties().into_iter().filter(|(_, p)| !program.decl(p.func).model).collect();
    all.sort_by_key(|(id, p)| (p.func, p.loc, *id));
    let mut counts: BTreeMap<(FuncId, &'static str), u32> = BTreeMap::new();
    let mut out = BTreeMap::new();
    for (id, p) in all {
        let class = class(p.kind, &p.text);
        let count = counts.entry((p.func, class)).or_default();
        // CBMC counts assertions that hold at once, too: a name has to mean the same one.
        *count = if class == "assertion" { p.number } else { *count + 1 };
        let function = program.decl(p.func).name.clone();
        let row = Row {
            name: format!("{function}.{class}.{count}"),
            class,
            description: p.text,
            file: if p.loc.is_known() { program.file(p.loc.file).to_owned() } else { String::new() },
            function,
            line: p.loc.line,
        };
        out.insert((p.func, p.loc.line, p.loc.col, id), row);
    }
    out
}

fn check(
    options: &Options,
    goto: &Goto,
    program: &Program,
    loops: &Loops<'_>,
    mut printer: Printer,
) -> Result<Exit, Fault> {
    for name in &options.unchecked {
        printer.warning(&format!("--{name}: blitz does not look for this; the answer is without it"));
    }
    let names = named(program);
    let properties = ours(program, &names, &options.properties)?;
    let config = CheckConfig { properties, ..config(options, goto, loops, &mut printer) };
    let budget = Budget::new(None, None);
    interrupt::cancel_on_ctrl_c(&budget);
    printer.status("Starting Bounded Model Checking");
    let answer = decided(program, &config, &budget)?;
    let report = from_check(program, &answer, &budget);
    let mut rows = answered(program, &answer, names, &report.violations);
    if options.unwinding_assertions {
        rows.extend(unwinding(program, &answer, loops));
    }
    let ending = ending(options, &answer, &rows);
    if ending == Ending::Inconclusive {
        let reason = report.reason.as_ref().map_or("not everything could be decided", |r| &r.text);
        printer.warning(reason);
    }
    for note in &answer.notes {
        printer.status(note);
    }
    printer.results(&rows, options.trace);
    printer.end(ending);
    Ok(match ending {
        Ending::Successful => SUCCESSFUL,
        Ending::Failed => FAILED,
        Ending::Inconclusive => INCONCLUSIVE,
    })
}

/// Where every loop has a bound the question is one formula, and bmc, which asks it, comes before the rounds in which all engines do their
/// work again and again. Before that the incremental engine gets a moment: loops that end long before their bounds are quick for it.
fn decided(program: &Program, config: &CheckConfig, budget: &Budget) -> Result<blitz_engines::Report, Fault> {
    let ask = |config: &CheckConfig, budget: &Budget| {
        blitz_engines::check_observed(program, config, budget, &|_| {}).map_err(|e| Fault::new(e.to_string()))
    };
    let with = |engine| CheckConfig { engine, ..config.clone() };
    // One property may hold without regard to a bound that others' loops go beyond; only the others look at it so.
    if config.unwind.is_some() && config.properties.is_empty() {
        let answer = ask(&with(Engine::Incremental), &budget.worth(BOUNDED_FIRST_WORK))?;
        if matches!(answer.verdict, blitz_engines::Verdict::Safe | blitz_engines::Verdict::Violation) {
            return Ok(answer);
        }
        let answer = ask(&with(Engine::Bmc), &budget.worth(BOUNDED_WORK))?;
        if answer.verdict != blitz_engines::Verdict::Unknown {
            return Ok(answer);
        }
    }
    ask(config, budget)
}

/// The configuration that options and goto binary ask for, all properties included.
fn config(options: &Options, goto: &Goto, loops: &Loops<'_>, printer: &mut Printer) -> CheckConfig {
    let (unwindset, unknown) = loops.bounds(&options.unwindset);
    for name in unknown {
        printer.warning(&format!("there is no loop {name} to give a bound to"));
    }
    CheckConfig {
        unwind: options.unwind,
        unwindset,
        counts_ways_back: true,
        behind: Behind::FreedIsKept,
        checks: options.checks,
        alloc_may_fail: options.malloc_may_fail.or(goto.malloc_may_fail).unwrap_or(true),
        stop_at_first: options.stop_on_fail,
        ..CheckConfig::default()
    }
}

fn cover(
    options: &Options,
    goto: &Goto,
    program: &Program,
    loops: &Loops<'_>,
    mut printer: Printer,
) -> Result<Exit, Fault> {
    let config = config(options, goto, loops, &mut printer);
    let budget = Budget::new(None, None);
    interrupt::cancel_on_ctrl_c(&budget);
    let coverage = blitz_engines::cover(program, &config, &budget).map_err(|e| Fault::new(e.to_string()))?;
    let goals = super::cover::goals(program, &coverage);
    super::cover::print(printer, &goals, coverage.incomplete.as_ref());
    Ok(SUCCESSFUL)
}

type Names = BTreeMap<(FuncId, u32, u32, PropertyId), Row>;

/// Our ids of the properties that were asked for by CBMC's names.
fn ours(program: &Program, names: &Names, asked: &[String]) -> Result<Vec<String>, Fault> {
    let find = |name: &String| {
        let hit = names.iter().find(|(_, row)| row.name == *name);
        hit.map(|((_, _, _, id), _)| program.property(*id).name.clone())
            .ok_or_else(|| Fault::new(format!("property {name} not found (`--show-properties` lists them; what holds wherever all before it does is no property here)")))
    };
    asked.iter().map(find).collect()
}

fn answered(program: &Program, answer: &blitz_engines::Report, mut names: Names, found: &[Finding]) -> Vec<Answered> {
    let mut rows = Vec::new();
    for result in &answer.properties {
        let p = program.property(result.property);
        let Some(row) = names.remove(&(p.func, p.loc.line, p.loc.col, result.property)) else { continue };
        let status = match result.status {
            Status::Violated => "FAILURE",
            Status::Proved | Status::Unreachable | Status::HoldsUpTo(_) => "SUCCESS",
            Status::Unknown(_) => "UNKNOWN",
        };
        let finding = found.iter().find(|f| f.property == p.name).filter(|_| status == "FAILURE").cloned();
        rows.push((p.func, p.loc, Answered { row, status, finding }));
    }
    rows.sort_by_key(|(func, loc, _)| (*func, *loc));
    rows.into_iter().map(|(_, _, a)| a).collect()
}

/// Loops that go on beyond their bound, as CBMC's assertions that they do not.
fn unwinding(program: &Program, answer: &blitz_engines::Report, loops: &Loops<'_>) -> Vec<Answered> {
    let row = |b: &blitz_engines::BoundReached| {
        let (function, name, description) = match loops.cbmc_name(&b.name) {
            Some((f, n)) if b.kind == blitz_engines::BoundKind::Loop => {
                (f.clone(), format!("{f}.unwind.{n}"), format!("unwinding assertion loop {n}"))
            }
            _ => (b.name.clone(), format!("{}.recursion", b.name), "recursion unwinding assertion".to_owned()),
        };
        let file = if b.loc.is_known() { program.file(b.loc.file).to_owned() } else { String::new() };
        let row = Row { name, class: "unwind", description, file, function, line: b.loc.line };
        Answered { row, status: "FAILURE", finding: None }
    };
    answer.bounds.iter().map(row).collect()
}

fn ending(options: &Options, answer: &blitz_engines::Report, rows: &[Answered]) -> Ending {
    if rows.iter().any(|a| a.status == "FAILURE") {
        return Ending::Failed;
    }
    match answer.verdict {
        blitz_engines::Verdict::Safe => Ending::Successful,
        blitz_engines::Verdict::Bounded if !options.unwinding_assertions => Ending::Successful,
        blitz_engines::Verdict::Violation => Ending::Failed,
        blitz_engines::Verdict::Bounded | blitz_engines::Verdict::Unknown => Ending::Inconclusive,
    }
}
