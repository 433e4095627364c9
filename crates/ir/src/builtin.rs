//! Builtins: questions and effects that the libc models are built on.

/// Questions about pointers, and effects on the world outside. Arguments and results as noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// (ptr) -> size of the object it points into (0 if none), pointer width.
    ObjectSize,
    /// (ptr) -> signed offset into the object, pointer width.
    Offset,
    /// (ptr) -> object number, pointer width.
    ObjectId,
    /// (ptr, size) -> Int(1): could be read.
    Readable,
    /// (ptr) -> Int(1): a byte is there. Only for reads whose result means nothing where it is not: where that is not
    /// known, a symbolic execution says 1.
    Peekable,
    /// (ptr, size) -> Int(1): could be written.
    Writable,
    /// (ptr) -> Int(1): points into a heap object (live or not).
    IsHeap,
    /// (ptr) -> Int(1): the object is alive.
    IsLive,
    /// (ptr) -> Int(1): it is the address of a function.
    IsCode,
    /// (ptr) -> Int(1): a `LongJmp` on this buffer would come back somewhere: a `SetJmp` has filled it, and its
    /// function is still active.
    JumpSet,
    /// (function: Int(32), x, y, result: Int(64), the bits of doubles) -> Int(1): the result is what the machine's
    /// mathematical library gives, as far as that is known: 1 where it is not. Only for assumptions about an input.
    MathIs,
    /// (value: pointer width) -> Int(1): the value is open, and only the simplest runs are looked at
    /// (`libc/include/blitz.h` says which). A run asks for nothing of the kind: 0.
    Narrow,
    /// (value: pointer width) -> Int(1): the value is open: other runs have another one here. A run knows nothing of
    /// others: 0. For models that give up after some steps: steps that are the same in every run don't count.
    Open,
    /// () -> Int(1): the next allocation fails (an input of the environment; always 0 with `--alloc succeeds`).
    AllocFails,
    /// (ptr): the object counts as reachable when leaks are looked for.
    KeepAlive,
    /// (fd: Int(32), ptr, len): bytes that leave the program.
    Output,
    /// (number: Int(32), a, b, c, d, e, f: pointer width) -> pointer width: a service of the machine below
    /// (`libc/include/blitz.h` lists them); the interpreter runs it, the engines never see it because
    /// their libc takes the modelled environment instead.
    Host,
    /// (): the loop it stands in evaluates a quantifier. Bounds of the program's loops do not hold for it: it ends with
    /// its range.
    Quantifier,
    /// (mode: Int(32), operands) -> the operation, rounded as the mode says: 1 down, 2 up, 3 towards zero, anything
    /// else to nearest with ties to even. Programs that change the rounding mode are made of these; in others every
    /// operation rounds to nearest.
    Rounded(Rounded),
    /// A question or an effect of threads.
    Thread(ThreadOp),
}

/// What programs with threads are built of. Threads are numbered from 0, which is the one that runs the program's
/// start. None of these is in a program that starts no thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadOp {
    /// (function, argument: pointers) -> Int(32): a new thread, that calls the function with the argument; its number.
    /// It stands at a visible point before its first instruction. Thread-local globals have instances of its own, with
    /// their initial contents.
    Start,
    /// () -> Int(32): the number of the thread.
    Self_,
    /// (number: Int(32)) -> Int(1): that thread was started and has ended.
    Done,
    /// (): the thread ends; the others go on. Never comes back.
    Exit,
    /// (): a visible point: another thread may run here. Nothing inside of an atomic section, or as long as no thread
    /// was ever started.
    Switch,
    /// () -> Int(1): another thread ran while this one stood at its last visible point.
    Resumed,
    /// (): no visible point from here to the `AtomicEnd` that belongs to it; they nest.
    AtomicBegin,
    AtomicEnd,
    /// (ptr): what was released at this address happens before what follows.
    Acquire,
    /// (ptr): what came before, in this thread and in those that released here, happens before what follows an
    /// `Acquire` at this address.
    Release,
    /// (ptr): the same of this thread alone: earlier releases at the address are forgotten (an atomic store).
    Publish,
    /// (ptr) -> ptr: the thread's instance of the thread-local global at this address.
    Local,
}

/// Operations on floats that round; operands and result as those of the plain operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounded {
    Add,
    Sub,
    Mul,
    Div,
    Sqrt,
    /// `x * y + z`, rounded once.
    MulAdd,
    /// Float to float.
    Convert,
    FromSigned,
    FromUnsigned,
    /// To an integral value (`rint`).
    Integral,
}

impl Builtin {
    pub const ALL: &[Builtin] = &[
        Builtin::ObjectSize,
        Builtin::Offset,
        Builtin::ObjectId,
        Builtin::Readable,
        Builtin::Peekable,
        Builtin::Writable,
        Builtin::IsHeap,
        Builtin::IsLive,
        Builtin::IsCode,
        Builtin::JumpSet,
        Builtin::MathIs,
        Builtin::Narrow,
        Builtin::Open,
        Builtin::AllocFails,
        Builtin::KeepAlive,
        Builtin::Output,
        Builtin::Host,
        Builtin::Quantifier,
        Builtin::Rounded(Rounded::Add),
        Builtin::Rounded(Rounded::Sub),
        Builtin::Rounded(Rounded::Mul),
        Builtin::Rounded(Rounded::Div),
        Builtin::Rounded(Rounded::Sqrt),
        Builtin::Rounded(Rounded::MulAdd),
        Builtin::Rounded(Rounded::Convert),
        Builtin::Rounded(Rounded::FromSigned),
        Builtin::Rounded(Rounded::FromUnsigned),
        Builtin::Rounded(Rounded::Integral),
        Builtin::Thread(ThreadOp::Start),
        Builtin::Thread(ThreadOp::Self_),
        Builtin::Thread(ThreadOp::Done),
        Builtin::Thread(ThreadOp::Exit),
        Builtin::Thread(ThreadOp::Switch),
        Builtin::Thread(ThreadOp::Resumed),
        Builtin::Thread(ThreadOp::AtomicBegin),
        Builtin::Thread(ThreadOp::AtomicEnd),
        Builtin::Thread(ThreadOp::Acquire),
        Builtin::Thread(ThreadOp::Release),
        Builtin::Thread(ThreadOp::Publish),
        Builtin::Thread(ThreadOp::Local),
    ];

    /// The name in the text form; in C it has the prefix `__blitz_`.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::ObjectSize => "object_size",
            Builtin::Offset => "offset",
            Builtin::ObjectId => "object_id",
            Builtin::Readable => "readable",
            Builtin::Peekable => "peekable",
            Builtin::Writable => "writable",
            Builtin::IsHeap => "is_heap",
            Builtin::IsLive => "is_live",
            Builtin::IsCode => "is_code",
            Builtin::JumpSet => "jump_set",
            Builtin::MathIs => "math_is",
            Builtin::Narrow => "narrow",
            Builtin::Open => "open",
            Builtin::AllocFails => "alloc_fails",
            Builtin::KeepAlive => "keep_alive",
            Builtin::Output => "output",
            Builtin::Host => "host",
            Builtin::Quantifier => "quantifier",
            Builtin::Rounded(Rounded::Add) => "rounded_add",
            Builtin::Rounded(Rounded::Sub) => "rounded_sub",
            Builtin::Rounded(Rounded::Mul) => "rounded_mul",
            Builtin::Rounded(Rounded::Div) => "rounded_div",
            Builtin::Rounded(Rounded::Sqrt) => "rounded_sqrt",
            Builtin::Rounded(Rounded::MulAdd) => "rounded_mul_add",
            Builtin::Rounded(Rounded::Convert) => "rounded_convert",
            Builtin::Rounded(Rounded::FromSigned) => "rounded_from_signed",
            Builtin::Rounded(Rounded::FromUnsigned) => "rounded_from_unsigned",
            Builtin::Rounded(Rounded::Integral) => "rounded_integral",
            Builtin::Thread(ThreadOp::Start) => "thread_start",
            Builtin::Thread(ThreadOp::Self_) => "thread_self",
            Builtin::Thread(ThreadOp::Done) => "thread_done",
            Builtin::Thread(ThreadOp::Exit) => "thread_exit",
            Builtin::Thread(ThreadOp::Switch) => "switch",
            Builtin::Thread(ThreadOp::Resumed) => "resumed",
            Builtin::Thread(ThreadOp::AtomicBegin) => "atomic_begin",
            Builtin::Thread(ThreadOp::AtomicEnd) => "atomic_end",
            Builtin::Thread(ThreadOp::Acquire) => "acquire",
            Builtin::Thread(ThreadOp::Release) => "release",
            Builtin::Thread(ThreadOp::Publish) => "publish",
            Builtin::Thread(ThreadOp::Local) => "thread_local",
        }
    }
}
