//! The state of a run, and its beginning and end.

use crate::code::{Code, Codes, From, Operand, Origin};
use crate::config::{Entry, InputSource, OutputSink, RunConfig};
use crate::explore::Exploration;
use crate::host::Host;
use crate::input::Inputs;
use crate::keyed::Keyed;
use crate::memory::{Mark, Memory, Place};
use crate::outcome::{ObjectName, Outcome, RunResult, Violation};
use crate::pages;
use crate::schedule::Scheduler;
use crate::script::Typing;
use crate::threads::Threads;
use crate::trace::Recorder;
use blitz_base::span::Loc;
use blitz_base::{Budget, Bv, Labour};
use blitz_ir::{Approximation, FuncId, GlobalId, Program, RelocTarget, Unsupported, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The end of the run, as an error so that `?` leads to it.
pub type End = Box<Outcome>;

/// Instructions between two looks at the budget.
pub const SLICE: i64 = 1 << 20;

/// An open call.
pub struct Activation<'a, 'p> {
    pub code: &'a Code<'p>,
    /// The operation being executed; during a call, the call.
    pub pc: u32,
    /// Where its slots begin.
    pub base: usize,
    /// The stack of objects as it was on entry.
    pub mark: Mark,
    /// `setjmp` points set before it was entered.
    pub jumps: u32,
    /// Node in the tree of calls, 0 while nobody has asked.
    pub context: u32,
}

/// A point that `longjmp` can come back to.
#[derive(Clone, Copy)]
pub struct JumpPoint {
    pub token: u64,
    /// How many calls were open.
    pub depth: usize,
    pub pc: u32,
    pub result: Operand,
}

/// Calling contexts: a node is a call from a point in its parent's context.
#[derive(Default)]
pub struct Contexts {
    pub nodes: Vec<(u32, Place)>,
    ids: HashMap<(u32, u32, u32), u32>,
}

impl Contexts {
    /// The context entered from `place` (whose own context is the parent). Ids start at 1.
    pub fn enter(&mut self, place: Place) -> u32 {
        let nodes = &mut self.nodes;
        *self.ids.entry((place.context, place.func, place.origin)).or_insert_with(|| {
            nodes.push((place.context, place));
            nodes.len() as u32
        })
    }
}

/// The state of a run.
pub struct Machine<'a, 'p> {
    pub program: &'p Program,
    pub codes: &'a Codes<'p>,
    pub config: &'a RunConfig,
    pub budget: &'a Budget,
    pub sink: &'a mut dyn OutputSink,
    pub regs: Vec<u64>,
    pub frames: Vec<Activation<'a, 'p>>,
    pub memory: Memory,
    pub contexts: Contexts,
    pub jumps: Vec<JumpPoint>,
    pub next_token: u64,
    pub inputs: Inputs,
    pub keyed: Option<Keyed>,
    pub script: Option<Typing>,
    /// How often the user's code has called each libc model; counted in replays.
    pub library_calls: HashMap<FuncId, u32>,
    /// Objects that functions without a body were given, or reach.
    pub exposed: BTreeSet<u64>,
    pub host: Host,
    pub threads: Threads<'a, 'p>,
    pub recorder: Recorder,
    pub passed_over: Vec<Violation>,
    pub more: Vec<(Approximation, Loc)>,
    pub answered: BTreeSet<FuncId>,
    /// Instructions until the next look at the budget.
    pub fuel: i64,
    /// Instructions whose fuel was handed out.
    pub granted: u64,
    /// Instructions that were counted as work.
    pub counted: u64,
    /// Bytes of small objects made since the last look at the budget: they may be written at once.
    pub touched: u64,
}

impl<'a, 'p> Machine<'a, 'p> {
    pub fn new(
        program: &'p Program,
        codes: &'a Codes<'p>,
        config: &'a RunConfig,
        budget: &'a Budget,
        sink: &'a mut dyn OutputSink,
    ) -> Self {
        Self {
            program,
            codes,
            config,
            budget,
            sink,
            regs: Vec::new(),
            frames: Vec::new(),
            memory: Memory::new(program.target.ptr_bits, program.target.offset_bits()),
            contexts: Contexts::default(),
            jumps: Vec::new(),
            next_token: 1,
            inputs: Inputs::new(&config.inputs),
            keyed: match &config.inputs {
                InputSource::Keyed(values) => Some(Keyed::new(values.clone())),
                InputSource::Host { .. } | InputSource::Recorded(_) | InputSource::Script(_) => None,
            },
            script: match &config.inputs {
                InputSource::Script(script) => Some(Typing::new(script.clone(), |name| program.func_named(name))),
                InputSource::Host { .. } | InputSource::Recorded(_) | InputSource::Keyed(_) => None,
            },
            library_calls: HashMap::new(),
            exposed: BTreeSet::new(),
            host: Host::default(),
            threads: Threads::new(Scheduler::new(&config.schedule), None),
            recorder: Recorder::new(config.trace, config.max_events),
            passed_over: Vec::new(),
            more: Vec::new(),
            answered: BTreeSet::new(),
            fuel: 0,
            granted: 0,
            counted: 0,
            touched: 0,
        }
    }

    /// Runs to the end.
    pub fn run(self) -> RunResult {
        self.run_explored().0
    }

    /// The same; what an exploration knows comes back.
    pub fn run_explored(mut self) -> (RunResult, Option<Exploration>) {
        let outcome = match self.start().and_then(|()| self.execute()) {
            Ok(never) => match never {},
            Err(end) => *end,
        };
        self.count_work();
        self.note_end(&outcome);
        let trace = self.recorder.finish();
        let exploration = self.threads.exploration.take();
        let result = RunResult {
            outcome,
            // Nobody shows these runs.
            objects: if self.script.is_some() { BTreeMap::new() } else { self.objects_in(&trace) },
            trace,
            observed: self.script.map(|typing| typing.observed).unwrap_or_default(),
            inputs_used: self.inputs.used,
            steps: self.counted,
            output: Vec::new(),
            passed_over: self.passed_over,
            more: self.more,
            answered: self.answered,
            schedule: if self.threads.several() { self.threads.scheduler.recorded } else { Vec::new() },
        };
        (result, exploration)
    }

    fn start(&mut self) -> Result<(), End> {
        self.refuel()?;
        self.init_globals()?;
        let (func, name, args) = match &self.config.entry {
            Entry::Program => (self.program.start(), "main", [].as_slice()),
            Entry::Func(name, args) => (self.program.func_named(name), name.as_str(), args.as_slice()),
        };
        let Some(func) = func else {
            return Err(unsupported(format!("no such function: {name}"), Loc::UNKNOWN));
        };
        let Some(code) = self.codes.get(func) else {
            return Err(unsupported(format!("function without body: {name}"), Loc::UNKNOWN));
        };
        self.open_frame(code)?;
        for (param, arg) in code.params.iter().zip(args) {
            self.write_bv(*param, arg);
        }
        self.record_entry(func, args);
        Ok(())
    }

    fn init_globals(&mut self) -> Result<(), End> {
        if self.program.first_free_object() >= self.memory.max_objects() {
            let what = Unsupported::OutOfReach("the program's globals and functions".to_owned());
            return Err(unsupported(what, Loc::UNKNOWN));
        }
        for (i, g) in self.program.globals.iter().enumerate() {
            let id = GlobalId::new(i);
            let Ok(object) = self.memory.add_global(g.size, g.constant, ObjectName::Global(id)) else {
                let what = Unsupported::OutOfReach(format!("{}, a global of {} bytes", g.name, g.size));
                return Err(unsupported(what, g.loc));
            };
            let given = self.config.globals.iter().find(|(named, _)| *named == id).map(|(_, bytes)| bytes);
            if let Some(init) = g.init.as_ref().or(given) {
                let bytes = self.memory.global_bytes(object);
                let n = init.len().min(bytes.len());
                bytes[..n].copy_from_slice(&init[..n]);
            }
        }
        for i in 0..self.program.funcs.len() {
            self.memory.add_code(ObjectName::Func(FuncId::new(i)));
        }
        self.relocate();
        Ok(())
    }

    fn relocate(&mut self) {
        let width = usize::from(self.program.target.ptr_bits / 8);
        for (i, g) in self.program.globals.iter().enumerate() {
            for reloc in &g.relocs {
                let object = match reloc.target {
                    RelocTarget::Global(g) => self.program.global_object(g),
                    RelocTarget::Func(f) => self.program.func_object(f),
                };
                let address = self.memory.ptr_add(self.memory.pointer(object), reloc.addend).to_le_bytes();
                let bytes = self.memory.global_bytes(self.program.global_object(GlobalId::new(i)));
                if let Some(place) = bytes.get_mut(reloc.offset as usize..reloc.offset as usize + width) {
                    place.copy_from_slice(&address[..width]);
                }
            }
        }
    }

    /// Ends the run if a limit is reached.
    pub fn look(&self) -> Result<(), End> {
        self.budget.expired().map_or(Ok(()), |stop| Err(Box::new(Outcome::Stopped(stop))))
    }

    /// Looks at the limits when as many bytes were made as take some milliseconds to write.
    pub fn count_touched(&mut self, bytes: u64) -> Result<(), End> {
        self.touched += bytes.min(pages::LARGE as u64);
        if self.touched < pages::STEP as u64 {
            return Ok(());
        }
        self.touched = 0;
        self.look()
    }

    /// Looks at the limits and grants another slice of instructions.
    #[cold]
    pub fn refuel(&mut self) -> Result<(), End> {
        self.count_work();
        self.look()?;
        let mut slice = SLICE as u64;
        if let Some(max) = self.config.max_steps {
            let used = self.counted;
            if used > max {
                return Err(Box::new(Outcome::OutOfSteps));
            }
            slice = slice.min(max + 1 - used.min(max));
        }
        self.granted += slice;
        self.fuel += slice as i64;
        Ok(())
    }

    fn count_work(&mut self) {
        let run = (self.granted as i64 - self.fuel) as u64;
        self.budget.spend(Labour::Instruction, run - self.counted);
        self.counted = run;
    }

    pub fn top(&self) -> &Activation<'a, 'p> {
        self.frames.last().expect("a running program should have a frame")
    }

    #[inline(always)]
    pub fn top_mut(&mut self) -> &mut Activation<'a, 'p> {
        self.frames.last_mut().expect("a running program should have a frame")
    }

    /// Where the innermost function stands.
    pub fn loc(&self) -> Loc {
        frame_loc(self.top())
    }

    /// Where the user's code stands: the innermost function that is not a libc model.
    pub fn user_loc(&self) -> Loc {
        let user = self.frames.iter().rev().find(|f| !f.code.model);
        frame_loc(user.unwrap_or_else(|| self.top()))
    }

    /// The current point with its calling context.
    pub fn place(&mut self) -> Place {
        let context = self.context();
        let top = self.top();
        Place { context, func: top.code.id.0, origin: top.code.origins[top.pc as usize].0 }
    }

    /// The node of the innermost frame in the tree of calls.
    fn context(&mut self) -> u32 {
        let mut at = self.frames.len() - 1;
        while at > 0 && self.frames[at].context == 0 {
            at -= 1;
        }
        for i in at + 1..self.frames.len() {
            let caller = &self.frames[i - 1];
            let place = Place {
                context: caller.context,
                func: caller.code.id.0,
                origin: caller.code.origins[caller.pc as usize].0,
            };
            self.frames[i].context = self.contexts.enter(place);
        }
        self.top().context
    }

    /// A narrow value of the innermost frame.
    #[inline]
    pub fn get(&self, v: Value) -> u64 {
        let top = self.top();
        self.regs[top.base + top.code.operands[v.index()].slot as usize]
    }

    /// Sets a narrow value; bits above its width are cut.
    #[inline]
    pub fn set(&mut self, v: Value, bits: u64) {
        let top = self.top();
        let operand = top.code.operands[v.index()];
        let at = top.base + operand.slot as usize;
        let unused = 64u16.saturating_sub(operand.bits);
        self.regs[at] = bits << unused >> unused;
        let slots = operand.slots() as usize;
        self.regs[at + 1..at + slots].fill(0);
    }

    /// The bits of an operand of the innermost frame.
    pub fn read_bv(&self, o: Operand) -> Bv {
        self.read_bv_at(self.top().base, o)
    }

    /// The bits of an operand of the frame that begins at `base`.
    pub fn read_bv_at(&self, base: usize, o: Operand) -> Bv {
        let at = base + o.slot as usize;
        Bv::from_limbs(o.bits, &self.regs[at..at + o.slots() as usize])
    }

    pub fn write_bv(&mut self, o: Operand, bits: &Bv) {
        let at = self.top().base + o.slot as usize;
        let bits = if bits.width() == o.bits { bits.clone() } else { bits.resize(o.bits) };
        self.regs[at..at + o.slots() as usize].copy_from_slice(&bits.limbs());
    }

    /// The bits of a value of any width.
    pub fn value(&self, v: Value) -> Bv {
        self.read_bv(self.top().code.operands[v.index()])
    }

    pub fn set_value(&mut self, v: Value, bits: &Bv) {
        self.write_bv(self.top().code.operands[v.index()], bits);
    }

    pub fn unsupported<T>(&self, what: impl Into<Unsupported>) -> Result<T, End> {
        Err(unsupported(what, self.place_to_tell()))
    }

    /// The user's place, if there is one: a line of our own models says nothing to them.
    fn place_to_tell(&self) -> Loc {
        let users = self.frames.iter().rev().filter(|f| !f.code.model).map(frame_loc);
        let known = users.chain(self.frames.iter().rev().map(frame_loc)).find(|loc| loc.is_known());
        known.unwrap_or(Loc::UNKNOWN)
    }

    /// A model does what the real function may not do.
    pub fn passes_more(&mut self, what: &Approximation) {
        if !self.more.iter().any(|(known, _)| known == what) {
            self.more.push((what.clone(), self.place_to_tell()));
        }
    }
}

pub fn unsupported(what: impl Into<Unsupported>, loc: Loc) -> End {
    Box::new(Outcome::Unsupported { what: what.into(), loc })
}

/// Where a frame stands.
pub fn frame_loc(frame: &Activation) -> Loc {
    origin_loc(frame.code, frame.code.origins[frame.pc as usize])
}

/// The place of an instruction or terminator.
pub fn origin_loc(code: &Code, origin: Origin) -> Loc {
    match origin.get() {
        From::Inst(i) => code.func.inst(i).loc,
        From::Term(b) => code.func.block(b).loc,
    }
}
