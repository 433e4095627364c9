//! The space objects live in: which there are from the start, and what a pointer may point to.

use super::*;
use crate::ids::ObjectNo;

/// How many objects a pointer that may mean anything is followed to.
const MAX_CHANCE: usize = 16;
/// How deep choices between pointers may be nested for their sum with an offset to stay a choice. A list of 24 nodes that 30 functions change has
/// some forty, and at 5 the places of all nodes and of null run together: bench/scale of 600 lines had no answer in 33 s instead of 1.
const MAX_CHOICE: u32 = 100;
/// How many choices and pointers there may be.
const MAX_CHOICES: usize = 400;

impl<'p> Space<'p> {
    pub fn new(program: &'p Program, track_shadow: bool) -> Self {
        Self {
            program,
            track_shadow,
            facts: Facts::default(),
            candidates: Candidates::new(),
            named: Candidates::named(),
            initial: BTreeMap::new(),
            chance: Some(user_globals(program)).filter(|list| list.len() <= MAX_CHANCE),
            segment: None,
            writes_nowhere: false,
            operands: [None, None],
        }
    }

    /// A space for a segment of the program: what comes from outside is a port, named with this prefix, unless the
    /// segment starts where the program does.
    pub fn for_segment(
        program: &'p Program,
        track_shadow: bool,
        world: &'p dyn World,
        prefix: String,
        at_start: bool,
    ) -> Self {
        let segment = Segment {
            world,
            prefix,
            tags: HashMap::new(),
            ports: BTreeMap::new(),
            at_start,
            call_ports: BTreeMap::new(),
            pasts: 0,
            remembered: HashMap::new(),
        };
        Self { segment: Some(segment), ..Self::new(program, track_shadow) }
    }

    /// Whether memory comes from outside of a segment.
    pub fn is_of_segment(&self) -> bool {
        self.segment.is_some()
    }

    /// What is known of the world that memory comes from, where it comes from outside of a segment.
    pub fn world(&self) -> Option<&'p dyn World> {
        self.segment.as_ref().map(|s| s.world)
    }

    /// What the names of the segment's ports begin with.
    pub fn prefix(&self) -> String {
        self.segment.as_ref().map(|s| s.prefix.clone()).unwrap_or_default()
    }

    /// The pointer `p` came from outside and means an object of this class.
    pub fn tag(&mut self, terms: &mut Terms, p: Term, class: Class) {
        self.tag_each(terms, p, |tags, object| {
            tags.entry(object).or_insert(class);
        });
    }

    /// The same, whatever the pointer meant so far.
    pub fn retag(&mut self, terms: &mut Terms, p: Term, class: Class) {
        self.tag_each(terms, p, |tags, object| {
            tags.insert(object, class);
        });
    }

    fn tag_each(&mut self, terms: &mut Terms, p: Term, mut put: impl FnMut(&mut HashMap<Term, Class>, Term)) {
        let (bits, off_bits) = (self.ptr_bits(), self.off_bits());
        if self.segment.is_none() {
            return;
        }
        for (_, leaf) in choices(terms, &self.facts, p) {
            let object = terms.extract(leaf, bits - 1, off_bits);
            if !terms.is_const(object)
                && let Some(segment) = &mut self.segment
            {
                put(&mut segment.tags, object);
            }
        }
    }

    /// The class of the first object from outside that a pointer can mean.
    pub fn class_of(&self, terms: &mut Terms, p: Term) -> Option<Class> {
        let segment = self.segment.as_ref()?;
        let (bits, off_bits) = (self.ptr_bits(), self.off_bits());
        choices(terms, &self.facts, p).into_iter().find_map(|(_, leaf)| {
            let object = terms.extract(leaf, bits - 1, off_bits);
            match terms.as_u64(object) {
                Some(n) => self.outside_class(n),
                None => segment.tags.get(&object).copied(),
            }
        })
    }

    /// The ports of the segment's start that were used, by part or life.
    pub fn ports(&self) -> Vec<(Region, RegionPort)> {
        self.segment.iter().flat_map(|s| s.ports.iter().map(|(r, p)| (*r, *p))).collect()
    }

    /// Variables for a part or life.
    pub fn make_port(&self, terms: &mut Terms, prefix: &str, region: Region) -> RegionPort {
        let number_bits = self.ptr_bits() - self.off_bits();
        let bytes = Sort::Array { index: self.ptr_bits(), elem: 8 };
        RegionPort {
            data: terms.var(&format!("{prefix}R{region}"), bytes),
            shadow: self.track_shadow.then(|| terms.var(&format!("{prefix}R{region}.shadow"), bytes)),
            size: terms
                .var(&format!("{prefix}R{region}.size"), Sort::Array { index: number_bits, elem: self.off_bits() }),
            live: terms.var(&format!("{prefix}R{region}.live"), Sort::Array { index: number_bits, elem: 1 }),
        }
    }

    /// The object that stands for a part or life with these variables.
    pub fn outside_object(&self, terms: &mut Terms, port: RegionPort) -> Object {
        Object {
            kind: ObjectKind::Heap,
            size: terms.zero(self.off_bits()),
            live: terms.tru(),
            exists: terms.tru(),
            constant: false,
            data: Contents::bytes(port.data),
            shadow: port.shadow.map(Contents::bytes),
            leak: None,
            class: None,
            outside: Some(Outside { size: port.size, live: port.live }),
        }
    }

    /// What bounds an access to an object of this size, where that is known.
    pub(crate) fn within(&self, size: Option<u64>) -> Within<'_> {
        Within { size, facts: &self.facts, off_bits: self.off_bits() }
    }

    /// How wide an index into contents is.
    pub fn index_bits(&self) -> u16 {
        if self.segment.is_some() { self.ptr_bits() } else { self.off_bits() }
    }

    pub(super) fn region_start(&mut self, terms: &mut Terms, region: Region) -> Option<Object> {
        let segment = self.segment.as_ref()?;
        if segment.at_start {
            let port = self.region_at_start(terms, region)?;
            return Some(self.outside_object(terms, port));
        }
        let prefix = segment.prefix.clone();
        let port = self.make_port(terms, &prefix, region);
        if let Some(segment) = &mut self.segment {
            segment.ports.insert(region, port);
        }
        Some(self.outside_object(terms, port))
    }

    /// The class to which a pointer to this object number belongs, where a segment is run.
    pub(super) fn outside_class(&self, number: u64) -> Option<Class> {
        let segment = self.segment.as_ref()?;
        if number == 0 || number > self.program.globals.len() as u64 {
            return None;
        }
        let g = GlobalId(number as u32 - 1);
        let global = self.program.global(g);
        let known = global.constant && global.init.is_some();
        (!known).then(|| segment.world.global_class(g))
    }

    pub fn ptr_bits(&self) -> u16 {
        self.program.target.ptr_bits
    }

    pub fn off_bits(&self) -> u16 {
        self.program.target.offset_bits()
    }

    /// The pointer to byte `off` of object `number`.
    pub fn pointer(&self, terms: &mut Terms, number: u64, off: i64) -> Term {
        let high = terms.bv(self.ptr_bits() - self.off_bits(), number);
        let low = terms.bv_signed(self.off_bits(), off);
        terms.concat(high, low)
    }

    /// The term of a constant of this many bits. Indeterminate values are zero: where they matter a check is in front.
    pub fn constant(&self, terms: &mut Terms, c: &Const, bits: u16) -> Term {
        match c {
            Const::Bits(v) => terms.bv_const(v.clone()),
            Const::Null | Const::Undef => terms.zero(bits),
            Const::Global(g, off) => self.pointer(terms, self.program.global_object(*g), *off),
            Const::Func(f) => self.pointer(terms, self.program.func_object(*f), 0),
        }
    }

    /// `p` moved by `delta` bytes (as wide as a pointer). A choice between pointers stays one.
    pub fn ptr_add(&self, terms: &mut Terms, p: Term, delta: Term) -> Term {
        if terms.is_zero(delta) {
            return p;
        }
        let mut moved = HashMap::new();
        self.move_choice(terms, p, delta, &mut moved, MAX_CHOICE).unwrap_or_else(|| self.ptr_add_plain(terms, p, delta))
    }

    /// `None` if there are too many choices.
    fn move_choice(
        &self,
        terms: &mut Terms,
        p: Term,
        delta: Term,
        moved: &mut HashMap<Term, Term>,
        depth: u32,
    ) -> Option<Term> {
        if let Some(&known) = moved.get(&p) {
            return Some(known);
        }
        let out = match terms.op(p) {
            Op::Ite(c, a, b) => {
                let depth = depth.checked_sub(1)?;
                let a = self.move_choice(terms, a, delta, moved, depth)?;
                let b = self.move_choice(terms, b, delta, moved, depth)?;
                terms.ite(c, a, b)
            }
            _ => self.ptr_add_plain(terms, p, delta),
        };
        if moved.len() >= MAX_CHOICES {
            return None;
        }
        moved.insert(p, out);
        Some(out)
    }

    pub(super) fn ptr_add_plain(&self, terms: &mut Terms, p: Term, delta: Term) -> Term {
        let (bits, off_bits) = (self.ptr_bits(), self.off_bits());
        let object = terms.extract(p, bits - 1, off_bits);
        let off = terms.extract(p, off_bits - 1, 0);
        let step = terms.extract(delta, off_bits - 1, 0);
        let sum = terms.add(off, step);
        let small = signed_bits(terms, delta) < off_bits;
        // Pointers from outside a segment are nowhere near the end of what can be addressed.
        let step_of_segment = self.segment.is_some() && terms.is_const(delta);
        let sum = if small && (step_of_segment || signed_bits(terms, off) < off_bits) {
            sum
        } else {
            let mut far = terms.saddo(off, step);
            if !small {
                let back = terms.sext(step, bits);
                let cut = terms.ne(back, delta);
                far = terms.or(far, cut);
            }
            let lowest = terms.bv_signed(off_bits, -(1 << (off_bits - 1)));
            terms.ite(far, lowest, sum)
        };
        terms.concat(object, sum)
    }

    /// The objects a pointer can mean; what else it may be (`unknown`) was excluded by whoever asks.
    pub fn leaves(&mut self, terms: &mut Terms, p: Term) -> Result<Vec<Leaf>, Refusal> {
        let (bits, off_bits) = (self.ptr_bits(), self.off_bits());
        let mut out = Vec::new();
        for (cond, leaf) in choices(terms, &self.facts, p) {
            let object = terms.extract(leaf, bits - 1, off_bits);
            let off = terms.extract(leaf, off_bits - 1, 0);
            let off = terms.zext(off, self.index_bits());
            if let Some(n) = terms.as_u64(object) {
                out.push(self.known_leaf(cond, n, off, leaf));
                continue;
            }
            if let Some(&class) = self.segment.as_ref().and_then(|s| s.tags.get(&object)) {
                let mut outside = cond;
                for n in self.own_numbers(terms, object) {
                    let number = terms.bv(bits - off_bits, n);
                    let here = terms.eq(object, number);
                    let own = terms.and(outside, here);
                    if !terms.is_false(own) {
                        out.push(self.known_leaf(own, n, off, leaf));
                        let elsewhere = terms.not(here);
                        outside = terms.and(outside, elsewhere);
                    }
                }
                out.push(self.outside_leaf(outside, class, leaf));
                continue;
            }
            for n in self.numbers(terms, object)? {
                let number = terms.bv(bits - off_bits, n);
                let here = terms.eq(object, number);
                let cond = terms.and(cond, here);
                if !terms.is_false(cond) {
                    out.push(self.known_leaf(cond, n, off, leaf));
                }
            }
        }
        Ok(grouped(terms, out))
    }

    /// The segment's own objects that a term for an object's number syntactically can be: memory that was read may hold them.
    fn own_numbers(&mut self, terms: &mut Terms, object: Term) -> Vec<u64> {
        let named = self.named.of(terms, object).unwrap_or_default();
        named.into_iter().filter(|&n| n != 0 && self.outside_class(n).is_none()).collect()
    }

    /// The numbers a term for an object's number can be; where not all stand in it, those that do.
    fn numbers(&mut self, terms: &mut Terms, object: Term) -> Result<BTreeSet<u64>, Refusal> {
        match self.candidates.of(terms, object) {
            Some(all) => Ok(all),
            None if self.segment.is_some() => Err(Refusal::UnknownPointer),
            None => Ok(self.possible(terms, object)),
        }
    }

    /// The numbers that are followed of those a term can be.
    fn possible(&mut self, terms: &mut Terms, object: Term) -> BTreeSet<u64> {
        let mut list = self.named.of(terms, object).unwrap_or_default();
        list.extend(self.chance.iter().flatten());
        list
    }

    /// An object of the user's was made.
    pub fn note_object(&mut self, number: ObjectNo) {
        if let Some(list) = &mut self.chance {
            list.insert(number.number());
        }
        if self.chance.as_ref().is_some_and(|list| list.len() > MAX_CHANCE) {
            self.chance = None;
        }
    }

    /// The objects that an arbitrary pointer is followed to.
    pub(crate) fn chance(&self) -> &Option<BTreeSet<u64>> {
        &self.chance
    }

    pub(crate) fn set_chance(&mut self, chance: Option<BTreeSet<u64>>) {
        self.chance = chance;
    }

    /// The program begins anew: no object was made.
    pub(crate) fn begin_anew(&mut self) {
        self.chance = Some(user_globals(self.program)).filter(|list| list.len() <= MAX_CHANCE);
    }

    /// The condition that a pointer is none of its leaves: it came from outside, or was computed as a number.
    pub fn unknown(&mut self, terms: &mut Terms, p: Term) -> Term {
        let (bits, off_bits) = (self.ptr_bits(), self.off_bits());
        let mut out = terms.fls();
        if self.segment.is_some() {
            return out;
        }
        for (cond, leaf) in choices(terms, &self.facts, p) {
            let object = terms.extract(leaf, bits - 1, off_bits);
            if terms.is_const(object) || self.candidates.of(terms, object).is_some() {
                continue;
            }
            let mut other = cond;
            for n in self.possible(terms, object) {
                let number = terms.bv(bits - off_bits, n);
                let differs = terms.ne(object, number);
                other = terms.and(other, differs);
            }
            out = terms.or(out, other);
        }
        out
    }

    pub(super) fn known_leaf(&self, cond: Term, number: u64, off: Term, pointer: Term) -> Leaf {
        match self.outside_class(number) {
            Some(class) => self.outside_leaf(cond, class, pointer),
            None => Leaf { cond, object: ObjectNo::of(number).into(), off, class: None },
        }
    }

    fn outside_leaf(&self, cond: Term, class: Class, pointer: Term) -> Leaf {
        let life = self.world().map_or_else(Region::default, |world| world.life(class));
        Leaf { cond, object: Holder::Region(life), off: pointer, class: Some(class) }
    }

    /// Whether a word syntactically names an object.
    pub fn names_object(&mut self, terms: &mut Terms, word: Term) -> bool {
        self.named_objects(terms, word).iter().any(|(_, n)| *n != ObjectNo(0))
    }

    /// The objects a word syntactically names, each with its condition; bytes that came from outside name none.
    pub fn named_objects(&mut self, terms: &mut Terms, word: Term) -> Vec<(Term, ObjectNo)> {
        self.named_places(terms, word).into_iter().map(|(cond, n, _)| (cond, n)).collect()
    }

    /// The same, each with the offset into it.
    pub fn named_places(&mut self, terms: &mut Terms, word: Term) -> Vec<(Term, ObjectNo, Term)> {
        let (bits, off_bits) = (self.ptr_bits(), self.off_bits());
        let mut out = Vec::new();
        for (cond, leaf) in choices(terms, &self.facts, word) {
            let object = terms.extract(leaf, bits - 1, off_bits);
            let off = terms.extract(leaf, off_bits - 1, 0);
            for n in self.named.of(terms, object).unwrap_or_default() {
                let number = terms.bv(bits - off_bits, n);
                let here = terms.eq(object, number);
                let cond = terms.and(cond, here);
                out.push((cond, ObjectNo::of(n), off));
            }
        }
        out
    }

    /// The functions a pointer can mean, each with its condition, and the condition that it is none of them.
    pub fn functions(&mut self, terms: &mut Terms, p: Term) -> Result<(Vec<(Term, FuncId)>, Term), Refusal> {
        let mut found = Vec::new();
        let mut none = terms.fls();
        for leaf in self.leaves(terms, p)? {
            match leaf.object.object().and_then(|n| self.program.func_of_object(n.number())) {
                // No pointer to a function that nobody mentions was ever made; a number may be the same.
                Some(f) if !self.program.is_pruned(f) => found.push((leaf.cond, f)),
                Some(_) | None => none = terms.or(none, leaf.cond),
            }
        }
        Ok((found, none))
    }

    pub(crate) fn first_free(&self) -> ObjectNo {
        ObjectNo::of(self.program.first_free_object())
    }

    /// The state of a global or function at the start of the program.
    pub(super) fn initial(&mut self, terms: &mut Terms, holder: Holder) -> Option<Rc<Object>> {
        if let Some(found) = self.initial.get(&holder) {
            return Some(Rc::clone(found));
        }
        let object = match holder {
            Holder::Region(region) => self.region_start(terms, region)?,
            Holder::Object(number) => self.object_at_start(terms, number)?,
        };
        let object = Rc::new(object);
        self.initial.insert(holder, Rc::clone(&object));
        Some(object)
    }

    fn object_at_start(&mut self, terms: &mut Terms, number: ObjectNo) -> Option<Object> {
        if number == ObjectNo(0) || number >= self.first_free() {
            return None;
        }
        Some(match self.program.func_of_object(number.number()) {
            Some(_) => self.code_object(terms),
            None => self.global_object(terms, GlobalId(number.0 - 1)),
        })
    }

    pub(super) fn code_object(&self, terms: &mut Terms) -> Object {
        let zero = terms.bv(8, 0);
        Object {
            kind: ObjectKind::Code,
            size: terms.zero(self.off_bits()),
            live: terms.tru(),
            exists: terms.tru(),
            constant: true,
            data: Contents::filled(zero),
            shadow: None,
            leak: None,
            class: None,
            outside: None,
        }
    }

    pub(super) fn global_object(&mut self, terms: &mut Terms, id: GlobalId) -> Object {
        let global = self.program.global(id);
        let data = match &global.init {
            None => {
                let name = format!("global:{}", global.name);
                let array = terms.var(&name, Sort::Array { index: self.index_bits(), elem: 8 });
                Contents::bytes(array)
            }
            Some(bytes) => {
                let pointers = global
                    .relocs
                    .iter()
                    .map(|r| {
                        let number = match r.target {
                            RelocTarget::Global(g) => self.program.global_object(g),
                            RelocTarget::Func(f) => self.program.func_object(f),
                        };
                        (r.offset, self.pointer(terms, number, r.addend))
                    })
                    .collect();
                Contents::data(Initial {
                    bytes: bytes.clone(),
                    pointers,
                    pointer_bytes: u64::from(self.ptr_bits() / 8),
                })
            }
        };
        let zero = terms.bv(8, 0);
        Object {
            kind: ObjectKind::Global,
            size: terms.bv(self.off_bits(), global.size),
            live: terms.tru(),
            exists: terms.tru(),
            constant: global.constant,
            data,
            shadow: self.track_shadow.then(|| Contents::filled(zero)),
            leak: None,
            class: None,
            outside: None,
        }
    }
}

/// One leaf for each object: a choice between places in an object is a place in it.
fn grouped(terms: &mut Terms, leaves: Vec<Leaf>) -> Vec<Leaf> {
    let mut out: Vec<Leaf> = Vec::new();
    let mut by_object: HashMap<Holder, usize> = HashMap::new();
    for leaf in leaves {
        match by_object.get(&leaf.object) {
            Some(&at) => {
                let group = &mut out[at];
                group.off = terms.ite(leaf.cond, leaf.off, group.off);
                group.cond = terms.or(group.cond, leaf.cond);
            }
            None => {
                by_object.insert(leaf.object, out.len());
                out.push(leaf);
            }
        }
    }
    out
}

/// The numbers of the user's variables; constants are what the compiler made.
fn user_globals(program: &Program) -> BTreeSet<u64> {
    let globals = program.globals.iter().enumerate();
    let users = globals.filter(|(_, g)| !g.model && !g.constant);
    users.map(|(i, _)| program.global_object(GlobalId(i as u32))).collect()
}
