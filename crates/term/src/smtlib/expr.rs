//! Terms of a script: a machine with its own stack, since `let`s nest deeper than ours.

use super::error::ParseError;
use super::read::{Reading, Symbol};
use super::sexp::{AtomKind, Id, View};
use super::sort::{Scalar, SmtSort, Typed};
use crate::float::{self, RoundingMode};
use blitz_base::Bv;

/// What is applied.
#[derive(Clone, Debug)]
pub(super) enum Head<'r> {
    Plain(&'r str),
    /// `(_ name index...)`.
    Indexed(&'r str, Vec<Id>),
    /// `(as const sort)`.
    ConstArray(SmtSort),
}

/// Something that waits for the value of a part.
enum Frame<'r> {
    App {
        at: Id,
        head: Head<'r>,
        rest: std::slice::Iter<'r, Id>,
        args: Vec<Typed>,
    },
    Let {
        names: Vec<&'r str>,
        rest: std::vec::IntoIter<Id>,
        values: Vec<Typed>,
        body: Id,
    },
    /// The bindings of a `let` end here.
    Unbind,
    Named(String),
}

enum Step {
    Eval(Id),
    Return(Typed),
}

impl<'r> Reading<'r> {
    /// The term an s-expression means.
    pub(super) fn expr(&mut self, root: Id) -> Result<Typed, ParseError> {
        let mut stack: Vec<Frame<'r>> = Vec::new();
        let mut step = Step::Eval(root);
        loop {
            step = match step {
                Step::Eval(id) => match self.view(id) {
                    View::Atom(kind, text) => Step::Return(self.atom(id, kind, text)?),
                    View::List(items) => self.open(id, items, &mut stack)?,
                },
                Step::Return(value) => match stack.pop() {
                    None => return Ok(value),
                    Some(frame) => self.resume(frame, value, &mut stack)?,
                },
            };
        }
    }

    /// Starts on a list.
    fn open(&mut self, id: Id, items: &'r [Id], stack: &mut Vec<Frame<'r>>) -> Result<Step, ParseError> {
        let Some((&head, rest)) = items.split_first() else {
            return self.error(id, "a term should be here, not an empty list");
        };
        match self.view(head) {
            View::Atom(AtomKind::Symbol, "let") => self.open_let(id, rest, stack),
            View::Atom(AtomKind::Symbol, "!") => self.open_annotation(id, rest, stack),
            View::Atom(AtomKind::Symbol, "_") => self.indexed_constant(id, rest).map(Step::Return),
            View::Atom(AtomKind::Symbol, "as") => {
                self.error(id, format!("`{}` is not supported as a term", self.source(id)))
            }
            View::Atom(AtomKind::Symbol, name @ ("forall" | "exists" | "match" | "lambda")) => {
                self.error(head, format!("`{name}` is not supported"))
            }
            View::Atom(AtomKind::Symbol, name) => self.open_app(id, Head::Plain(name), rest, stack),
            View::Atom(..) => self.error(head, format!("`{}` is no function", self.source(head))),
            View::List(parts) => {
                let head = self.compound_head(head, parts)?;
                if let Head::Indexed("to_fp", ref indices) = head
                    && let Some(value) = self.real_to_fp(id, indices, rest)?
                {
                    return Ok(Step::Return(value));
                }
                self.open_app(id, head, rest, stack)
            }
        }
    }

    fn compound_head(&self, id: Id, parts: &'r [Id]) -> Result<Head<'r>, ParseError> {
        match parts {
            [kind, name, indices @ ..] if self.source(*kind) == "_" => match self.view(*name) {
                View::Atom(AtomKind::Symbol, name) => Ok(Head::Indexed(name, indices.to_vec())),
                _ => self.error(*name, "a symbol should be here"),
            },
            [kind, name, sort] if self.source(*kind) == "as" && self.source(*name) == "const" => {
                match self.sort(*sort)? {
                    sort @ SmtSort::Array { .. } => Ok(Head::ConstArray(sort)),
                    sort @ SmtSort::Scalar(_) => self.error(id, format!("{sort} is no array sort")),
                }
            }
            _ => self.error(id, format!("`{}` is no function", self.source(id))),
        }
    }

    fn open_app(
        &mut self,
        at: Id,
        head: Head<'r>,
        rest: &'r [Id],
        stack: &mut Vec<Frame<'r>>,
    ) -> Result<Step, ParseError> {
        let mut rest = rest.iter();
        match rest.next() {
            Some(&first) => {
                stack.push(Frame::App { at, head, rest, args: Vec::new() });
                Ok(Step::Eval(first))
            }
            None => self.error(at, "a function should be applied to something"),
        }
    }

    fn open_let(&mut self, id: Id, rest: &'r [Id], stack: &mut Vec<Frame<'r>>) -> Result<Step, ParseError> {
        let [bindings, body] = *rest else {
            return self.error(id, "a let should have bindings and a body");
        };
        let mut names = Vec::new();
        let mut values = Vec::new();
        for binding in self.list(bindings)? {
            let View::List(&[name, value]) = self.view(binding) else {
                return self.error(binding, "a binding should be a name and a term");
            };
            match self.view(name) {
                View::Atom(AtomKind::Symbol, name) => names.push(name),
                _ => return self.error(name, "a symbol should be here"),
            }
            values.push(value);
        }
        let mut rest = values.into_iter();
        let Some(first) = rest.next() else {
            return Ok(Step::Eval(body));
        };
        stack.push(Frame::Let { names, rest, values: Vec::new(), body });
        Ok(Step::Eval(first))
    }

    fn open_annotation(&mut self, id: Id, rest: &'r [Id], stack: &mut Vec<Frame<'r>>) -> Result<Step, ParseError> {
        let Some(&body) = rest.first() else {
            return self.error(id, "an annotation should have a term");
        };
        if let Some(name) = self.annotation_name(id)? {
            stack.push(Frame::Named(name));
        }
        Ok(Step::Eval(body))
    }

    /// Goes on with what waited for a value.
    fn resume(&mut self, frame: Frame<'r>, value: Typed, stack: &mut Vec<Frame<'r>>) -> Result<Step, ParseError> {
        match frame {
            Frame::App { at, head, mut rest, mut args } => {
                args.push(value);
                if let Some(&next) = rest.next() {
                    stack.push(Frame::App { at, head, rest, args });
                    return Ok(Step::Eval(next));
                }
                self.apply(at, &head, &args).map(Step::Return)
            }
            Frame::Let { names, mut rest, mut values, body } => {
                values.push(value);
                if let Some(next) = rest.next() {
                    stack.push(Frame::Let { names, rest, values, body });
                    return Ok(Step::Eval(next));
                }
                self.scopes.push();
                for (name, value) in names.into_iter().zip(values) {
                    self.scopes.bind(name, Symbol::Term(value));
                }
                stack.push(Frame::Unbind);
                Ok(Step::Eval(body))
            }
            Frame::Unbind => {
                self.scopes.pop();
                Ok(Step::Return(value))
            }
            Frame::Named(name) => {
                self.named.push((name, value));
                Ok(Step::Return(value))
            }
        }
    }

    fn atom(&mut self, id: Id, kind: AtomKind, text: &str) -> Result<Typed, ParseError> {
        match kind {
            AtomKind::Symbol => self.name(id, text),
            AtomKind::Literal => match Bv::parse(text) {
                Ok(value) => Ok(self.constant(value)),
                Err(why) => self.error(id, format!("`{text}`: {why}")),
            },
            AtomKind::Numeral | AtomKind::Decimal => self.error(id, "integers and reals are not supported here"),
            AtomKind::Keyword | AtomKind::String => self.error(id, format!("a term should be here, not `{text}`")),
        }
    }

    pub(super) fn constant(&mut self, value: Bv) -> Typed {
        let sort = SmtSort::bv(value.width());
        Typed { term: self.terms.bv_const(value), sort }
    }

    fn name(&mut self, id: Id, name: &str) -> Result<Typed, ParseError> {
        match self.scopes.get(name) {
            Some(Symbol::Term(value)) => return Ok(*value),
            Some(Symbol::Macro(_) | Symbol::Sort(_)) => return self.error(id, format!("`{name}` is no constant")),
            None => {}
        }
        if let Some((_, value)) = self.named.iter().find(|(known, _)| known == name) {
            return Ok(*value);
        }
        match name {
            "true" => return Ok(Typed { term: self.terms.tru(), sort: SmtSort::BOOL }),
            "false" => return Ok(Typed { term: self.terms.fls(), sort: SmtSort::BOOL }),
            _ => {}
        }
        match rounding_mode(name) {
            Some(mode) => {
                let term = self.terms.bv(float::Rounding::WIDTH, mode.code());
                Ok(Typed { term, sort: SmtSort::Scalar(Scalar::RoundingMode) })
            }
            None => self.error(id, format!("`{name}` is not declared")),
        }
    }

    /// `(_ bvN width)` and the special floats.
    fn indexed_constant(&mut self, id: Id, parts: &[Id]) -> Result<Typed, ParseError> {
        let Some((&head, indices)) = parts.split_first() else {
            return self.error(id, "an indexed name should be here");
        };
        let name = self.symbol(head)?;
        if let (Some(digits), &[width]) = (name.strip_prefix("bv"), indices) {
            let width: u16 = self.numeral(width)?;
            return match Bv::parse_decimal(width, digits) {
                Ok(value) => Ok(self.constant(value)),
                Err(why) => self.error(id, format!("`{}`: {why}", self.source(id))),
            };
        }
        if let &[exponent, significand] = indices {
            return self.special_float(id, &name, exponent, significand);
        }
        self.error(id, format!("`{}` is not supported", self.source(id)))
    }
}

fn rounding_mode(name: &str) -> Option<RoundingMode> {
    Some(match name {
        "RNE" | "roundNearestTiesToEven" => RoundingMode::NearestEven,
        "RNA" | "roundNearestTiesToAway" => RoundingMode::NearestAway,
        "RTP" | "roundTowardPositive" => RoundingMode::Up,
        "RTN" | "roundTowardNegative" => RoundingMode::Down,
        "RTZ" | "roundTowardZero" => RoundingMode::Zero,
        _ => return None,
    })
}
