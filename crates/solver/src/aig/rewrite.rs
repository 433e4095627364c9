//! Local rules that look one or two levels below a new gate and never make the graph larger.
//!
//! The two-level rules for conjunctions are those of Brummayer and Biere, "Local two-level and-inverter graph minimization
//! without blowup" (2006): contradiction, subsumption, idempotence, resolution and substitution.

use super::{Aig, Edge, Gate};

/// What a rule made of `a and b`.
pub(super) enum Step {
    Done(Edge),
    Again(Edge, Edge),
    Keep,
}

/// Constants, equal and opposite inputs.
pub(super) fn and_trivial(a: Edge, b: Edge) -> Option<Edge> {
    if a == b || b == Edge::TRUE {
        return Some(a);
    }
    if a == Edge::TRUE {
        return Some(b);
    }
    if a == !b || a == Edge::FALSE || b == Edge::FALSE {
        return Some(Edge::FALSE);
    }
    None
}

fn as_and(g: &Aig, e: Edge) -> Option<(Edge, Edge)> {
    match g.gate(e.node()) {
        Gate::And(a, b) => Some((a, b)),
        Gate::Const | Gate::Input | Gate::Xor(..) | Gate::Mux(..) | Gate::Maj(..) => None,
    }
}

/// The rules that need one or both inputs to be conjunctions.
pub(super) fn and_two_level(g: &Aig, a: Edge, b: Edge) -> Step {
    let left = as_and(g, a);
    let right = as_and(g, b);
    if let Some(pair) = left
        && let step @ (Step::Done(_) | Step::Again(..)) = one_sided(a, pair, b)
    {
        return step;
    }
    if let Some(pair) = right
        && let step @ (Step::Done(_) | Step::Again(..)) = one_sided(b, pair, a)
    {
        return step;
    }
    match (left, right) {
        (Some(l), Some(r)) => two_sided(a, l, b, r),
        (Some(_) | None, _) => Step::Keep,
    }
}

/// `x` is a conjunction of `p` and `q` (or the inverse of one), `other` is anything.
fn one_sided(x: Edge, (p, q): (Edge, Edge), other: Edge) -> Step {
    if x.inverted() {
        // not (p and q) and other
        if p == !other || q == !other {
            return Step::Done(other);
        }
        if p == other {
            return Step::Again(!q, other);
        }
        if q == other {
            return Step::Again(!p, other);
        }
    } else {
        if p == !other || q == !other {
            return Step::Done(Edge::FALSE);
        }
        if p == other || q == other {
            return Step::Done(x);
        }
    }
    Step::Keep
}

/// Both inputs are conjunctions or inverses of conjunctions.
fn two_sided(a: Edge, (p, q): (Edge, Edge), b: Edge, (r, s): (Edge, Edge)) -> Step {
    let opposite = p == !r || p == !s || q == !r || q == !s;
    match (a.inverted(), b.inverted()) {
        (false, false) => {
            if opposite {
                return Step::Done(Edge::FALSE);
            }
            // Idempotence: (p and q) and (p and s) = (p and q) and s.
            if p == r || q == r {
                return Step::Again(a, s);
            }
            if p == s || q == s {
                return Step::Again(a, r);
            }
            Step::Keep
        }
        (true, false) => inverted_with_plain(b, (p, q), (r, s), opposite),
        (false, true) => inverted_with_plain(a, (r, s), (p, q), opposite),
        (true, true) => resolution((p, q), (r, s)),
    }
}

/// `not (p and q) and (r and s)` where `plain` is the second conjunction.
fn inverted_with_plain(plain: Edge, (p, q): (Edge, Edge), (r, s): (Edge, Edge), opposite: bool) -> Step {
    if opposite {
        return Step::Done(plain);
    }
    if p == r || p == s {
        return Step::Again(!q, plain);
    }
    if q == r || q == s {
        return Step::Again(!p, plain);
    }
    Step::Keep
}

/// `not (p and q) and not (p and not q)` is `not p`.
fn resolution((p, q): (Edge, Edge), (r, s): (Edge, Edge)) -> Step {
    if (p == r && q == !s) || (p == s && q == !r) {
        return Step::Done(!p);
    }
    if (q == r && p == !s) || (q == s && p == !r) {
        return Step::Done(!q);
    }
    Step::Keep
}

/// `not (p and q) and not (not p and not q)` is `p xor q`.
pub(super) fn and_as_xor(g: &mut Aig, a: Edge, b: Edge) -> Option<Edge> {
    if !a.inverted() || !b.inverted() {
        return None;
    }
    let (p, q) = as_and(g, a)?;
    let (r, s) = as_and(g, b)?;
    let same = (p == !r && q == !s) || (p == !s && q == !r);
    if same {
        return Some(g.xor(p, q));
    }
    // not (c and not t) and not (not c and not e) is a mux.
    for (c, x, d, y) in [(p, q, r, s), (p, q, s, r), (q, p, r, s), (q, p, s, r)] {
        if c == !d {
            return Some(g.mux(c, !x, !y));
        }
    }
    None
}

/// Xor of plain edges where one is itself an xor with the other inside, or both share an input.
pub(super) fn xor_two_level(g: &mut Aig, a: Edge, b: Edge) -> Option<Edge> {
    let inside = |e: Edge| match g.gate(e.node()) {
        Gate::Xor(p, q) => Some((p, q)),
        Gate::Const | Gate::Input | Gate::And(..) | Gate::Mux(..) | Gate::Maj(..) => None,
    };
    let (left, right) = (inside(a), inside(b));
    if let Some((p, q)) = left {
        if p == b {
            return Some(q);
        }
        if q == b {
            return Some(p);
        }
    }
    if let Some((p, q)) = right {
        if p == a {
            return Some(q);
        }
        if q == a {
            return Some(p);
        }
    }
    let ((p, q), (r, s)) = (left?, right?);
    let rest = if p == r {
        (q, s)
    } else if p == s {
        (q, r)
    } else if q == r {
        (p, s)
    } else if q == s {
        (p, r)
    } else {
        return None;
    };
    Some(g.xor(rest.0, rest.1))
}

/// Drops a mux below a mux where its select is the same.
pub(super) fn mux_branches(g: &Aig, c: Edge, t: Edge, e: Edge) -> (Edge, Edge) {
    let then_side = match g.gate(t.node()) {
        Gate::Mux(d, x, _) if d == c => x.flip_if(t.inverted()),
        Gate::Const | Gate::Input | Gate::And(..) | Gate::Xor(..) | Gate::Mux(..) | Gate::Maj(..) => t,
    };
    let else_side = match g.gate(e.node()) {
        Gate::Mux(d, _, y) if d == c => y.flip_if(e.inverted()),
        Gate::Const | Gate::Input | Gate::And(..) | Gate::Xor(..) | Gate::Mux(..) | Gate::Maj(..) => e,
    };
    (then_side, else_side)
}
