//! The hand-set numbers of the engines, in one table.
//!
//! Why: a number in a module says nothing of what it trades and why it is what it is. Here every number has its unit in its name or type, what it
//! trades, and the measurement that chose it; *not measured* is an answer. A name says unit and role.
//!
//! Effort is counted in work (`base::Work`, about a nanosecond each), never by the clock.
//! Where nothing is said of a measurement, none is on record. Absent: numbers that are no choice (widths, primes), defaults of options (`config.rs`).

use blitz_base::Work;

// ---- The queue of the compositional engine (compositional/queue.rs) ----

/// The work of an entry that is taken up for the first time. Less: programs with many properties get round sooner; more: less is begun twice.
/// Chosen on tests/c/compositional (the median search there takes 0.3 s).
pub(crate) const FIRST_WORK: Work = Work::about_millis(500);
/// An entry that ran out of its work comes back with this many times as much: at most as much again is done twice. Not measured.
pub(crate) const WORK_GROWTH: u64 = 2;
/// An entry that would need more than this is given up. More: one hard property keeps an unlimited search busy for longer. Not measured.
pub(crate) const MAX_ENTRY_WORK: Work = Work::about_seconds(256);
/// A deeper search of what ended in so much work is expected to take this many times as much: the growth of the bound. Not measured.
pub(crate) const DEEPER_WORK: u64 = 3;
/// Iterations grow by this factor from one depth to the next: 1, 3, 9, 27, 81, 243, 729.
pub(crate) const BOUND_GROWTH: u32 = 3;
/// No loop is followed further. A text of 700 characters overruns the buffers that programs make up (64, 80, 256, 512). Not measured.
pub(crate) const MAX_BOUND: u32 = 729;
/// The work of a search at a bound that a size in the program names (`compositional/extents.rs`), when it is taken up first: after what is new, before
/// what is repeated with more. man's list of 100 elements takes about a second at bound 101.
pub(crate) const NAMED_WORK: Work = Work::about_seconds(1);
/// So many such bounds of one group, the least first. Not measured.
pub(crate) const MAX_EXTENTS: usize = 2;
/// The work of runs on made-up requests when they are taken up first. cvs's double free takes about 1,000 runs.
pub(crate) const REQUESTS_WORK: Work = Work::about_seconds(1);

/// How much an entry's work counts by the urgency of its checks, the most urgent first: a less urgent check is taken up after a more
/// urgent one had this many times its work. Not measured; the order is that of `order::Urgency`.
pub(crate) const URGENCY_WEIGHTS: [u64; 7] = [1, 1, 2, 4, 4, 8, 16];

// ---- One search for a group of properties (compositional/hunt.rs) ----

/// Obligations of one search before it counts as too hard. Not measured.
pub(crate) const MAX_OBLIGATIONS: u32 = 400;
/// Weakenings of one condition. The most that tests/c needs is 10 (weakenings.c).
pub(crate) const MAX_WEAKENINGS: u32 = 24;
/// A question on the way, which only prunes, is worth one part in so many of the search. Not measured.
pub(crate) const QUERY_PART: u64 = 3;
/// A condition of more terms than the search's work divided by this is dropped: to simplify it once would take the rest of it.
/// Twenty times the price of rewriting a term.
pub(crate) const UNITS_PER_TERM: u64 = 4_000;
/// But conditions of up to so many terms are always taken up, and of more than so many never.
pub(crate) const MIN_MAX_TERMS: usize = 50_000;
pub(crate) const MAX_MAX_TERMS: usize = 400_000;
/// Loops outside the function of the check are followed at most this often where the focus is on it.
pub(crate) const ELSEWHERE_BOUND: u32 = 3;
/// Iterations of a library model's loop inside a segment, while the search is narrow and when it is not. Not measured.
pub(crate) const NARROW_MODEL_BOUND: u32 = 4;
pub(crate) const WHOLE_MODEL_BOUND: u32 = 24;

// ---- Which calls are part of a segment (compositional/world.rs) ----

/// Library models with at most this many instructions, their callees included, are part of the segment that calls them. Not measured.
pub(crate) const INLINE_MODEL_INSTS: usize = 160;
/// The same for the user's own functions.
pub(crate) const INLINE_USER_INSTS: usize = 16;
/// So deep callees are counted for that.
pub(crate) const INLINE_DEPTH: u32 = 8;
/// Functions from `main` to a check that are inlined when a search begins at the start (tactic `direct`). Not measured.
pub(crate) const MAX_DIRECT_FUNCS: usize = 4;

// ---- Tactics ----

/// `letters`: inputs with fewer bits are no lengths.
pub(crate) const LETTERS_LENGTH_BITS: u16 = 8;
/// `letters`: loops that run less often are not about long texts.
pub(crate) const LETTERS_MIN_BOUND: u32 = 8;
/// `letters`: conditions of fewer terms are solved as they are.
pub(crate) const LETTERS_MIN_TERMS: usize = 2_000;
/// `one-path`: a condition of more terms is tried on one path first.
pub(crate) const ONE_PATH_MIN_TERMS: usize = 10_000;
/// `one-path`: the smaller parts of the condition that choose the path have at most so many terms together. Not measured.
pub(crate) const ONE_PATH_PART_TERMS: usize = 12_000;

/// `requests`: the distance of what leads nowhere near the check, in calls.
pub(crate) const REQUESTS_FAR: u32 = 1000;
/// `requests`: interpreted instructions of one run.
pub(crate) const REQUESTS_RUN_INSTS: u64 = 4_000_000;
/// `requests`: lines of one request.
pub(crate) const REQUESTS_MAX_LINES: usize = 4;
/// `requests`: arguments that are made up by the compositional engine; `blitz fuzz` makes up none.
pub(crate) const REQUESTS_MAX_ARGS: usize = 3;
/// `requests`: states that are kept. cvs's double free needs about 60.
pub(crate) const REQUESTS_MAX_STATES: usize = 300;
/// `requests`: what changed nothing in sight waits like what is this many calls farther from the check.
pub(crate) const REQUESTS_ASIDE_CALLS: u32 = 2;
/// `requests`: so many runs in a row that show nothing new are enough where there is nothing to aim at.
pub(crate) const REQUESTS_MAX_IDLE_RUNS: u32 = 600;
/// `requests`: a callee of so many instructions is part of what the function of the check sees.
pub(crate) const REQUESTS_SIGHT_INSTS: usize = 40;
/// `requests`: bytes of one made-up text.
pub(crate) const REQUESTS_MAX_TEXT_BYTES: usize = 48;
/// `requests`: letters of one long text for each thing that is new: more than lines, names and paths usually have room for.
pub(crate) const REQUESTS_LONG_LETTERS: usize = 1_100;
/// `requests`: a function that knows more characters than this reads any text.
pub(crate) const REQUESTS_MAX_CHARACTERS: usize = 24;

// ---- Preconditions in words (compositional/explain.rs) ----

/// Conjuncts, letters and nesting of a condition that is printed.
pub(crate) const EXPLAIN_MAX_CONJUNCTS: usize = 5;
pub(crate) const EXPLAIN_MAX_LETTERS: usize = 120;
pub(crate) const EXPLAIN_MAX_DEPTH: u32 = 12;

// ---- Probes (probes/) ----

/// What runs on made-up texts are worth before anything is encoded: some thousand runs of a small program, in about 0.3 CPU seconds (an instruction of the
/// interpreter takes a fifth of its price where nothing but memory and branches is traced). Twenty programs of 25 to 50 lines (bench/README, Probes) need at
/// most a tenth of it.
pub(crate) const PROBE_WORK: Work = Work::about_seconds(2);
/// The compositional engine first gives them this part of it, which is less than a first search is worth: then they come before all searches.
pub(crate) const PROBE_PARTS: u64 = 8;
/// Interpreted instructions of one run, and more for each byte that it is given: a program that looks at each byte some dozen times ends within it.
pub(crate) const PROBE_RUN_INSTS: u64 = 400_000;
pub(crate) const PROBE_INSTS_PER_BYTE: u64 = 400;
/// Arguments that are made up, and options that get one.
pub(crate) const PROBE_MAX_ARGS: usize = 3;
pub(crate) const PROBE_MAX_OPTIONS: usize = 24;
/// Letters in a row: beyond the buffers that programs make up (16 to 24, 64 to 128, 256 to 512).
pub(crate) const PROBE_LENGTHS: [usize; 3] = [30, 130, 700];
/// The same of one letter: beyond 2048, `PATH_MAX` and `BUFSIZ`, and what 16 bits count.
pub(crate) const PROBE_LONG: [usize; 3] = [2_100, 9_000, 70_000];
/// Probes whose lengths differ by less are run in the order in which they were made up.
pub(crate) const PROBE_LENGTH_CLASS: usize = 64;
/// How often a whole text is repeated: beyond lists of 10, 32, 256 and 1000 items (tests/c/compositional/many-lines.c).
pub(crate) const PROBE_REPEATS: [usize; 5] = [3, 12, 40, 300, 3_000];
/// Bytes of a text that is made by repeating another, and the largest size of an array that is filled to the last element.
pub(crate) const PROBE_MAX_TEXT_BYTES: usize = 20_000;
/// Bytes of a line that is given twice instead of once. Not measured.
pub(crate) const PROBE_MAX_TWICE_BYTES: usize = 5_000;
/// Sizes of arrays that are filled to the last element, the least first. Not measured.
pub(crate) const PROBE_MAX_SIZES: usize = 8;
/// Characters that the program knows and words that it compares with, as they come. Not measured.
pub(crate) const PROBE_MAX_CHARACTERS: usize = 16;
pub(crate) const PROBE_MAX_WORDS: usize = 32;
/// Longer texts in a call are no lists of single characters.
pub(crate) const PROBE_MAX_DELIMITERS: usize = 6;
/// Texts that are put before and after others. Not measured.
pub(crate) const PROBE_MAX_USEFUL: usize = 24;
/// Bytes of a text in the log.
pub(crate) const PROBE_SHOWN_BYTES: usize = 60;

// ---- auto ----

/// Instructions of the user's functions up to which a program counts as small, and as neither small nor large. Not measured.
pub(crate) const SMALL_PROGRAM_INSTS: usize = 2_000;
pub(crate) const MEDIUM_PROGRAM_INSTS: usize = 6_000;
/// What the whole search is worth where the user gives no time limit.
pub(crate) const DEFAULT_WORK: Work = Work::about_seconds(600);
/// What the incremental engine gets for a program whose loops are all bounded, before bmc. coreMQTT's MQTT_ReceiveLoop takes it 0.3 CPU seconds and bmc 6.4; in
/// coreHTTP bmc takes a tenth of what all engines in rounds do (HTTPClient_Send 4 against 48, HTTPClient_AddRangeHeader 1.3 against 15).
pub const BOUNDED_FIRST_WORK: Work = Work::about_seconds(1);
/// What one formula for such a program is worth before all engines are asked in rounds. Not measured.
pub const BOUNDED_WORK: Work = Work::about_seconds(300);
/// The bound of engines that need one, if the user gives none.
pub(crate) const DEFAULT_BOUND: u32 = 8;
/// The work of the first round: within it the incremental engine finds the bug of `bench/scale gen 14000 --state struct`.
pub(crate) const FIRST_ROUND_WORK: Work = Work::about_seconds(3);
/// Instructions for which the first round is worth a millisecond more: a round in which no engine gets once through the program finds nothing. At 85,000 lines of
/// `bench/scale gen 100000 --state struct` the incremental engine takes about 20 microseconds for an instruction, without the solver.
pub(crate) const FIRST_ROUND_INSTS_PER_MS: u64 = 30;
/// How much more each round is worth than the one before: a third of the work is done twice.
pub(crate) const ROUND_GROWTH: u64 = 4;

// ---- questions about claims (claims.rs) ----

/// The question about all claims at once may take as much work as was done before it, and at least this. Not measured.
pub(crate) const CLAIMS_TOGETHER: Work = Work::about_seconds(2);
/// After that each property is asked about alone, with so much work in the first round, and so many times as much in each further one. Not measured.
pub(crate) const CLAIMS_SINGLE_WORK: Work = Work::about_millis(500);
pub(crate) const CLAIMS_SINGLE_GROWTH: u64 = 4;
/// Before an engine asks what lies beyond its bound, claims may take as much work as was done before them, and at least this. The hard ones are taken up again
/// after that. Not measured.
pub(crate) const CLAIMS_PATIENCE: Work = Work::about_seconds(4);
/// While loops go on, what was too hard gets one part in so many of all work. Not measured.
pub(crate) const CLAIMS_HARD_PART: u64 = 4;

// ---- claims on their cones (cone.rs) ----

/// Terms from which on claims are asked about one by one: below, the question about everything is as quick. Not measured.
pub(crate) const CONE_MIN_TERMS: usize = 20_000;
/// Conflicts of one question. Of 563 claims of `bench/scale gen 100000 --state struct --seed 2`, asked in order on one solver, one needed more.
pub(crate) const CONE_QUERY_CONFLICTS: u32 = 1_000;
/// The work of all questions together, if less was spent before them. Not measured.
pub(crate) const CONE_MIN_WORK: Work = Work::about_seconds(1);
/// A solver may have seen this many times the terms that a claim depends on, and so many more. Not measured.
pub(crate) const CONE_SHARE: usize = 3;
pub(crate) const CONE_SPARE_TERMS: usize = 10_000;

// ---- shrinking of inputs (shrink.rs) ----
/// Instructions that all runs for one violation may take.
pub(crate) const SHRINK_MAX_INSTS: u64 = 40_000_000;
/// Runs for one violation.
pub(crate) const SHRINK_MAX_RUNS: u32 = 600;
/// Texts of more bytes are made shorter before anything else: unrtf's argument of 131,071 bytes took all runs otherwise.
pub(crate) const SHRINK_LONG_BYTES: usize = 1_000;
/// Steps of one bisection.
pub(crate) const SHRINK_MAX_BISECTIONS: u32 = 40;
/// By how much inputs grow where smaller ones hide the violation.
pub(crate) const SHRINK_GROWTHS: [i128; 3] = [1, 8, 16];
/// What bytes are made of.
pub(crate) const SHRINK_LETTER: u8 = b'a';

// ---- engines that go path by path (paths, explore) ----
/// How much longer than in the run texts may be for their length not to matter, and what is too long for a test.
pub(crate) const EXPAND_LONGER_BYTES: u64 = 256;
pub(crate) const EXPAND_MAX_BYTES: u64 = 1 << 20;
/// Models that are tried before the solver, newest first. In bench/explore 8 answer nearly all that 64 do.
pub(crate) const QUERY_KEPT_MODELS: usize = 8;
/// Unsatisfiable cores that are looked through.
pub(crate) const QUERY_KEPT_CORES: usize = 256;
/// Clauses at which the solver of slices makes way for a new one, and how many times those of its first question they are at least. In `blitz explore` of
/// coreutils' wc three fifths of the time went into giving values to what questions long past had met.
pub(crate) const QUERY_SOLVER_CLAUSES: u64 = 5_000;
pub(crate) const QUERY_SOLVER_GROWTH: u64 = 8;
/// Operations of a condition that are turned around to find the one input that makes it hold. Not measured.
pub(crate) const STEER_MAX_STEPS: u32 = 64;
/// Terms of a condition that is made into a table of one byte's values, at most, and values that are tried of those left. Not measured.
pub(crate) const BYTES_MAX_TERMS: usize = 400;
pub(crate) const BYTES_MAX_TRIED: usize = 3;
/// Texts that one guess makes longer. Not measured.
pub(crate) const STEER_MAX_LONGER: u32 = 2;
/// Answers that are kept; all are forgotten when there are more.
pub(crate) const QUERY_KEPT_ANSWERS: usize = 1 << 16;
/// States of waiting ways that are kept; the oldest are dropped. One takes about 10 to 50 kB.
pub(crate) const EXPLORE_KEPT_SNAPSHOTS: usize = 1 << 14;
/// Instructions between a fork and the place where its ways meet, at most, for them to be followed together. Not measured.
pub(crate) const EXPLORE_MERGE_INSTS: usize = 200;
/// Answers that are worth forgetting where memory runs short.
pub(crate) const EXPLORE_FORGOTTEN_ANSWERS: usize = 1 << 10;
/// Gaps that are reported.
pub(crate) const EXPLORE_MAX_GAPS: usize = 8;
/// Paths between two reports on how far the search is.
pub(crate) const EXPLORE_PATHS_PER_REPORT: u64 = 16;
/// The length of byte strings that a test should not exceed.
pub(crate) const LEAF_SHORT_BYTES: u64 = 64;
/// Instructions a test may take in the interpreter, where its path came to its end and where it did not.
pub(crate) const LEAF_WHOLE_INSTS: u64 = 1 << 30;
pub(crate) const LEAF_PART_INSTS: u64 = 1 << 20;
/// What an activation further out adds: the calls in between have to return first.
pub(crate) const DISTANCE_PER_RETURN: u32 = 2;

// ---- functions without a body (bodiless.rs) ----
/// Steps of the second look for each step of the first, and some for the smallest programs.
pub(crate) const BODILESS_STEPS_PER_STEP: u64 = 8;
pub(crate) const BODILESS_MIN_STEPS: u64 = 20_000;
/// What a question of the second look is worth to the solver.
pub(crate) const BODILESS_QUERY_CONFLICTS: u32 = 200_000;

// ---- incremental ----
/// The bounds that are tried, one after the other.
pub(crate) const GLANCE_BOUNDS: [u32; 2] = [1, 3];
/// Terms made in iterations beyond the depth before it is worth a look. They also have to be half of all.
pub(crate) const GLANCE_MIN_TERMS: usize = 500;
/// What a look is worth, and what one question is, in conflicts.
pub(crate) const GLANCE_WORK: Work = Work::about_seconds(2);
pub(crate) const GLANCE_QUERY_CONFLICTS: u32 = 1_000;
/// For solvers that do not count conflicts: this part of the time the check has taken so far.
pub(crate) const GLANCE_TIME_PART: u32 = 4;
/// What a question about the end of a loop is worth, in conflicts: the answer saves work, it is not needed.
pub(crate) const ASKER_QUERY_CONFLICTS: u32 = 300;
pub(crate) const ASKER_MAX_WORK: Work = Work::about_seconds(2);
/// For solvers that do not count conflicts: this part of the time the check has taken so far.
pub(crate) const ASKER_TIME_PART: u32 = 8;
/// What is never too much.
pub(crate) const ASKER_MIN_WORK: Work = Work::about_millis(100);
/// Iterations of loops that end by themselves, and activations.
pub(crate) const AHEAD_BOUND: u32 = 20;
/// What the whole is worth, and what one question is, in conflicts.
pub(crate) const AHEAD_WORK: Work = Work::about_seconds(10);
/// For solvers that do not count conflicts: this part of the time the check has taken so far.
pub(crate) const AHEAD_TIME_PART: u32 = 3;
pub(crate) const AHEAD_QUERY_CONFLICTS: u32 = 1_000;
/// How often loops are added that turn out to have no end that shows once others are anything.
pub(crate) const AHEAD_MAX_ROUNDS: usize = 4;
/// The distance of what is reached only at the end of the program.
pub(crate) const INCREMENTAL_FAR: u32 = 1 << 16;
/// How many times deeper than others a loop may get.
pub(crate) const POLICY_MAX_LEAD: u32 = 4;
/// Conflicts of the solver in a step that make the next one small, so that there is a result in between.
pub(crate) const POLICY_HARD_CONFLICTS: u64 = 3_000;

// ---- stratified ----
/// What a stratum is worth in any case.
pub(crate) const STRATUM_MIN_WORK: Work = Work::about_millis(200);
/// Conflicts that a question about an execution with open calls is worth. What takes longer is asked of the program itself.
pub(crate) const STRATUM_QUERY_CONFLICTS: u32 = 2_000;
/// Instructions of a function, callees included, up to which it is opened as soon as it may matter.
pub(crate) const STRATUM_OPEN_INSTS: usize = 400;
/// What a function with a loop counts for, in instructions.
pub(crate) const PLAN_LOOP_INSTS: usize = 10_000;
/// Names that are printed; the others are counted.
pub(crate) const STRATUM_MAX_NAMES: usize = 5;

// ---- runs (replay.rs) ----
/// Longest byte string an input may ask for in a replay.
pub(crate) const REPLAY_MAX_BYTES: u64 = 1 << 26;
/// The last so many events of a run are kept: of a whole large program all its calls, so that it can be compared with what was expected.
pub(crate) const REPLAY_MAX_EVENTS: usize = 16_000_000;

// ---- Every schedule (threads/schedules.rs) ----

/// What running every schedule may take before threads are made symbolic: about a CPU second. The safe programs of tests/c/threads take less than half of it; more
/// delays programs that have too many schedules.
pub(crate) const SCHEDULES_WORK: Work = Work::about_seconds(5);

/// Instructions of a single run, so that an endless loop of one thread does not take all of the work. Not measured.
pub(crate) const SCHEDULE_MAX_STEPS: u64 = 4_000_000;

// ---- All engines that run the program symbolically ----

/// Iterations of a library model's loop before it counts as cut off. More: texts of more characters are followed whole. Not measured.
pub(crate) const MODEL_BOUND: u32 = 1 << 14;
/// Byte strings that a counterexample should not exceed: objects of gigabytes take long to fill and show nothing more.
pub(crate) const SMALL_TEXT_BYTES: u64 = 1 << 10;
/// Different gaps that a report names.
pub(crate) const MAX_NAMED_GAPS: usize = 8;
/// Places that the note about unchecked violations names: a kernel driver's have 250 characters each.
pub(crate) const MAX_NAMED_PLACES: usize = 3;
/// `blitz cbmc --cover`: iterations of each loop at most, where no bound is given. Not measured.
pub(crate) const COVER_MAX_BOUND: u32 = 64;

// ---- What is said about code that was reached (coverage.rs) ----

/// All questions together, and how many conflicts one is worth. More: fewer places are left open. Not measured.
pub(crate) const COVERAGE_WORK: Work = Work::about_millis(300);
pub(crate) const COVERAGE_CONFLICTS: u32 = 500;
pub(crate) const COVERAGE_MAX_QUESTIONS: usize = 60;
/// Programs with more open places are not asked about.
pub(crate) const COVERAGE_MAX_PLACES: usize = 3_000;

// ---- The incremental engine (incremental/mod.rs) ----

/// Iterations of a loop in the first step.
pub(crate) const WAVES_FIRST_DEPTH: u32 = 1;
/// The step after which loops are taken as a whole at the latest, and at the earliest if so many terms were made by then or the solver had so many
/// conflicts: it costs about as much as running through the program several times, which should not be more than was done already.
pub(crate) const AHEAD_STEP: u32 = 8;
pub(crate) const AHEAD_EARLIEST_STEP: u32 = 4;
pub(crate) const AHEAD_TERMS: usize = 16_000;
pub(crate) const AHEAD_CONFLICTS: u64 = 500;
/// What the search for more violations is worth after one was found: times the work done so far, and in any case. A second bug that lies a few iterations
/// deeper than the first is found (`a_second_bug_that_lies_deeper_is_found_too`), and a check with one bug takes at most four times as long.
pub(crate) const SEARCH_ON_TIMES: u64 = 3;
pub(crate) const SEARCH_ON_LEAST: Work = Work::about_millis(500);

// ---- Programs with threads (threads/mod.rs) ----

/// As `MODEL_BOUND`: there are as many copies of a loop as turns of its thread.
pub(crate) const THREADS_MODEL_BOUND: u32 = 1 << 10;
/// Rounds of the engine that asks once, if the user gives none.
pub(crate) const THREADS_ROUNDS_OF_BMC: u32 = 3;
/// Rounds of the first step.
pub(crate) const THREADS_FIRST_ROUNDS: u32 = 2;
/// The round in which the search ends if it has found races and nothing else.
pub(crate) const THREADS_ROUNDS_BEHIND_RACES: u32 = 3;
/// Conflicts of the question whether more rounds could show more: the next round asks again.
pub(crate) const THREADS_MORE_CONFLICTS: u32 = 20_000;
