//! Reading scripts: commands one after the other, with the names in scope.

use super::command::{Command, Declared, Labelled};
use super::error::ParseError;
use super::sexp::{self, AtomKind, Id, Tree, View};
use super::sort::{Scalar, SmtSort, Typed};
use crate::float::{self, Format};
use crate::node::Term;
use crate::terms::Terms;
use std::collections::HashMap;

/// The most levels pushed or popped at once.
const MOST_LEVELS: u32 = 1 << 16;

/// Reads all commands of a script.
pub fn parse_script(terms: &mut Terms, text: &str) -> Result<Vec<Command>, ParseError> {
    let mut reader = ScriptReader::new(text);
    let mut commands = Vec::new();
    while let Some(command) = reader.next(terms)? {
        commands.push(command);
    }
    Ok(commands)
}

/// Reads a script one command at a time, so that what comes before a mistake can be run.
pub struct ScriptReader<'a> {
    pub(super) text: &'a str,
    position: usize,
    scopes: Scopes,
}

/// What a name means.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    Term(Typed),
    Macro(Macro),
    Sort(SmtSort),
}

/// A function with parameters, applied by substitution.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub params: Vec<Typed>,
    pub body: Typed,
}

/// Names, with what they meant outside the current scope.
#[derive(Default)]
pub(super) struct Scopes {
    names: HashMap<String, Symbol>,
    /// Per `push`, what to restore.
    undo: Vec<Vec<(String, Option<Symbol>)>>,
}

impl Scopes {
    pub fn get(&self, name: &str) -> Option<&Symbol> {
        self.names.get(name)
    }

    pub fn bind(&mut self, name: &str, symbol: Symbol) {
        let old = self.names.insert(name.to_string(), symbol);
        if let Some(log) = self.undo.last_mut() {
            log.push((name.to_string(), old));
        }
    }

    pub fn push(&mut self) {
        self.undo.push(Vec::new());
    }

    pub fn pop(&mut self) -> bool {
        let Some(log) = self.undo.pop() else {
            return false;
        };
        for (name, old) in log.into_iter().rev() {
            match old {
                Some(symbol) => self.names.insert(name, symbol),
                None => self.names.remove(&name),
            };
        }
        true
    }
}

/// One command while it is read.
pub(super) struct Reading<'r> {
    pub text: &'r str,
    pub tree: &'r Tree,
    pub scopes: &'r mut Scopes,
    pub terms: &'r mut Terms,
    /// Names given by `:named` in this command; they hold beyond the `let` they stand in.
    pub named: Vec<(String, Typed)>,
}

impl<'a> ScriptReader<'a> {
    /// A reader at the start of the text.
    pub fn new(text: &'a str) -> Self {
        Self { text, position: 0, scopes: Scopes::default() }
    }

    /// The next command; none at the end.
    pub fn next(&mut self, terms: &mut Terms) -> Result<Option<Command>, ParseError> {
        let Some((tree, root)) = sexp::read(self.text, &mut self.position)? else {
            return Ok(None);
        };
        let mut reading = Reading { text: self.text, tree: &tree, scopes: &mut self.scopes, terms, named: Vec::new() };
        let command = reading.command(root)?;
        for (name, value) in reading.named {
            self.scopes.bind(&name, Symbol::Term(value));
        }
        if command == Command::Reset {
            self.scopes = Scopes::default();
        }
        Ok(Some(command))
    }
}

impl<'r> Reading<'r> {
    pub(super) fn error<T>(&self, at: Id, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError::at(self.text, self.tree.place(at).start, message))
    }

    pub(super) fn view(&self, id: Id) -> View<'r> {
        self.tree.view(self.text, id)
    }

    pub(super) fn source(&self, id: Id) -> String {
        self.text[self.tree.place(id)].to_string()
    }

    pub(super) fn list(&self, id: Id) -> Result<Vec<Id>, ParseError> {
        match self.view(id) {
            View::List(items) => Ok(items.to_vec()),
            View::Atom(..) => self.error(id, format!("a list should be here, not `{}`", self.source(id))),
        }
    }

    pub(super) fn symbol(&self, id: Id) -> Result<String, ParseError> {
        match self.view(id) {
            View::Atom(AtomKind::Symbol, name) => Ok(name.to_string()),
            _ => self.error(id, format!("a symbol should be here, not `{}`", self.source(id))),
        }
    }

    fn keyword(&self, id: Id) -> Result<String, ParseError> {
        match self.view(id) {
            View::Atom(AtomKind::Keyword, name) => Ok(name.to_string()),
            _ => self.error(id, format!("a keyword should be here, not `{}`", self.source(id))),
        }
    }

    pub(super) fn numeral<N: std::str::FromStr>(&self, id: Id) -> Result<N, ParseError> {
        if let View::Atom(AtomKind::Numeral, digits) = self.view(id)
            && let Ok(number) = digits.parse()
        {
            return Ok(number);
        }
        self.error(id, format!("a number in range should be here, not `{}`", self.source(id)))
    }

    /// Exactly `N` operands of a command.
    fn operands<const N: usize>(&self, at: Id, items: &[Id]) -> Result<[Id; N], ParseError> {
        match <[Id; N]>::try_from(items) {
            Ok(items) => Ok(items),
            Err(_) => self.error(at, format!("{N} operands should be here, not {}", items.len())),
        }
    }

    fn command(&mut self, root: Id) -> Result<Command, ParseError> {
        let items = self.list(root)?;
        let Some((&head, rest)) = items.split_first() else {
            return self.error(root, "a command should be here");
        };
        let name = self.symbol(head)?;
        match name.as_str() {
            "set-logic" => {
                let [logic] = self.operands(root, rest)?;
                Ok(Command::SetLogic(self.symbol(logic)?))
            }
            "set-option" => self.keyword_and_value(root, rest).map(|(k, v)| Command::SetOption(k, v)),
            "set-info" => self.keyword_and_value(root, rest).map(|(k, v)| Command::SetInfo(k, v)),
            "declare-const" => {
                let [name, sort] = self.operands(root, rest)?;
                self.declare(name, sort)
            }
            "declare-fun" => {
                let [name, params, sort] = self.operands(root, rest)?;
                if !self.list(params)?.is_empty() {
                    return self.error(params, "uninterpreted functions with parameters are not supported");
                }
                self.declare(name, sort)
            }
            "define-fun" => {
                let [name, params, sort, body] = self.operands(root, rest)?;
                self.define(name, Some(params), sort, body)
            }
            "define-const" => {
                let [name, sort, body] = self.operands(root, rest)?;
                self.define(name, None, sort, body)
            }
            "define-sort" => {
                let [name, params, sort] = self.operands(root, rest)?;
                self.define_sort(name, params, sort)
            }
            "assert" => {
                let [body] = self.operands(root, rest)?;
                self.assert(body)
            }
            "push" => self.levels(root, rest).map(|n| {
                (0..n).for_each(|_| self.scopes.push());
                Command::Push(n)
            }),
            "pop" => self.pop(root, rest),
            "check-sat-assuming" => {
                let [list] = self.operands(root, rest)?;
                self.assumptions(list).map(Command::CheckSatAssuming)
            }
            "get-value" => {
                let [list] = self.operands(root, rest)?;
                let items = self.list(list)?;
                items.into_iter().map(|id| self.labelled(id)).collect::<Result<_, _>>().map(Command::GetValue)
            }
            "get-info" => {
                let [keyword] = self.operands(root, rest)?;
                self.keyword(keyword).map(Command::GetInfo)
            }
            "get-option" => {
                let [keyword] = self.operands(root, rest)?;
                self.keyword(keyword).map(Command::GetOption)
            }
            "echo" => {
                let [message] = self.operands(root, rest)?;
                match self.view(message) {
                    View::Atom(AtomKind::String, text) => Ok(Command::Echo(text.replace("\"\"", "\""))),
                    _ => self.error(message, "a string should be here"),
                }
            }
            _ => self.plain_command(root, head, &name, rest),
        }
    }

    /// Commands without operands.
    fn plain_command(&mut self, root: Id, head: Id, name: &str, rest: &[Id]) -> Result<Command, ParseError> {
        let command = match name {
            "check-sat" => Command::CheckSat,
            "get-model" => Command::GetModel,
            "get-unsat-core" => Command::GetUnsatCore,
            "get-unsat-assumptions" => Command::GetUnsatAssumptions,
            "get-assertions" => Command::GetAssertions,
            "get-assignment" => Command::GetAssignment,
            "get-proof" => Command::GetProof,
            "exit" => Command::Exit,
            "reset" => Command::Reset,
            "reset-assertions" => {
                while self.scopes.pop() {}
                Command::ResetAssertions
            }
            _ => return self.error(head, format!("the command `{name}` is not supported")),
        };
        let [] = self.operands(root, rest)?;
        Ok(command)
    }

    fn keyword_and_value(&self, root: Id, rest: &[Id]) -> Result<(String, String), ParseError> {
        match *rest {
            [keyword] => Ok((self.keyword(keyword)?, String::new())),
            [keyword, value] => Ok((self.keyword(keyword)?, self.source(value))),
            _ => self.error(root, "a keyword and a value should be here"),
        }
    }

    fn levels(&self, root: Id, rest: &[Id]) -> Result<u32, ParseError> {
        match *rest {
            [] => Ok(1),
            [count] => match self.numeral(count)? {
                levels if levels <= MOST_LEVELS => Ok(levels),
                levels => self.error(count, format!("{levels} levels are too many")),
            },
            _ => self.error(root, "one number should be here"),
        }
    }

    fn pop(&mut self, root: Id, rest: &[Id]) -> Result<Command, ParseError> {
        let levels = self.levels(root, rest)?;
        for _ in 0..levels {
            if !self.scopes.pop() {
                return self.error(root, "there are fewer levels than are popped here");
            }
        }
        Ok(Command::Pop(levels))
    }

    fn declare(&mut self, name: Id, sort: Id) -> Result<Command, ParseError> {
        let (name, sort) = (self.new_name(name)?, self.sort(sort)?);
        let var = self.terms.var(&name, sort.term_sort());
        let term = self.canonical(sort, var);
        let value = Typed { term, sort };
        self.scopes.bind(&name, Symbol::Term(value));
        Ok(Command::Declare(Declared { name, value }))
    }

    /// There is one NaN in SMT-LIB, so equality of floats is equality of bits once NaNs have one form.
    pub(super) fn canonical(&mut self, sort: SmtSort, term: Term) -> Term {
        match sort {
            SmtSort::Scalar(Scalar::Float(format)) => float::canonical(self.terms, format, term),
            SmtSort::Scalar(Scalar::RoundingMode) => {
                // Codes above the last mode act as it.
                let last = self.terms.bv(float::Rounding::WIDTH, float::RoundingMode::Zero.code());
                let beyond = self.terms.ult(last, term);
                self.terms.ite(beyond, last, term)
            }
            SmtSort::Scalar(Scalar::Bool | Scalar::BitVec(_)) | SmtSort::Array { .. } => term,
        }
    }

    fn new_name(&self, id: Id) -> Result<String, ParseError> {
        let name = self.symbol(id)?;
        if name.starts_with(super::fp::HIDDEN) {
            return self.error(id, format!("`{name}` is a name of ours"));
        }
        if self.scopes.get(&name).is_some() {
            return self.error(id, format!("`{name}` is declared already"));
        }
        Ok(name)
    }

    fn define(&mut self, name: Id, params: Option<Id>, sort: Id, body: Id) -> Result<Command, ParseError> {
        let (name, sort) = (self.new_name(name)?, self.sort(sort)?);
        let list = match params {
            Some(params) => self.list(params)?,
            None => Vec::new(),
        };
        self.scopes.push();
        let defined = self.macro_body(&list, body);
        self.scopes.pop();
        let (params, value) = defined?;
        if value.sort != sort {
            return self.error(body, format!("the body has sort {} but {sort} is declared", value.sort));
        }
        let symbol = if params.is_empty() { Symbol::Term(value) } else { Symbol::Macro(Macro { params, body: value }) };
        self.scopes.bind(&name, symbol);
        Ok(Command::DefineFun(name))
    }

    fn macro_body(&mut self, params: &[Id], body: Id) -> Result<(Vec<Typed>, Typed), ParseError> {
        let mut bound = Vec::new();
        for &param in params {
            let pair = self.list(param)?;
            let [name, sort] = self.operands(param, &pair)?;
            let (name, sort) = (self.symbol(name)?, self.sort(sort)?);
            let term = self.terms.fresh(&name, sort.term_sort());
            let typed = Typed { term, sort };
            self.scopes.bind(&name, Symbol::Term(typed));
            bound.push(typed);
        }
        Ok((bound, self.expr(body)?))
    }

    fn define_sort(&mut self, name: Id, params: Id, sort: Id) -> Result<Command, ParseError> {
        if !self.list(params)?.is_empty() {
            return self.error(params, "sorts with parameters are not supported");
        }
        let (name, sort) = (self.new_name(name)?, self.sort(sort)?);
        self.scopes.bind(&name, Symbol::Sort(sort));
        Ok(Command::DefineSort(name))
    }

    fn assert(&mut self, body: Id) -> Result<Command, ParseError> {
        let name = self.annotation_name(body)?;
        let value = self.boolean(body)?;
        Ok(Command::Assert(value.term, name))
    }

    /// The name of `(! term :named name)`.
    pub(super) fn annotation_name(&self, id: Id) -> Result<Option<String>, ParseError> {
        let View::List(items) = self.view(id) else {
            return Ok(None);
        };
        match items {
            [bang, _, attributes @ ..] if matches!(self.view(*bang), View::Atom(AtomKind::Symbol, "!")) => {
                for pair in attributes.chunks(2) {
                    if let [keyword, value] = *pair
                        && self.keyword(keyword)? == ":named"
                    {
                        return self.symbol(value).map(Some);
                    }
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    fn boolean(&mut self, id: Id) -> Result<Typed, ParseError> {
        let value = self.expr(id)?;
        if value.sort != SmtSort::BOOL {
            return self.error(id, format!("a Bool should be here, not {}", value.sort));
        }
        Ok(value)
    }

    fn labelled(&mut self, id: Id) -> Result<Labelled, ParseError> {
        Ok(Labelled { text: self.source(id), value: self.expr(id)? })
    }

    fn assumptions(&mut self, list: Id) -> Result<Vec<Labelled>, ParseError> {
        let items = self.list(list)?;
        items.into_iter().map(|id| Ok(Labelled { text: self.source(id), value: self.boolean(id)? })).collect()
    }

    /// A sort; only arrays have sorts inside, so this does not go deep.
    pub(super) fn sort(&self, id: Id) -> Result<SmtSort, ParseError> {
        let items = match self.view(id) {
            View::Atom(_, name) => return self.named_sort(id, name),
            View::List(items) => items.to_vec(),
        };
        let words: Vec<String> = items.iter().map(|&item| self.source(item)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match (words.as_slice(), items.as_slice()) {
            (["_", "BitVec", _], [_, _, width]) => match self.numeral::<u16>(*width)? {
                0 => self.error(*width, "a bit-vector should have at least one bit"),
                width => Ok(SmtSort::bv(width)),
            },
            (["_", "FloatingPoint", _, _], [_, _, exponent, significand]) => {
                self.float_format(*exponent, *significand).map(|f| SmtSort::Scalar(Scalar::Float(f)))
            }
            (["Array", _, _], [_, index, elem]) => {
                let (index, elem) = (self.in_array(*index)?, self.in_array(*elem)?);
                Ok(SmtSort::Array { index, elem })
            }
            _ => self.error(id, format!("the sort `{}` is not supported", self.source(id))),
        }
    }

    /// A sort that every pattern of bits is a value of: arrays are compared and read bit by bit.
    fn in_array(&self, id: Id) -> Result<Scalar, ParseError> {
        match self.scalar(id)? {
            plain @ (Scalar::Bool | Scalar::BitVec(_)) => Ok(plain),
            Scalar::Float(_) => self.error(id, "arrays of floats are not supported"),
            Scalar::RoundingMode => self.error(id, "arrays of rounding modes are not supported"),
        }
    }

    fn scalar(&self, id: Id) -> Result<Scalar, ParseError> {
        if let View::List(items) = self.view(id)
            && let Some(&head) = items.first()
            && self.source(head) == "Array"
        {
            return self.error(id, "arrays of arrays are not supported");
        }
        match self.sort(id)? {
            SmtSort::Scalar(scalar) => Ok(scalar),
            SmtSort::Array { .. } => self.error(id, "arrays of arrays are not supported"),
        }
    }

    pub(super) fn float_format(&self, exponent: Id, significand: Id) -> Result<Format, ParseError> {
        let (e, s) = (self.numeral::<u16>(exponent)?, self.numeral::<u16>(significand)?);
        if !(2..=60).contains(&e) || !(2..=8192).contains(&s) {
            return self.error(exponent, "a float should have 2 to 60 exponent and 2 to 8192 significand bits");
        }
        Ok(Format::ieee(e, s))
    }

    fn named_sort(&self, id: Id, name: &str) -> Result<SmtSort, ParseError> {
        let scalar = match name {
            "Bool" => Scalar::Bool,
            "Float16" => Scalar::Float(Format::HALF),
            "Float32" => Scalar::Float(Format::SINGLE),
            "Float64" => Scalar::Float(Format::DOUBLE),
            "Float128" => Scalar::Float(Format::QUAD),
            "RoundingMode" => Scalar::RoundingMode,
            _ => {
                return match self.scopes.get(name) {
                    Some(Symbol::Sort(sort)) => Ok(*sort),
                    _ => self.error(id, format!("the sort `{name}` is not supported")),
                };
            }
        };
        Ok(SmtSort::Scalar(scalar))
    }
}
