//! Functions of a script applied to terms: core, bit-vectors and arrays. Floats are in `fp`.

use super::error::ParseError;
use super::expr::Head;
use super::read::{Macro, Reading, Symbol};
use super::sexp::Id;
use super::sort::{Scalar, SmtSort, Typed};
use crate::node::Term;
use crate::terms::Terms;

type Binary = fn(&mut Terms, Term, Term) -> Term;

impl Reading<'_> {
    pub(super) fn apply(&mut self, at: Id, head: &Head<'_>, args: &[Typed]) -> Result<Typed, ParseError> {
        match head {
            Head::Plain(name) => self.apply_plain(at, name, args),
            Head::Indexed(name, indices) => self.apply_indexed(at, name, indices, args),
            Head::ConstArray(sort) => self.const_array(at, *sort, args),
        }
    }

    fn apply_plain(&mut self, at: Id, name: &str, args: &[Typed]) -> Result<Typed, ParseError> {
        if let Some(Symbol::Macro(found)) = self.scopes.get(name) {
            let found = found.clone();
            return self.expand(at, name, &found, args);
        }
        if let Some(f) = bv_chain(name) {
            return self.chain(at, args, f);
        }
        if let Some(f) = bv_relation(name) {
            let [a, b] = self.same_bv(at, args)?;
            return Ok(boolean(f(self.terms, a, b)));
        }
        match name {
            "not" | "and" | "or" | "xor" | "=>" => self.connective(at, name, args),
            "=" | "distinct" => self.equality(at, name, args),
            "ite" => self.ite(at, args),
            "bvnot" | "bvneg" | "bvnego" => self.bv_unary(at, name, args),
            "bvcomp" => {
                let [a, b] = self.same_bv(at, args)?;
                let term = self.terms.eq(a, b);
                Ok(Typed { term, sort: SmtSort::bv(1) })
            }
            "concat" => self.concat(at, args),
            "select" => self.select(at, args),
            "store" => self.store(at, args),
            "blitz.copy" | "blitz.fill" | "blitz.scan" | "blitz.mismatch" => self.bulk(at, name, args),
            _ => self.apply_fp(at, name, args),
        }
    }

    /// Our own functions, which `print_term` uses for bulk terms.
    fn bulk(&mut self, at: Id, name: &str, args: &[Typed]) -> Result<Typed, ParseError> {
        let array = args[0];
        let (index, elem) = self.array_sorts(at, array)?;
        let (i, v, a) = (SmtSort::Scalar(index), SmtSort::Scalar(elem), array.sort);
        let wanted: &[SmtSort] = match name {
            "blitz.copy" | "blitz.mismatch" => &[a, i, a, i, i],
            _ => &[a, i, v, i],
        };
        let given: Vec<SmtSort> = args.iter().map(|arg| arg.sort).collect();
        if given != wanted {
            return self.error(at, format!("`{name}` has other parameters than are given here"));
        }
        let t: Vec<Term> = args.iter().map(|arg| arg.term).collect();
        Ok(match name {
            "blitz.copy" => Typed { term: self.terms.copy(t[0], t[1], t[2], t[3], t[4]), sort: a },
            "blitz.fill" => Typed { term: self.terms.fill(t[0], t[1], t[2], t[3]), sort: a },
            "blitz.scan" => Typed { term: self.terms.scan(t[0], t[1], t[2], t[3]), sort: i },
            _ => Typed { term: self.terms.mismatch(t[0], t[1], t[2], t[3], t[4]), sort: i },
        })
    }

    fn expand(&mut self, at: Id, name: &str, found: &Macro, args: &[Typed]) -> Result<Typed, ParseError> {
        let wanted: Vec<SmtSort> = found.params.iter().map(|p| p.sort).collect();
        let given: Vec<SmtSort> = args.iter().map(|a| a.sort).collect();
        if wanted != given {
            return self.error(at, format!("`{name}` has other parameters than are given here"));
        }
        let pairs: Vec<(Term, Term)> = found.params.iter().zip(args).map(|(p, a)| (p.term, a.term)).collect();
        let term = self.terms.substitute(found.body.term, &pairs);
        Ok(Typed { term, sort: found.body.sort })
    }

    /// Exactly `N` arguments.
    pub(super) fn exactly<const N: usize>(&self, at: Id, args: &[Typed]) -> Result<[Typed; N], ParseError> {
        match <[Typed; N]>::try_from(args) {
            Ok(args) => Ok(args),
            Err(_) => self.error(at, format!("{N} arguments should be here, not {}", args.len())),
        }
    }

    /// The width of a bit-vector argument.
    pub(super) fn bv_width(&self, at: Id, arg: Typed) -> Result<u16, ParseError> {
        match arg.sort {
            SmtSort::Scalar(Scalar::BitVec(width)) => Ok(width),
            other => self.error(at, format!("a bit-vector should be here, not {other}")),
        }
    }

    /// Exactly `N` bit-vectors of one width.
    fn same_bv<const N: usize>(&self, at: Id, args: &[Typed]) -> Result<[Term; N], ParseError> {
        let args: [Typed; N] = self.exactly(at, args)?;
        self.bv_width(at, args[0])?;
        self.one_sort(at, &args)?;
        Ok(args.map(|a| a.term))
    }

    fn one_sort(&self, at: Id, args: &[Typed]) -> Result<(), ParseError> {
        match args.iter().find(|a| a.sort != args[0].sort) {
            Some(other) => self.error(at, format!("arguments have sorts {} and {}", args[0].sort, other.sort)),
            None => Ok(()),
        }
    }

    /// An operator on two or more bit-vectors, from left to right.
    fn chain(&mut self, at: Id, args: &[Typed], f: Binary) -> Result<Typed, ParseError> {
        if args.len() < 2 {
            return self.error(at, "two or more arguments should be here");
        }
        self.bv_width(at, args[0])?;
        self.one_sort(at, args)?;
        let mut term = args[0].term;
        for arg in &args[1..] {
            term = f(self.terms, term, arg.term);
        }
        Ok(Typed { term, sort: args[0].sort })
    }

    fn connective(&mut self, at: Id, name: &str, args: &[Typed]) -> Result<Typed, ParseError> {
        if let Some(other) = args.iter().find(|a| a.sort != SmtSort::BOOL) {
            return self.error(at, format!("a Bool should be here, not {}", other.sort));
        }
        let parts: Vec<Term> = args.iter().map(|a| a.term).collect();
        let term = match name {
            "not" => {
                let [arg] = self.exactly(at, args)?;
                self.terms.not(arg.term)
            }
            "and" => self.terms.and_all(&parts),
            "or" => self.terms.or_all(&parts),
            "xor" => parts[1..].iter().fold(parts[0], |a, &b| self.terms.xor(a, b)),
            _ => {
                let last = parts[parts.len() - 1];
                parts[..parts.len() - 1].iter().rev().fold(last, |b, &a| self.terms.implies(a, b))
            }
        };
        Ok(boolean(term))
    }

    fn equality(&mut self, at: Id, name: &str, args: &[Typed]) -> Result<Typed, ParseError> {
        if args.len() < 2 {
            return self.error(at, "two or more arguments should be here");
        }
        self.one_sort(at, args)?;
        let mut parts = Vec::new();
        if name == "=" {
            for pair in args.windows(2) {
                parts.push(self.terms.eq(pair[0].term, pair[1].term));
            }
        } else {
            for (i, a) in args.iter().enumerate() {
                for b in &args[i + 1..] {
                    parts.push(self.terms.ne(a.term, b.term));
                }
            }
        }
        Ok(boolean(self.terms.and_all(&parts)))
    }

    fn ite(&mut self, at: Id, args: &[Typed]) -> Result<Typed, ParseError> {
        let [c, x, y] = self.exactly(at, args)?;
        if c.sort != SmtSort::BOOL {
            return self.error(at, format!("a condition should be a Bool, not {}", c.sort));
        }
        self.one_sort(at, &[x, y])?;
        Ok(Typed { term: self.terms.ite(c.term, x.term, y.term), sort: x.sort })
    }

    fn bv_unary(&mut self, at: Id, name: &str, args: &[Typed]) -> Result<Typed, ParseError> {
        let [a] = self.exactly(at, args)?;
        let width = self.bv_width(at, a)?;
        let term = match name {
            "bvnot" => self.terms.not(a.term),
            "bvneg" => self.terms.neg(a.term),
            _ => {
                let min = self.terms.bv_const(blitz_base::Bv::min_signed(width));
                return Ok(boolean(self.terms.eq(a.term, min)));
            }
        };
        Ok(Typed { term, sort: a.sort })
    }

    fn concat(&mut self, at: Id, args: &[Typed]) -> Result<Typed, ParseError> {
        let mut total = 0u16;
        for &arg in args {
            total = match total.checked_add(self.bv_width(at, arg)?) {
                Some(sum) => sum,
                None => return self.error(at, "a bit-vector should have at most 65535 bits"),
            };
        }
        let mut term = args[0].term;
        for arg in &args[1..] {
            term = self.terms.concat(term, arg.term);
        }
        Ok(Typed { term, sort: SmtSort::bv(total) })
    }

    fn array_sorts(&self, at: Id, array: Typed) -> Result<(Scalar, Scalar), ParseError> {
        match array.sort {
            SmtSort::Array { index, elem } => Ok((index, elem)),
            other => self.error(at, format!("an array should be here, not {other}")),
        }
    }

    fn wants(&self, at: Id, arg: Typed, wanted: Scalar) -> Result<(), ParseError> {
        if arg.sort == SmtSort::Scalar(wanted) {
            return Ok(());
        }
        self.error(at, format!("{wanted} should be here, not {}", arg.sort))
    }

    fn select(&mut self, at: Id, args: &[Typed]) -> Result<Typed, ParseError> {
        let [array, i] = self.exactly(at, args)?;
        let (index, elem) = self.array_sorts(at, array)?;
        self.wants(at, i, index)?;
        let sort = SmtSort::Scalar(elem);
        let read = self.terms.select(array.term, i.term);
        Ok(Typed { term: self.canonical(sort, read), sort })
    }

    fn store(&mut self, at: Id, args: &[Typed]) -> Result<Typed, ParseError> {
        let [array, i, value] = self.exactly(at, args)?;
        let (index, elem) = self.array_sorts(at, array)?;
        self.wants(at, i, index)?;
        self.wants(at, value, elem)?;
        Ok(Typed { term: self.terms.store(array.term, i.term, value.term), sort: array.sort })
    }

    fn const_array(&mut self, at: Id, sort: SmtSort, args: &[Typed]) -> Result<Typed, ParseError> {
        let [value] = self.exactly(at, args)?;
        let SmtSort::Array { index, elem } = sort else {
            return self.error(at, format!("{sort} is no array sort"));
        };
        self.wants(at, value, elem)?;
        Ok(Typed { term: self.terms.const_array(index.width(), value.term), sort })
    }

    fn apply_indexed(&mut self, at: Id, name: &str, indices: &[Id], args: &[Typed]) -> Result<Typed, ParseError> {
        match (name, indices) {
            ("extract", &[hi, lo]) => {
                let [a] = self.exactly(at, args)?;
                let width = self.bv_width(at, a)?;
                let (hi, lo) = (self.numeral::<u16>(hi)?, self.numeral::<u16>(lo)?);
                if lo > hi || hi >= width {
                    return self.error(at, format!("bits {hi} to {lo} do not lie in {width} bits"));
                }
                Ok(Typed { term: self.terms.extract(a.term, hi, lo), sort: SmtSort::bv(hi - lo + 1) })
            }
            ("zero_extend" | "sign_extend" | "repeat", &[count]) => self.widened(at, name, count, args),
            ("rotate_left" | "rotate_right", &[count]) => {
                let [a] = self.exactly(at, args)?;
                let width = self.bv_width(at, a)?;
                let by = (self.numeral::<u64>(count)? % u64::from(width)) as u16;
                let by = if name == "rotate_left" { by } else { (width - by) % width };
                Ok(Typed { term: self.rotated(a.term, by), sort: a.sort })
            }
            _ => self.apply_indexed_fp(at, name, indices, args),
        }
    }

    fn rotated(&mut self, a: Term, by: u16) -> Term {
        let width = self.terms.width(a);
        if by == 0 {
            return a;
        }
        let (high, low) = (self.terms.extract(a, width - by - 1, 0), self.terms.extract(a, width - 1, width - by));
        self.terms.concat(high, low)
    }

    fn widened(&mut self, at: Id, name: &str, count: Id, args: &[Typed]) -> Result<Typed, ParseError> {
        let [a] = self.exactly(at, args)?;
        let width = self.bv_width(at, a)?;
        let count: u16 = self.numeral(count)?;
        let total = if name == "repeat" { width.checked_mul(count) } else { width.checked_add(count) };
        let Some(total) = total.filter(|&total| total > 0) else {
            return self.error(at, "a bit-vector should have 1 to 65535 bits");
        };
        let term = match name {
            "zero_extend" => self.terms.zext(a.term, total),
            "sign_extend" => self.terms.sext(a.term, total),
            _ => self.terms.repeat(a.term, count),
        };
        Ok(Typed { term, sort: SmtSort::bv(total) })
    }
}

pub(super) fn boolean(term: Term) -> Typed {
    Typed { term, sort: SmtSort::BOOL }
}

/// Operators on bit-vectors of one width with a result of that width.
fn bv_chain(name: &str) -> Option<Binary> {
    Some(match name {
        "bvand" => Terms::and,
        "bvor" => Terms::or,
        "bvxor" => Terms::xor,
        "bvnand" => |t, a, b| {
            let both = t.and(a, b);
            t.not(both)
        },
        "bvnor" => |t, a, b| {
            let either = t.or(a, b);
            t.not(either)
        },
        "bvxnor" => |t, a, b| {
            let differ = t.xor(a, b);
            t.not(differ)
        },
        "bvadd" => Terms::add,
        "bvsub" => Terms::sub,
        "bvmul" => Terms::mul,
        "bvudiv" => Terms::udiv,
        "bvurem" => Terms::urem,
        "bvsdiv" => Terms::sdiv,
        "bvsrem" => Terms::srem,
        "bvsmod" => Terms::smod,
        "bvshl" => Terms::shl,
        "bvlshr" => Terms::lshr,
        "bvashr" => Terms::ashr,
        _ => return None,
    })
}

/// Relations on bit-vectors of one width.
fn bv_relation(name: &str) -> Option<Binary> {
    Some(match name {
        "bvult" => Terms::ult,
        "bvule" => Terms::ule,
        "bvugt" => Terms::ugt,
        "bvuge" => Terms::uge,
        "bvslt" => Terms::slt,
        "bvsle" => Terms::sle,
        "bvsgt" => Terms::sgt,
        "bvsge" => Terms::sge,
        "bvuaddo" => Terms::uaddo,
        "bvsaddo" => Terms::saddo,
        "bvusubo" => Terms::usubo,
        "bvssubo" => Terms::ssubo,
        "bvumulo" => Terms::umulo,
        "bvsmulo" => Terms::smulo,
        "bvsdivo" => sdivo,
        _ => return None,
    })
}

/// Only the smallest number divided by minus one overflows.
fn sdivo(t: &mut Terms, a: Term, b: Term) -> Term {
    let width = t.width(a);
    let min = t.bv_const(blitz_base::Bv::min_signed(width));
    let minus_one = t.ones(width);
    let (x, y) = (t.eq(a, min), t.eq(b, minus_one));
    t.and(x, y)
}
