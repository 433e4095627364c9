//! Formulas in one arena, and their negation normal form.
//!
//! Invariants: equal subformulas have one id; ids are a topological order, so everything is computed by loops over the arena.
//! F, G, W, O and H are written with U, R, S and T.

use blitz_term::Term;
use std::collections::HashMap;

/// A formula in its arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormulaId(u32);

impl FormulaId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operator with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    True,
    False,
    /// A condition over states and inputs.
    Atom(Term),
    Not(FormulaId),
    And(FormulaId, FormulaId),
    Or(FormulaId, FormulaId),
    /// X
    Next(FormulaId),
    /// U
    Until(FormulaId, FormulaId),
    /// R, also written V
    Release(FormulaId, FormulaId),
    /// Y: there is a previous time, and it held there
    Yesterday(FormulaId),
    /// Z: if there is a previous time, it held there
    WeakYesterday(FormulaId),
    /// S
    Since(FormulaId, FormulaId),
    /// T: the dual of S
    Triggered(FormulaId, FormulaId),
}

/// A formula with its subformulas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    nodes: Vec<Node>,
    ids: HashMap<Node, FormulaId>,
    root: FormulaId,
}

impl Default for Formula {
    fn default() -> Self {
        Self::new()
    }
}

/// Building.
impl Formula {
    /// An arena whose root is `true`.
    pub fn new() -> Self {
        let mut formula = Self { nodes: Vec::new(), ids: HashMap::new(), root: FormulaId(0) };
        formula.root = formula.add(Node::True);
        formula
    }

    fn add(&mut self, node: Node) -> FormulaId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = FormulaId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.ids.insert(node, id);
        id
    }

    /// Makes this the whole formula.
    pub fn set_root(&mut self, root: FormulaId) {
        self.root = root;
    }

    pub fn tru(&mut self) -> FormulaId {
        self.add(Node::True)
    }

    pub fn fls(&mut self) -> FormulaId {
        self.add(Node::False)
    }

    pub fn atom(&mut self, term: Term) -> FormulaId {
        self.add(Node::Atom(term))
    }

    pub fn not(&mut self, a: FormulaId) -> FormulaId {
        match self.node(a) {
            Node::True => self.fls(),
            Node::False => self.tru(),
            Node::Not(inner) => inner,
            _ => self.add(Node::Not(a)),
        }
    }

    pub fn and(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        match (self.node(a), self.node(b)) {
            (Node::True, _) => b,
            (_, Node::True) => a,
            (Node::False, _) | (_, Node::False) => self.fls(),
            _ if a == b => a,
            _ => self.add(Node::And(a.min(b), a.max(b))),
        }
    }

    pub fn or(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        match (self.node(a), self.node(b)) {
            (Node::False, _) => b,
            (_, Node::False) => a,
            (Node::True, _) | (_, Node::True) => self.tru(),
            _ if a == b => a,
            _ => self.add(Node::Or(a.min(b), a.max(b))),
        }
    }

    pub fn implies(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let not = self.not(a);
        self.or(not, b)
    }

    pub fn iff(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let (there, back) = (self.implies(a, b), self.implies(b, a));
        self.and(there, back)
    }

    pub fn next(&mut self, a: FormulaId) -> FormulaId {
        self.add(Node::Next(a))
    }

    pub fn until(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.add(Node::Until(a, b))
    }

    pub fn release(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.add(Node::Release(a, b))
    }

    /// `a W b`: a until b, or a for ever.
    pub fn weak_until(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let either = self.or(a, b);
        self.release(b, either)
    }

    pub fn eventually(&mut self, a: FormulaId) -> FormulaId {
        let tru = self.tru();
        self.until(tru, a)
    }

    pub fn always(&mut self, a: FormulaId) -> FormulaId {
        let fls = self.fls();
        self.release(fls, a)
    }

    pub fn yesterday(&mut self, a: FormulaId) -> FormulaId {
        self.add(Node::Yesterday(a))
    }

    pub fn weak_yesterday(&mut self, a: FormulaId) -> FormulaId {
        self.add(Node::WeakYesterday(a))
    }

    pub fn since(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.add(Node::Since(a, b))
    }

    pub fn triggered(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.add(Node::Triggered(a, b))
    }

    pub fn once(&mut self, a: FormulaId) -> FormulaId {
        let tru = self.tru();
        self.since(tru, a)
    }

    pub fn historically(&mut self, a: FormulaId) -> FormulaId {
        let fls = self.fls();
        self.triggered(fls, a)
    }
}

/// Reading.
impl Formula {
    pub fn root(&self) -> FormulaId {
        self.root
    }

    pub fn node(&self, id: FormulaId) -> Node {
        self.nodes[id.index()]
    }

    /// The arguments.
    pub fn children(&self, id: FormulaId) -> Vec<FormulaId> {
        match self.node(id) {
            Node::True | Node::False | Node::Atom(_) => Vec::new(),
            Node::Not(a) | Node::Next(a) | Node::Yesterday(a) | Node::WeakYesterday(a) => vec![a],
            Node::And(a, b)
            | Node::Or(a, b)
            | Node::Until(a, b)
            | Node::Release(a, b)
            | Node::Since(a, b)
            | Node::Triggered(a, b) => vec![a, b],
        }
    }

    /// The root's subformulas, arguments first.
    pub fn subformulas(&self) -> Vec<FormulaId> {
        let mut used = vec![false; self.nodes.len()];
        used[self.root.index()] = true;
        for index in (0..=self.root.index()).rev() {
            if used[index] {
                for child in self.children(FormulaId(index as u32)) {
                    used[child.index()] = true;
                }
            }
        }
        (0..=self.root.0).map(FormulaId).filter(|id| used[id.index()]).collect()
    }

    /// The conditions it mentions, each once.
    pub fn atoms(&self) -> Vec<Term> {
        let atom = |id: FormulaId| match self.node(id) {
            Node::Atom(term) => Some(term),
            _ => None,
        };
        self.subformulas().into_iter().filter_map(atom).collect()
    }

    /// Whether it looks back.
    pub fn has_past(&self) -> bool {
        let past = |id: &FormulaId| {
            matches!(
                self.node(*id),
                Node::Yesterday(_) | Node::WeakYesterday(_) | Node::Since(..) | Node::Triggered(..)
            )
        };
        self.subformulas().iter().any(past)
    }

    /// The condition p if the formula is `G p`.
    pub fn always_atom(&self) -> Option<Term> {
        match self.node(self.root) {
            Node::Release(a, b) if self.node(a) == Node::False => match self.node(b) {
                Node::Atom(term) => Some(term),
                _ => None,
            },
            _ => None,
        }
    }

    /// The negation, with `Not` at atoms only.
    pub fn negated(&self) -> Formula {
        let mut out = Formula::new();
        // Each subformula as it is, and negated.
        let mut both: Vec<Option<(FormulaId, FormulaId)>> = vec![None; self.nodes.len()];
        for id in self.subformulas() {
            let get = |child: FormulaId| both[child.index()].expect("arguments should come first");
            both[id.index()] = Some(out.normal(self.node(id), get));
        }
        let (_, negated) = both[self.root.index()].expect("the root should be among its subformulas");
        out.set_root(negated);
        out
    }

    /// A node and its negation, over arguments that are given likewise.
    fn normal(&mut self, node: Node, get: impl Fn(FormulaId) -> (FormulaId, FormulaId)) -> (FormulaId, FormulaId) {
        match node {
            Node::True => (self.tru(), self.fls()),
            Node::False => (self.fls(), self.tru()),
            Node::Atom(term) => {
                let atom = self.atom(term);
                (atom, self.not(atom))
            }
            Node::Not(a) => {
                let (yes, no) = get(a);
                (no, yes)
            }
            Node::And(a, b) => {
                let ((a, na), (b, nb)) = (get(a), get(b));
                (self.and(a, b), self.or(na, nb))
            }
            Node::Or(a, b) => {
                let ((a, na), (b, nb)) = (get(a), get(b));
                (self.or(a, b), self.and(na, nb))
            }
            Node::Next(a) => {
                let (a, na) = get(a);
                (self.next(a), self.next(na))
            }
            Node::Until(a, b) => {
                let ((a, na), (b, nb)) = (get(a), get(b));
                (self.until(a, b), self.release(na, nb))
            }
            Node::Release(a, b) => {
                let ((a, na), (b, nb)) = (get(a), get(b));
                (self.release(a, b), self.until(na, nb))
            }
            Node::Yesterday(a) => {
                let (a, na) = get(a);
                (self.yesterday(a), self.weak_yesterday(na))
            }
            Node::WeakYesterday(a) => {
                let (a, na) = get(a);
                (self.weak_yesterday(a), self.yesterday(na))
            }
            Node::Since(a, b) => {
                let ((a, na), (b, nb)) = (get(a), get(b));
                (self.since(a, b), self.triggered(na, nb))
            }
            Node::Triggered(a, b) => {
                let ((a, na), (b, nb)) = (get(a), get(b));
                (self.triggered(a, b), self.since(na, nb))
            }
        }
    }

    /// The formula as text, atoms by `name`.
    pub fn shown(&self, name: impl Fn(Term) -> String) -> String {
        let mut texts: Vec<String> = vec![String::new(); self.nodes.len()];
        for id in self.subformulas() {
            let t = |a: FormulaId| texts[a.index()].as_str();
            let text = match self.node(id) {
                Node::True => "TRUE".to_owned(),
                Node::False => "FALSE".to_owned(),
                Node::Atom(term) => name(term),
                Node::Not(a) => format!("!{}", t(a)),
                Node::And(a, b) => format!("({} & {})", t(a), t(b)),
                Node::Or(a, b) => format!("({} | {})", t(a), t(b)),
                Node::Next(a) => format!("(X {})", t(a)),
                Node::Until(a, b) => format!("({} U {})", t(a), t(b)),
                Node::Release(a, b) => format!("({} V {})", t(a), t(b)),
                Node::Yesterday(a) => format!("(Y {})", t(a)),
                Node::WeakYesterday(a) => format!("(Z {})", t(a)),
                Node::Since(a, b) => format!("({} S {})", t(a), t(b)),
                Node::Triggered(a, b) => format!("({} T {})", t(a), t(b)),
            };
            texts[id.index()] = text;
        }
        texts[self.root.index()].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use blitz_term::{Sort, Terms};

    #[test]
    fn negation_is_pushed_to_the_atoms() {
        let mut terms = Terms::new();
        let (p, q) = (terms.var("p", Sort::BOOL), terms.var("q", Sort::BOOL));
        let name = |t| if t == p { "p" } else { "q" }.to_owned();
        let mut f = Formula::new();
        let (a, b) = (f.atom(p), f.atom(q));
        let soon = f.eventually(b);
        let answer = f.implies(a, soon);
        let root = f.always(answer);
        f.set_root(root);
        assert_eq!(f.shown(name), "(FALSE V ((TRUE U q) | !p))");
        assert_eq!(f.negated().shown(name), "(TRUE U (p & (FALSE V !q)))");
        assert_eq!(f.negated().negated().negated().shown(name), f.negated().shown(name));
    }
}
