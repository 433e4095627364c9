//! `blitz explore`: path by path, with a test for each.

use super::check;
use crate::explore_args::{ExploreArgs, SearchArgs};
use crate::status_file;
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use blitz_base::Budget;
use blitz_engines::{Engine, Exploration, ExploreOptions, Spot};
use blitz_frontend::driver::Clang;
use blitz_ir::{FuncId, Program};
use blitz_kit::Minimise;
use blitz_report::witness::Task;
use blitz_workflow::{Loaded, RunFolder};
use std::path::Path;

/// Explores what the command line names.
pub fn explore(args: &ExploreArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let mut check = args.check.clone();
    if check.engine.is_some_and(|e| e != Engine::Explore) {
        return Err(Fault::new("blitz explore has an engine of its own: --engine is for blitz check"));
    }
    check.engine = Some(Engine::Explore);
    check.limits.timeout = args.search.max_time.or(check.limits.timeout);
    check.limits.memory = args.search.max_memory.or(check.limits.memory);
    let scratch = tempfile::tempdir().map_err(|e| Fault::new(format!("no temporary folder: {e}")))?;
    let file = scratch.path().join("environment.c");
    let text = environment(&args.search)?;
    std::fs::write(&file, text).map_err(|e| Fault::new(format!("{}: {e}", file.display())))?;
    check.limits_file = Some(file);
    check.assumptions = assumptions(&args.search);
    check.search = Some(Box::new(args.search.clone()));
    check::check(&check, terminal)
}

/// `1 path`, `2 paths`.
fn counted(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// C that sets the limits of the library models' environment.
fn environment(search: &SearchArgs) -> Result<String, Fault> {
    let mut text = String::new();
    if let Some(arguments) = Arguments::of(&search.sym_args)? {
        let longest: Vec<String> = arguments.longest.iter().map(u32::to_string).collect();
        text.push_str(&format!("const unsigned __blitz_argv_longest[14] = {{{}}};\n", longest.join(", ")));
        text.push_str(&format!("const int __blitz_argv_min = {};\n", arguments.min));
        text.push_str(&format!("const int __blitz_argv_max = {};\n", arguments.max));
    }
    let mut set = |ty: &str, name: &str, value: u32| text.push_str(&format!("const {ty} __blitz_{name} = {value};\n"));
    set("int", "argv_anyhow", 1);
    set("int", "by_path", 1);
    set("int", "no_environment", u32::from(search.no_environment));
    if let Some(most) = search.sym_stdin {
        set("unsigned", "stdin_max", most);
    }
    if let Some([files, size]) = search.sym_files.as_deref() {
        set("unsigned", "files_max", *files);
        set("unsigned", "file_max", *size);
    }
    Ok(text)
}

/// The arguments that all groups of `--sym-args` make together.
#[derive(Debug, PartialEq, Eq)]
struct Arguments {
    min: u32,
    max: u32,
    /// By place, the program's name at 0.
    longest: [u32; MOST_ARGUMENTS as usize + 1],
}

impl Arguments {
    /// Groups of three numbers; an argument may be as long as the longest of a group that can stand at its place.
    fn of(groups: &[u32]) -> Result<Option<Self>, Fault> {
        if groups.is_empty() {
            return Ok(None);
        }
        let mut out = Self { min: 0, max: 0, longest: [0; MOST_ARGUMENTS as usize + 1] };
        for group in groups.chunks(3) {
            let &[min, max, longest] = group else { unreachable!("a group of --sym-args should have three numbers") };
            let (first, last) = (out.min.saturating_add(1), out.max.saturating_add(max));
            if min > max || last > MOST_ARGUMENTS {
                let most = format!("--sym-args: MIN is at most MAX, and at most {MOST_ARGUMENTS} arguments in all");
                return Err(Fault::new(most));
            }
            for place in first..=last {
                let known = &mut out.longest[place as usize];
                *known = longest.max(*known);
            }
            (out.min, out.max) = (out.min + min, last);
        }
        Ok(Some(out))
    }
}

/// What the limits of the environment leave out: an answer rests on it.
fn assumptions(search: &SearchArgs) -> Vec<String> {
    let mut out = Vec::new();
    for group in search.sym_args.chunks(3) {
        if let [min, max, longest] = group {
            out.push(format!("assumed: {min} to {max} arguments of at most {longest} bytes (--sym-args)"));
        }
    }
    if search.no_environment {
        out.push("assumed: no environment variable is set, and the locale is \"C\" (--no-environment)".to_owned());
    }
    if let Some(most) = search.sym_stdin {
        out.push(format!("assumed: standard input has at most {most} bytes (--sym-stdin)"));
    }
    if let Some([files, size]) = search.sym_files.as_deref() {
        out.push(format!("assumed: at most {files} files can be opened, of at most {size} bytes each (--sym-files)"));
    }
    out
}

/// As many as the start code of the library models has room for.
const MOST_ARGUMENTS: u32 = 13;

/// What the engine is given.
pub fn options(search: &SearchArgs, program: &Program) -> Result<ExploreOptions, Fault> {
    let targets = match &search.to {
        None => Vec::new(),
        Some(place) => targets(program, place)?,
    };
    let default = ExploreOptions::default();
    Ok(ExploreOptions {
        snapshots: search.snapshots.unwrap_or(default.snapshots),
        searcher: search.searcher,
        seed: search.seed,
        max_forks: search.max_forks,
        max_paths: search.max_paths,
        max_fail: search.max_fail,
        max_conflicts: search.max_conflicts,
        targets,
        merges: search.merge,
        keeps_paths: true,
    })
}

/// The blocks with code on a line, or with a property's check.
fn targets(program: &Program, place: &str) -> Result<Vec<Spot>, Fault> {
    let line = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
    let functions = (0..program.funcs.len()).map(FuncId::new).filter(|f| !program.decl(*f).model);
    let bodies: Vec<(FuncId, &blitz_ir::Func)> = functions.filter_map(|f| Some((f, program.body(f)?))).collect();
    let property = program.properties().into_iter().find(|(_, p)| p.name == place).map(|(id, _)| id);
    let wanted = |inst: &blitz_ir::InstData| match (line, property) {
        (Some((file, line)), _) => inst.loc.line == line && program.file(inst.loc.file).ends_with(file),
        (None, Some(id)) => inst.inst.properties().contains(&id),
        (None, None) => false,
    };
    let mut out = Vec::new();
    for (f, body) in bodies {
        let hit = |b: &blitz_ir::Block| body.block(*b).insts.iter().any(|i| wanted(body.inst(*i)));
        out.extend(body.block_ids().filter(hit).map(|b| (f, b)));
    }
    if out.is_empty() {
        return Err(Fault::new(format!("--to: there is no code at `{place}`, and no property of that name")));
    }
    Ok(out)
}

/// Writes tests, tree and coverage, and says what there is.
pub fn publish(
    search: &SearchArgs,
    out: &Path,
    loaded: &Loaded,
    exploration: &Exploration,
    task: &Task<'_>,
    (runs, budget, terminal): (&RunFolder, &Budget, &Terminal),
) {
    let written = write(search, out, loaded, exploration, task, runs);
    let (covered, all) = lines(loaded, exploration);
    let state = if exploration.complete {
        "every path was followed".to_owned()
    } else {
        format!("{} ways were not followed", exploration.waiting)
    };
    terminal.note(&format!(
        "{} ({}), {state}; {covered} of {all} lines reached; {}, {} solved",
        counted(exploration.paths.len() as u64, "path"),
        counted(exploration.forks, "fork"),
        counted(exploration.questions, "question"),
        exploration.solved
    ));
    if exploration.diverged > 0 {
        terminal.note(&format!("{} tests did not run as predicted; they are marked", exploration.diverged));
    }
    match written {
        Ok((tests, folder)) => {
            let tests = counted(tests as u64, "test");
            terminal.note(&format!("{tests} in {folder}/tests, coverage in {folder}/coverage.info"))
        }
        Err(e) => terminal.note(&format!("no tests in {}: {e}", out.display())),
    }
    if let Some(file) = &search.status_json {
        status_file::finish(file, exploration, budget, terminal);
    }
    if search.tree.as_deref() == Some(Path::new("-")) {
        terminal.result(blitz_report::tree_text(&loaded.program, exploration).trim_end());
    }
}

fn lines(loaded: &Loaded, exploration: &Exploration) -> (usize, usize) {
    let coverage = blitz_report::coverage(&loaded.program, exploration);
    let all = coverage.values().map(|c| c.lines.len()).sum();
    (coverage.values().map(|c| c.lines.values().filter(|n| **n > 0).count()).sum(), all)
}

fn write(
    search: &SearchArgs,
    out: &Path,
    loaded: &Loaded,
    exploration: &Exploration,
    task: &Task<'_>,
    runs: &RunFolder,
) -> std::io::Result<(usize, String)> {
    let program = &loaded.program;
    let folder = runs.place(out)?;
    let tests = folder.join("tests");
    if tests.exists() {
        std::fs::remove_dir_all(&tests)?;
    }
    let minimise = search.minimise.unwrap_or(Minimise::No);
    let clang = Clang::find().map_err(std::io::Error::other)?;
    let subject = blitz_workflow::kits::subject(loaded, &clang);
    let count = blitz_kit::write_suite(&tests, &subject, exploration, &search.tests, minimise, task)?;
    let json = blitz_report::tree_json(program, exploration);
    std::fs::write(folder.join("tree.json"), &json)?;
    if let Some(file) = search.tree.as_deref().filter(|f| *f != Path::new("-")) {
        std::fs::write(file, &json)?;
    }
    let coverage = blitz_report::coverage(program, exploration);
    std::fs::write(folder.join("coverage.info"), blitz_report::lcov(&coverage))?;
    let page = blitz_report::coverage_html(&coverage, &mut blitz_report::Sources::new());
    std::fs::write(folder.join("coverage.html"), page)?;
    let page = folder.join("report.html");
    if let Ok(text) = std::fs::read_to_string(&page) {
        let tree = blitz_report::tree_html(program, exploration);
        std::fs::write(&page, blitz_report::with_tree(&text, &tree))?;
    }
    Ok((count, folder.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(groups: &[u32]) -> (u32, u32, Vec<u32>) {
        let Ok(Some(found)) = Arguments::of(groups) else { panic!("{groups:?} should be arguments") };
        (found.min, found.max, found.longest[1..=found.max as usize].to_vec())
    }

    #[test]
    fn groups_of_arguments_follow_each_other() {
        assert_eq!(arguments(&[0, 1, 10, 0, 2, 2]), (0, 3, vec![10, 2, 2]));
        assert_eq!(arguments(&[1, 1, 3, 1, 2, 5]), (2, 3, vec![3, 5, 5]));
        assert_eq!(arguments(&[0, 2, 1, 1, 1, 4]), (1, 3, vec![4, 4, 4]), "any of them may be the last");
        assert!(Arguments::of(&[2, 1, 1]).is_err());
        assert!(Arguments::of(&[0, 8, 1, 0, 8, 1]).is_err());
    }
}
