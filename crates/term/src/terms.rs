//! The arena of terms: hash-consing, constants, variables, and reading terms back.
//!
//! Why a raw table over ids: ten million terms are built in seconds, and each costs its 16 bytes plus one table slot.
//! Invariants: structurally equal terms have the same id; ids never change; nothing is ever removed.
//! Absent: simplification, which is in `build`, one file per family of operators.

use crate::build::Constants;
use crate::known::KnownBits;
use crate::node::{ARRAY, KINDS, KNOWN, Kind, Node, Op, Term, VarId};
use crate::reads::ReadIndex;
use crate::sort::Sort;
use crate::table::{Found, Table};
use blitz_base::Bv;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::Arc;

/// How deep rules on chains of choices and concatenations go.
const MAX_DEPTH: u32 = 200;
/// How many such rules one call of a builder applies in all: a graph of choices can have more paths than nodes.
const MAX_STEPS: u32 = 4096;

/// The children of a term.
pub type Children = SmallVec<[Term; 5]>;

/// The context that owns all terms.
#[derive(Clone)]
pub struct Terms {
    pub(crate) nodes: Vec<Node>,
    table: Table,
    vars: Vec<Var>,
    /// The variables of a name, one per sort.
    var_ids: HashMap<Box<str>, SmallVec<[(Sort, Term); 1]>>,
    fresh: u64,
    wide: Pool<Bv>,
    bulk: Pool<[Term; 5]>,
    array_sorts: Pool<(u16, u16)>,
    pub(crate) known: HashMap<Term, KnownBits, crate::hash::FastHash>,
    pub(crate) reads: ReadIndex,
    /// What comparisons of choices with constants became.
    pub(crate) compared: HashMap<Term, (Op, bool), crate::hash::FastHash>,
    /// The tables of constants among the arrays that were read; `None` for other arrays.
    pub(crate) constants: HashMap<Term, Option<Arc<Constants>>, crate::hash::FastHash>,
    /// How many rules that go down chains are at work inside each other.
    depth: u32,
    /// How many of them there were since the outermost one began.
    steps: u32,
    /// Nodes looked up since somebody counted them as work.
    lookups: u64,
    tru: Term,
    fls: Term,
}

#[derive(Clone)]
struct Var {
    name: Box<str>,
    term: Term,
}

/// Values numbered in order of first use.
#[derive(Clone)]
struct Pool<T> {
    items: Vec<T>,
    ids: HashMap<T, u32>,
}

impl<T: Clone + Eq + std::hash::Hash> Pool<T> {
    fn new() -> Self {
        Self { items: Vec::new(), ids: HashMap::new() }
    }

    fn intern(&mut self, item: T) -> u32 {
        if let Some(&id) = self.ids.get(&item) {
            return id;
        }
        let id = self.items.len() as u32;
        self.items.push(item.clone());
        self.ids.insert(item, id);
        id
    }
}

/// How many terms there are, and of what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermStats {
    /// All terms ever built.
    pub terms: usize,
    /// All variables.
    pub vars: usize,
    /// Bytes held by nodes and their table, as allocated.
    pub bytes: usize,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

/// Making and finding terms.
impl Terms {
    /// A context with the two truth values in it.
    pub fn new() -> Self {
        let mut terms = Self {
            nodes: Vec::new(),
            table: Table::new(),
            vars: Vec::new(),
            var_ids: HashMap::new(),
            fresh: 0,
            wide: Pool::new(),
            bulk: Pool::new(),
            array_sorts: Pool::new(),
            known: HashMap::default(),
            reads: ReadIndex::default(),
            compared: HashMap::default(),
            constants: HashMap::default(),
            depth: 0,
            steps: 0,
            lookups: 0,
            tru: Term::from_index(0),
            fls: Term::from_index(0),
        };
        terms.fls = terms.bv(1, 0);
        terms.tru = terms.bv(1, 1);
        terms
    }

    /// How often a builder looked for a term, whether it was new or not, since this was asked last: what building takes.
    pub fn take_lookups(&mut self) -> u64 {
        std::mem::take(&mut self.lookups)
    }

    /// The term with this node, made if it is new.
    pub(crate) fn intern(&mut self, node: Node) -> Term {
        self.lookups += 1;
        let hash = node.hash();
        let nodes = &self.nodes;
        let slot = match self.table.find(hash, |raw| nodes[raw as usize - 1].same(&node)) {
            Found::Id(raw) => return Term::from_raw(raw),
            Found::Free(slot) => slot,
        };
        let term = Term::from_index(self.nodes.len());
        self.nodes.push(node);
        self.table.insert(slot, hash, term.raw());
        self.learn_bits(term);
        term
    }

    pub(crate) fn bv_node(&mut self, kind: Kind, width: u16, children: [u32; 3]) -> Term {
        let [a, b, c] = children;
        self.intern(Node { kind, flags: 0, width, a, b, c })
    }

    pub(crate) fn unary(&mut self, kind: Kind, width: u16, a: Term) -> Term {
        self.bv_node(kind, width, [a.raw(), 0, 0])
    }

    pub(crate) fn binary(&mut self, kind: Kind, width: u16, a: Term, b: Term) -> Term {
        self.bv_node(kind, width, [a.raw(), b.raw(), 0])
    }

    /// Applies a rule that goes down a chain of choices or concatenations, unless it is deep in one already: chains may be longer
    /// than the stack.
    pub(crate) fn descend(&mut self, rule: impl FnOnce(&mut Self) -> Term) -> Option<Term> {
        if self.depth == 0 {
            self.steps = 0;
        }
        if self.depth >= MAX_DEPTH || self.steps >= MAX_STEPS {
            return None;
        }
        self.depth += 1;
        self.steps += 1;
        let result = rule(self);
        self.depth -= 1;
        Some(result)
    }

    /// A node of array sort.
    pub(crate) fn array_node(&mut self, kind: Kind, sort: Sort, children: [u32; 3]) -> Term {
        let width = self.array_sort_id(sort);
        let [a, b, c] = children;
        self.intern(Node { kind, flags: ARRAY, width, a, b, c })
    }

    fn array_sort_id(&mut self, sort: Sort) -> u16 {
        let Sort::Array { index, elem } = sort else {
            panic!("an array sort should be here, not {sort}");
        };
        let id = self.array_sorts.intern((index, elem));
        u16::try_from(id).expect("there should be fewer than 65536 array sorts")
    }

    pub(crate) fn intern_bulk(&mut self, children: [Term; 5]) -> u32 {
        self.bulk.intern(children)
    }

    /// The variable of this name and sort; the same one each time.
    pub fn var(&mut self, name: &str, sort: Sort) -> Term {
        if let Some(term) = self.find_var(name, sort) {
            return term;
        }
        let id = self.vars.len() as u32;
        let term = match sort {
            Sort::Bv(width) => {
                assert!(width > 0, "a variable should have at least one bit");
                self.bv_node(Kind::Var, width, [id, 0, 0])
            }
            Sort::Array { .. } => self.array_node(Kind::Var, sort, [id, 0, 0]),
        };
        self.vars.push(Var { name: name.into(), term });
        self.var_ids.entry(name.into()).or_default().push((sort, term));
        term
    }

    /// The variable of this name and sort, if there is one.
    pub fn find_var(&self, name: &str, sort: Sort) -> Option<Term> {
        let found = self.var_ids.get(name)?;
        found.iter().find(|(of, _)| *of == sort).map(|&(_, term)| term)
    }

    /// A variable that did not exist before; its name starts with `prefix`.
    pub fn fresh(&mut self, prefix: &str, sort: Sort) -> Term {
        loop {
            let name = format!("{prefix}!{}", self.fresh);
            self.fresh += 1;
            if !self.var_ids.contains_key(name.as_str()) {
                return self.var(&name, sort);
            }
        }
    }

    /// The constant `value` cut to `width` bits.
    pub fn bv(&mut self, width: u16, value: u64) -> Term {
        assert!(width > 0, "a bit-vector should have at least one bit");
        if width > 64 {
            return self.bv_const(Bv::from_u64(width, value));
        }
        let value = value & mask(width);
        self.bv_node(Kind::Const, width, [value as u32, (value >> 32) as u32, 0])
    }

    /// A constant.
    pub fn bv_const(&mut self, value: Bv) -> Term {
        let width = value.width();
        match value.to_u64() {
            Some(bits) if width <= 64 => self.bv(width, bits),
            _ => {
                let id = self.wide.intern(value);
                self.bv_node(Kind::WideConst, width, [id, 0, 0])
            }
        }
    }

    /// The two's complement of `value` in `width` bits.
    pub fn bv_signed(&mut self, width: u16, value: i64) -> Term {
        self.bv_const(Bv::from_i64(width, value))
    }

    /// Zero.
    pub fn zero(&mut self, width: u16) -> Term {
        self.bv(width, 0)
    }

    /// All bits set.
    pub fn ones(&mut self, width: u16) -> Term {
        self.bv_const(Bv::ones(width))
    }

    /// True.
    pub fn tru(&self) -> Term {
        self.tru
    }

    /// False.
    pub fn fls(&self) -> Term {
        self.fls
    }

    /// A truth value.
    pub fn bool(&self, value: bool) -> Term {
        if value { self.tru } else { self.fls }
    }
}

/// The lowest `width` bits set, for widths of at most 64.
pub(crate) fn mask(width: u16) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// Reading terms.
impl Terms {
    pub(crate) fn node(&self, t: Term) -> &Node {
        &self.nodes[t.index()]
    }

    pub(crate) fn kind(&self, t: Term) -> Kind {
        self.nodes[t.index()].kind
    }

    /// The sort.
    pub fn sort(&self, t: Term) -> Sort {
        let node = self.node(t);
        if node.flags & ARRAY == 0 {
            return Sort::Bv(node.width);
        }
        let (index, elem) = self.array_sorts.items[usize::from(node.width)];
        Sort::Array { index, elem }
    }

    /// Whether the term is an array.
    pub fn is_array(&self, t: Term) -> bool {
        self.node(t).flags & ARRAY != 0
    }

    /// The number of bits of a bit-vector term.
    pub fn width(&self, t: Term) -> u16 {
        let node = self.node(t);
        assert!(node.flags & ARRAY == 0, "a bit-vector should be here, not an array");
        node.width
    }

    /// Index and element width of an array term.
    pub fn array_widths(&self, t: Term) -> (u16, u16) {
        match self.sort(t) {
            Sort::Array { index, elem } => (index, elem),
            Sort::Bv(_) => panic!("an array should be here, not a bit-vector"),
        }
    }

    /// The operator and children.
    pub fn op(&self, t: Term) -> Op {
        let node = *self.node(t);
        let a = || Term::from_raw(node.a);
        let b = || Term::from_raw(node.b);
        let c = || Term::from_raw(node.c);
        match node.kind {
            Kind::Const | Kind::WideConst => Op::Const,
            Kind::Var => Op::Var(VarId(node.a)),
            Kind::Not => Op::Not(a()),
            Kind::And => Op::And(a(), b()),
            Kind::Xor => Op::Xor(a(), b()),
            Kind::Neg => Op::Neg(a()),
            Kind::Add => Op::Add(a(), b()),
            Kind::Mul => Op::Mul(a(), b()),
            Kind::Udiv => Op::Udiv(a(), b()),
            Kind::Urem => Op::Urem(a(), b()),
            Kind::Sdiv => Op::Sdiv(a(), b()),
            Kind::Srem => Op::Srem(a(), b()),
            Kind::Shl => Op::Shl(a(), b()),
            Kind::Lshr => Op::Lshr(a(), b()),
            Kind::Ashr => Op::Ashr(a(), b()),
            Kind::Eq => Op::Eq(a(), b()),
            Kind::Ult => Op::Ult(a(), b()),
            Kind::Slt => Op::Slt(a(), b()),
            Kind::Ite => Op::Ite(a(), b(), c()),
            Kind::Concat => Op::Concat(a(), b()),
            Kind::Extract => Op::Extract { arg: a(), hi: node.b as u16, lo: node.c as u16 },
            Kind::Sext => Op::Sext(a()),
            Kind::ConstArray => Op::ConstArray(a()),
            Kind::Store => Op::Store(a(), b(), c()),
            Kind::Select => Op::Select(a(), b()),
            Kind::Copy | Kind::Fill | Kind::Scan | Kind::Mismatch => self.bulk_op(node),
        }
    }

    fn bulk_op(&self, node: Node) -> Op {
        let [p, q, r, s, t] = self.bulk.items[node.a as usize];
        match node.kind {
            Kind::Copy => Op::Copy { dst: p, dst_off: q, src: r, src_off: s, len: t },
            Kind::Fill => Op::Fill { array: p, off: q, value: r, len: s },
            Kind::Scan => Op::Scan { array: p, off: q, value: r, limit: s },
            Kind::Mismatch => Op::Mismatch { a: p, a_off: q, b: r, b_off: s, limit: t },
            other => unreachable!("a bulk kind should be here, not {other:?}"),
        }
    }

    /// The children, in the order of `Op`'s fields.
    pub fn children(&self, t: Term) -> Children {
        let node = *self.node(t);
        let count = match node.kind {
            Kind::Const | Kind::WideConst | Kind::Var => 0,
            Kind::Not | Kind::Neg | Kind::Extract | Kind::Sext | Kind::ConstArray => 1,
            Kind::And
            | Kind::Xor
            | Kind::Add
            | Kind::Mul
            | Kind::Udiv
            | Kind::Urem
            | Kind::Sdiv
            | Kind::Srem
            | Kind::Shl
            | Kind::Lshr
            | Kind::Ashr
            | Kind::Eq
            | Kind::Ult
            | Kind::Slt
            | Kind::Concat
            | Kind::Select => 2,
            Kind::Ite | Kind::Store => 3,
            Kind::Fill | Kind::Scan => {
                return Children::from_slice(&self.bulk.items[node.a as usize][..4]);
            }
            Kind::Copy | Kind::Mismatch => {
                return Children::from_slice(&self.bulk.items[node.a as usize]);
            }
        };
        [node.a, node.b, node.c][..count].iter().map(|&raw| Term::from_raw(raw)).collect()
    }

    /// Whether the term is a bit-vector constant.
    pub fn is_const(&self, t: Term) -> bool {
        matches!(self.kind(t), Kind::Const | Kind::WideConst)
    }

    /// The value of a constant.
    pub fn as_const(&self, t: Term) -> Option<Bv> {
        let node = self.node(t);
        match node.kind {
            Kind::Const => Some(Bv::from_u64(node.width, narrow_value(node))),
            Kind::WideConst => Some(self.wide.items[node.a as usize].clone()),
            _ => None,
        }
    }

    /// The value of a constant that fits in 64 bits.
    pub fn as_u64(&self, t: Term) -> Option<u64> {
        let node = self.node(t);
        match node.kind {
            Kind::Const => Some(narrow_value(node)),
            Kind::WideConst => self.wide.items[node.a as usize].to_u64(),
            _ => None,
        }
    }

    /// Whether the term is the constant true.
    pub fn is_true(&self, t: Term) -> bool {
        t == self.tru
    }

    /// Whether the term is the constant false.
    pub fn is_false(&self, t: Term) -> bool {
        t == self.fls
    }

    /// Whether the term is a constant zero.
    pub fn is_zero(&self, t: Term) -> bool {
        self.as_u64(t) == Some(0)
    }

    /// Whether the term is a constant with all bits set.
    pub fn is_ones(&self, t: Term) -> bool {
        let node = self.node(t);
        match node.kind {
            Kind::Const => narrow_value(node) == mask(node.width),
            Kind::WideConst => self.wide.items[node.a as usize].is_ones(),
            _ => false,
        }
    }

    /// Whether the term is a variable.
    pub fn is_var(&self, t: Term) -> bool {
        self.kind(t) == Kind::Var
    }

    /// The name of a variable.
    pub fn var_name(&self, t: Term) -> Option<&str> {
        let node = self.node(t);
        (node.kind == Kind::Var).then(|| &*self.vars[node.a as usize].name)
    }

    /// All variables in order of creation.
    pub fn vars(&self) -> impl Iterator<Item = Term> + '_ {
        self.vars.iter().map(|v| v.term)
    }

    /// The two sides if the term is a disjunction, that is `not (and (not x) (not y))`.
    pub fn as_or(&self, t: Term) -> Option<(Term, Term)> {
        let Op::Not(inner) = self.op(t) else {
            return None;
        };
        let Op::And(a, b) = self.op(inner) else {
            return None;
        };
        match (self.op(a), self.op(b)) {
            (Op::Not(x), Op::Not(y)) => Some((x, y)),
            _ => None,
        }
    }

    /// The argument if the term is a zero extension, that is a concatenation with zero above.
    pub fn as_zext(&self, t: Term) -> Option<Term> {
        match self.op(t) {
            Op::Concat(high, low) if self.is_zero(high) => Some(low),
            _ => None,
        }
    }

    /// The number of terms ever built.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the truth values always exist.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Sizes.
    pub fn stats(&self) -> TermStats {
        TermStats {
            terms: self.nodes.len(),
            vars: self.vars.len(),
            bytes: self.nodes.capacity() * size_of::<Node>() + self.table.bytes(),
        }
    }

    /// How many terms of each operator there are, by name, in a fixed order; operators without terms are left out.
    pub fn histogram(&self) -> Vec<(String, usize)> {
        let mut counts = [0usize; KINDS];
        let mut names = vec![String::new(); KINDS];
        for node in &self.nodes {
            let slot = node.kind as usize;
            if counts[slot] == 0 {
                names[slot] = format!("{:?}", node.kind).to_lowercase();
            }
            counts[slot] += 1;
        }
        names.into_iter().zip(counts).filter(|(_, n)| *n > 0).collect()
    }

    pub(crate) fn mark_known(&mut self, t: Term) {
        self.nodes[t.index()].flags |= KNOWN;
    }
}

fn narrow_value(node: &Node) -> u64 {
    u64::from(node.a) | u64::from(node.b) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_pinned() {
        assert_eq!(size_of::<Term>(), 4);
        assert_eq!(size_of::<Option<Term>>(), 4);
        assert_eq!(size_of::<Node>(), 16);
        assert!(size_of::<Op>() <= 24);
    }
}
