//! Floats of a script: each function becomes its circuit.

use super::apply::boolean;
use super::error::ParseError;
use super::read::Reading;
use super::real::{self, Real};
use super::sexp::{AtomKind, Id, View};
use super::sort::{Scalar, SmtSort, Typed};
use crate::float::{self, Format, Rounding, RoundingMode};
use crate::node::Term;
use crate::sort::Sort;
use crate::terms::Terms;

/// Names that no script may declare begin with this.
pub(super) const HIDDEN: &str = "blitz hidden ";

impl Reading<'_> {
    fn float(&self, at: Id, arg: Typed) -> Result<Format, ParseError> {
        match arg.sort {
            SmtSort::Scalar(Scalar::Float(format)) => Ok(format),
            other => self.error(at, format!("a float should be here, not {other}")),
        }
    }

    /// The rounding mode: a constant one gives a smaller circuit.
    fn mode(&self, at: Id, arg: Typed) -> Result<Rounding, ParseError> {
        if arg.sort != SmtSort::Scalar(Scalar::RoundingMode) {
            return self.error(at, format!("a rounding mode should be here, not {}", arg.sort));
        }
        let fixed =
            self.terms.as_u64(arg.term).and_then(|code| RoundingMode::ALL.into_iter().find(|mode| mode.code() == code));
        Ok(fixed.map_or(Rounding::Symbolic(arg.term), Rounding::Fixed))
    }

    /// The common format of all arguments.
    fn floats(&self, at: Id, args: &[Typed]) -> Result<Format, ParseError> {
        let format = self.float(at, args[0])?;
        for &arg in args {
            if self.float(at, arg)? != format {
                return self.error(at, "floats of one format should be here");
            }
        }
        Ok(format)
    }

    pub(super) fn apply_fp(&mut self, at: Id, name: &str, args: &[Typed]) -> Result<Typed, ParseError> {
        match name {
            "fp" => self.fp_parts(at, args),
            "fp.abs" | "fp.neg" => {
                let [x] = self.exactly(at, args)?;
                let f = self.float(at, x)?;
                let term = match name {
                    "fp.abs" => float::abs(self.terms, f, x.term),
                    _ => float::neg(self.terms, f, x.term),
                };
                // The sign of a NaN does not exist.
                Ok(floating(f, float::canonical(self.terms, f, term)))
            }
            "fp.add" | "fp.sub" | "fp.mul" | "fp.div" => self.fp_binary(at, name, args),
            "fp.fma" => {
                let [rm, x, y, z] = self.exactly(at, args)?;
                let (rm, f) = (self.mode(at, rm)?, self.floats(at, &[x, y, z])?);
                Ok(floating(f, float::fma(self.terms, f, rm, x.term, y.term, z.term)))
            }
            "fp.sqrt" | "fp.roundToIntegral" => {
                let [rm, x] = self.exactly(at, args)?;
                let (rm, f) = (self.mode(at, rm)?, self.float(at, x)?);
                let term = match name {
                    "fp.sqrt" => float::sqrt(self.terms, f, rm, x.term),
                    _ => float::round_to_integral(self.terms, f, rm, x.term),
                };
                Ok(floating(f, term))
            }
            "fp.rem" | "fp.min" | "fp.max" => {
                let [x, y] = self.exactly(at, args)?;
                let f = self.floats(at, &[x, y])?;
                let term = match name {
                    "fp.rem" => float::remainder(self.terms, f, x.term, y.term),
                    _ => self.fp_extreme(name, f, x.term, y.term),
                };
                Ok(floating(f, float::canonical(self.terms, f, term)))
            }
            "fp.leq" | "fp.lt" | "fp.geq" | "fp.gt" | "fp.eq" => self.fp_relation(at, name, args),
            "fp.to_ieee_bv" => {
                let [x] = self.exactly(at, args)?;
                let f = self.float(at, x)?;
                Ok(Typed { term: x.term, sort: SmtSort::bv(f.width()) })
            }
            _ => self.fp_class(at, name, args),
        }
    }

    /// Of zeros of different sign SMT-LIB lets `fp.min` and `fp.max` give either, though always the same one for the same operands: a
    /// hidden constant for each order decides.
    fn fp_extreme(&mut self, name: &str, f: Format, x: Term, y: Term) -> Term {
        let plain = match name {
            "fp.min" => float::min(self.terms, f, x, y),
            _ => float::max(self.terms, f, x, y),
        };
        let top = f.width() - 1;
        let (x_zero, y_zero) = (float::is_zero(self.terms, f, x), float::is_zero(self.terms, f, y));
        let t = &mut *self.terms;
        let (x_sign, y_sign) = (t.extract(x, top, top), t.extract(y, top, top));
        let (zeros, signs) = (t.and(x_zero, y_zero), t.xor(x_sign, y_sign));
        let open = t.and(zeros, signs);
        let [first, second] = ["-+", "+-"].map(|order| {
            let (e, s) = (f.exp_bits(), f.sig_bits());
            t.var(&format!("{HIDDEN}{name} of zeros {order} of {e} {s}"), Sort::BOOL)
        });
        let (sign, magnitude) = (t.ite(x_sign, first, second), t.bv(top, 0));
        let zero = t.concat(sign, magnitude);
        t.ite(open, zero, plain)
    }

    fn fp_parts(&mut self, at: Id, args: &[Typed]) -> Result<Typed, ParseError> {
        let [sign, exponent, fraction] = self.exactly(at, args)?;
        let (s, e, f) = (self.bv_width(at, sign)?, self.bv_width(at, exponent)?, self.bv_width(at, fraction)?);
        if s != 1 || !(2..=60).contains(&e) || !(1..8192).contains(&f) {
            return self.error(at, "a float should have 1 sign bit, 2 to 60 exponent bits and 1 to 8191 fraction bits");
        }
        let format = Format::ieee(e, f + 1);
        let low = self.terms.concat(exponent.term, fraction.term);
        let bits = self.terms.concat(sign.term, low);
        Ok(floating(format, float::canonical(self.terms, format, bits)))
    }

    fn fp_binary(&mut self, at: Id, name: &str, args: &[Typed]) -> Result<Typed, ParseError> {
        let [rm, x, y] = self.exactly(at, args)?;
        let (rm, f) = (self.mode(at, rm)?, self.floats(at, &[x, y])?);
        let term = match name {
            "fp.add" => float::add(self.terms, f, rm, x.term, y.term),
            "fp.sub" => float::sub(self.terms, f, rm, x.term, y.term),
            "fp.mul" => float::mul(self.terms, f, rm, x.term, y.term),
            _ => float::div(self.terms, f, rm, x.term, y.term),
        };
        Ok(floating(f, term))
    }

    /// Chainable relations.
    fn fp_relation(&mut self, at: Id, name: &str, args: &[Typed]) -> Result<Typed, ParseError> {
        if args.len() < 2 {
            return self.error(at, "two or more arguments should be here");
        }
        let format = self.floats(at, args)?;
        let relation: fn(&mut Terms, Format, Term, Term) -> Term = match name {
            "fp.leq" => float::ole,
            "fp.lt" => float::olt,
            "fp.geq" => float::oge,
            "fp.gt" => float::ogt,
            _ => float::oeq,
        };
        let parts: Vec<Term> =
            args.windows(2).map(|pair| relation(self.terms, format, pair[0].term, pair[1].term)).collect();
        Ok(boolean(self.terms.and_all(&parts)))
    }

    fn fp_class(&mut self, at: Id, name: &str, args: &[Typed]) -> Result<Typed, ParseError> {
        let test: fn(&mut Terms, Format, Term) -> Term = match name {
            "fp.isNormal" => float::is_normal,
            "fp.isSubnormal" => float::is_subnormal,
            "fp.isZero" => float::is_zero,
            "fp.isInfinite" => float::is_inf,
            "fp.isNaN" => float::is_nan,
            "fp.isNegative" => float::is_negative,
            "fp.isPositive" => float::is_positive,
            _ => return self.error(at, format!("the function `{name}` is not declared or not supported")),
        };
        let [x] = self.exactly(at, args)?;
        let f = self.float(at, x)?;
        Ok(boolean(test(self.terms, f, x.term)))
    }

    pub(super) fn apply_indexed_fp(
        &mut self,
        at: Id,
        name: &str,
        indices: &[Id],
        args: &[Typed],
    ) -> Result<Typed, ParseError> {
        match (name, indices) {
            ("to_fp", &[e, s]) => {
                let format = self.float_format(e, s)?;
                self.fp_from(at, format, args)
            }
            ("to_fp_unsigned", &[e, s]) => {
                let format = self.float_format(e, s)?;
                let [rm, x] = self.exactly(at, args)?;
                self.bv_width(at, x)?;
                let rm = self.mode(at, rm)?;
                Ok(floating(format, float::from_uint(self.terms, format, rm, x.term)))
            }
            ("fp.to_ubv" | "fp.to_sbv", &[width]) => {
                let [rm, x] = self.exactly(at, args)?;
                let (rm, f, width) = (self.mode(at, rm)?, self.float(at, x)?, self.numeral::<u16>(width)?);
                if width == 0 {
                    return self.error(at, "a bit-vector should have at least one bit");
                }
                let term = match name {
                    "fp.to_ubv" => float::to_uint_unspecified(self.terms, f, rm, x.term, width),
                    _ => float::to_sint_unspecified(self.terms, f, rm, x.term, width),
                };
                Ok(Typed { term, sort: SmtSort::bv(width) })
            }
            _ => self.error(at, format!("the function `{name}` is not supported")),
        }
    }

    /// From packed bits, or rounded from a float or a signed number.
    fn fp_from(&mut self, at: Id, format: Format, args: &[Typed]) -> Result<Typed, ParseError> {
        if let &[bits] = args {
            if self.bv_width(at, bits)? != format.width() {
                return self.error(at, format!("{} bits should be here", format.width()));
            }
            return Ok(floating(format, float::canonical(self.terms, format, bits.term)));
        }
        let [rm, x] = self.exactly(at, args)?;
        let rm = self.mode(at, rm)?;
        let term = match x.sort {
            SmtSort::Scalar(Scalar::Float(from)) => float::convert(self.terms, from, format, rm, x.term),
            _ => {
                self.bv_width(at, x)?;
                float::from_sint(self.terms, format, rm, x.term)
            }
        };
        Ok(floating(format, term))
    }

    /// `((_ to_fp e s) mode real)` with a literal real; none if the operand is no literal.
    pub(super) fn real_to_fp(&mut self, at: Id, indices: &[Id], args: &[Id]) -> Result<Option<Typed>, ParseError> {
        let (&[e, s], &[rm, literal]) = (indices, args) else {
            return Ok(None);
        };
        let Some(real) = self.real(literal) else {
            return Ok(None);
        };
        let format = self.float_format(e, s)?;
        let rm = self.expr_of_mode(rm)?;
        match real::to_float(self.terms, format, rm, &real) {
            Some(term) => Ok(Some(floating(format, term))),
            None => self.error(at, "this real number is too large"),
        }
    }

    /// The mode of a rounded literal is a name, so this does not go deep.
    fn expr_of_mode(&mut self, id: Id) -> Result<Rounding, ParseError> {
        match self.view(id) {
            View::Atom(AtomKind::Symbol, _) => {
                let value = self.expr(id)?;
                self.mode(id, value)
            }
            _ => self.error(id, "the rounding mode of a real should be a name"),
        }
    }

    /// A literal real: a number, a quotient of two, or the negation of those.
    fn real(&self, id: Id) -> Option<Real> {
        match self.view(id) {
            View::Atom(AtomKind::Numeral | AtomKind::Decimal, digits) => Real::parse(digits),
            View::Atom(..) => None,
            View::List(&[op, x]) if self.source(op) == "-" => Some(self.simple_real(x)?.negated()),
            View::List(&[op, _, _]) if self.source(op) == "/" => self.simple_real(id),
            View::List(_) => None,
        }
    }

    fn simple_real(&self, id: Id) -> Option<Real> {
        match self.view(id) {
            View::Atom(AtomKind::Numeral | AtomKind::Decimal, digits) => Real::parse(digits),
            View::List(&[op, x, y]) if self.source(op) == "/" => self.signed(x)?.divided(&self.signed(y)?),
            View::Atom(..) | View::List(_) => None,
        }
    }

    fn signed(&self, id: Id) -> Option<Real> {
        match self.view(id) {
            View::Atom(AtomKind::Numeral | AtomKind::Decimal, digits) => Real::parse(digits),
            View::List(&[op, x]) if self.source(op) == "-" => match self.view(x) {
                View::Atom(AtomKind::Numeral | AtomKind::Decimal, digits) => Some(Real::parse(digits)?.negated()),
                View::Atom(..) | View::List(_) => None,
            },
            View::Atom(..) | View::List(_) => None,
        }
    }

    pub(super) fn special_float(&mut self, id: Id, name: &str, e: Id, s: Id) -> Result<Typed, ParseError> {
        let format = self.float_format(e, s)?;
        let sign = self.terms.bool(name.starts_with('-'));
        let term = match name {
            "+oo" | "-oo" => float::inf(self.terms, format, sign),
            "+zero" | "-zero" => float::zero(self.terms, format, sign),
            "NaN" => float::nan(self.terms, format),
            _ => return self.error(id, format!("`{name}` is not supported")),
        };
        Ok(floating(format, term))
    }
}

fn floating(format: Format, term: Term) -> Typed {
    Typed { term, sort: SmtSort::Scalar(Scalar::Float(format)) }
}
