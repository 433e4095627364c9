//! Certificates: a proof as an AIGER model of its own, in the form that `certifaiger` checks ("Progress in Certifying Hardware Model Checking
//! Results", Yu, Biere, Heljanko, CAV 2021).
//!
//! The *witness circuit* is the model with one bad state, which holds where an invariant does not or a bad state of the model is. It can be checked without
//! believing us: it has the model's inputs, latches and constraints, in their order; its bad states cover the model's; and that it is never bad is
//! inductive, one step at a time.
//!
//! Direction: exact. Absent: proofs by induction with k > 0, liveness, languages other than AIGER.

use crate::answer::{Invariant, Proof, Status};
use crate::bits::{BitGoal, Bits, NoBits};
use crate::check::Outcome;
use crate::read::Language;
use crate::ts::{Goal, Ts};
use blitz_base::Budget;
use blitz_solver::aig::{Aig, Edge, Gate};
use std::fmt::Write;

/// The certificate of a model all of whose properties were proved by invariants, or in a sentence why there is none.
pub fn certificate(ts: &Ts, outcome: &Outcome, language: Language, budget: &Budget) -> Result<String, &'static str> {
    if language != Language::Aiger {
        return Err("a certificate is a circuit of AIGER, and this model is none: --invariant writes what was found");
    }
    let invariants = invariants(ts, outcome)?;
    let mut bits = match Bits::new(ts, budget) {
        Ok(bits) => bits,
        Err(NoBits::Array) => panic!("a model of AIGER should have no arrays"),
        Err(NoBits::Stopped(_)) => return Err("there was no time left for the certificate"),
    };
    let bad = never(&mut bits, &invariants);
    Ok(aiger(&bits, &[bad]) + "c\nWITNESS\n")
}

/// A system whose initial states are a cube as a circuit of AIGER, with its bad states.
pub fn circuit(bits: &Bits) -> Result<String, &'static str> {
    if !bits.trans.is_empty() {
        return Err("circuits have no conditions of steps");
    }
    let bad = |goal: &Option<BitGoal>| match goal {
        Some(BitGoal::Bad(bad)) => Ok(*bad),
        Some(BitGoal::Justice(_)) | None => Err("a property of infinite paths is not written"),
    };
    let bads: Vec<Edge> = bits.goals.iter().map(bad).collect::<Result<_, _>>()?;
    Ok(aiger(bits, &bads))
}

/// The invariants of all properties; a certificate is about every bad state of a model.
fn invariants<'a>(ts: &Ts, outcome: &'a Outcome) -> Result<Vec<&'a Invariant>, &'static str> {
    if outcome.results.len() < ts.properties.len() {
        return Err("a certificate is about all properties of a model, so --property does not go with it");
    }
    let mut found = Vec::new();
    for result in &outcome.results {
        match (&result.status, &ts.properties[result.property].goal) {
            (_, Goal::Justice(_) | Goal::Ltl(_)) => {
                return Err("certificates are about bad states, and the model has a property of infinite paths");
            }
            (Status::Proved(Proof::Invariant(invariant)), Goal::Bad(_)) => found.push(invariant),
            (Status::Proved(Proof::Induction { .. }), Goal::Bad(_)) => {
                return Err(
                    "a property was proved by induction, which has no certificate: --engine ic3 finds invariants",
                );
            }
            (Status::Violated(_) | Status::HoldsUpTo(_) | Status::Unknown { .. }, Goal::Bad(_)) => {
                return Err("there is a certificate only where every property was proved");
            }
        }
    }
    Ok(found)
}

/// Holds where some invariant does not, or a bad state is.
fn never(bits: &mut Bits, invariants: &[&Invariant]) -> Edge {
    let mut some = Vec::new();
    for clause in invariants.iter().flat_map(|i| &i.clauses) {
        // A model of AIGER has one bit per state, and nothing else is in an invariant of its bad states.
        let literals: Vec<Edge> = clause.iter().map(|l| bits.latches[l.state].var.flip_if(l.value)).collect();
        some.push(bits.g.and_all(&literals));
    }
    for goal in bits.goals.iter().flatten() {
        if let BitGoal::Bad(bad) = goal {
            some.push(*bad);
        }
    }
    bits.g.or_all(&some)
}

/// A circuit with bad states, as text.
fn aiger(bits: &Bits, bads: &[Edge]) -> String {
    let mut writer = Writer { literals: vec![0; bits.g.len()], next: 1, ands: String::new(), count: 0 };
    for node in bits.inputs.iter().map(|(e, _)| e.node()).chain(bits.latches.iter().map(|l| l.var.node())) {
        writer.literals[node as usize] = writer.fresh();
    }
    writer.gates(&bits.g);
    let (inputs, latches, constraints) = (bits.inputs.len(), bits.latches.len(), bits.constraints.len());
    let Writer { ands, count, next, .. } = &writer;
    let mut text = format!("aag {} {inputs} {latches} 0 {count} {bads} {constraints}\n", next - 1, bads = bads.len());
    for (input, _) in &bits.inputs {
        let _ = writeln!(text, "{}", writer.of(*input));
    }
    for latch in &bits.latches {
        let var = writer.of(latch.var);
        let reset = latch.init.map_or(var, |e| writer.of(e));
        let _ = writeln!(text, "{var} {} {reset}", writer.of(latch.next));
    }
    for &edge in bads.iter().chain(&bits.constraints) {
        let _ = writeln!(text, "{}", writer.of(edge));
    }
    text.push_str(ands);
    text
}

/// Gates as ands, in the order of the graph.
struct Writer {
    /// Per node its literal.
    literals: Vec<u32>,
    /// The next variable.
    next: u32,
    ands: String,
    count: usize,
}

impl Writer {
    fn fresh(&mut self) -> u32 {
        self.next += 1;
        2 * (self.next - 1)
    }

    fn of(&self, e: Edge) -> u32 {
        self.literals[e.node() as usize] ^ u32::from(e.inverted())
    }

    fn and(&mut self, a: u32, b: u32) -> u32 {
        let out = self.fresh();
        let _ = writeln!(self.ands, "{out} {} {}", a.max(b), a.min(b));
        self.count += 1;
        out
    }

    fn or(&mut self, a: u32, b: u32) -> u32 {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    fn gates(&mut self, g: &Aig) {
        for node in 0..g.len() as u32 {
            let literal = match g.gate(node) {
                Gate::Const | Gate::Input => continue,
                Gate::And(a, b) => self.and(self.of(a), self.of(b)),
                Gate::Xor(a, b) => {
                    let (a, b) = (self.of(a), self.of(b));
                    let (both, none) = (self.and(a, b), self.and(a ^ 1, b ^ 1));
                    self.and(both ^ 1, none ^ 1)
                }
                Gate::Mux(c, t, e) => {
                    let (c, t, e) = (self.of(c), self.of(t), self.of(e));
                    let (t, e) = (self.and(c, t), self.and(c ^ 1, e));
                    self.or(t, e)
                }
                Gate::Maj(a, b, c) => {
                    let (a, b, c) = (self.of(a), self.of(b), self.of(c));
                    let (both, either) = (self.and(a, b), self.or(a, b));
                    let third = self.and(either, c);
                    self.or(both, third)
                }
            };
            self.literals[node as usize] = literal;
        }
    }
}
