//! Reading BTOR2 ("Btor2, BtorMC and Boolector 3.0", Niemetz, Preiner, Wolf, Biere, CAV 2018): bit-vectors and arrays.
//!
//! A line is an id, a keyword and its arguments; ids grow, so that a line refers to earlier ones only. Every reference is checked to exist, to be of
//! the right kind and to have the right sort before a term is built from it.
//! Absent: arrays of arrays, and words of more than 65,535 bits; both are refused by name.

mod constant;
mod line;
mod operator;
#[cfg(test)]
mod tests;

use crate::read::{Names, ReadError};
use crate::show::{Format, Signal};
use crate::ts::{Goal, Property, Ts};
use blitz_term::{Sort, Term};
use line::Line;
use operator::Shape;
use rustc_hash::FxHashMap;

/// The widest word.
const MAX_WIDTH: u64 = u16::MAX as u64;
/// Product, quotient and remainder take gates in the square of their width.
const MAX_PRODUCT_WIDTH: u16 = 4096;

/// What an id stands for.
#[derive(Clone, Copy)]
enum Item {
    Sort(Sort),
    Node(Term),
    /// The state at this place of the system.
    State(usize),
    /// `bad`, `next` and the like: nothing to refer to.
    Statement,
}

/// Reads a model.
pub fn read(bytes: &[u8]) -> Result<Ts, ReadError> {
    let mut reader = Reader::default();
    for (index, raw) in bytes.split(|&b| b == b'\n').enumerate() {
        let number = index + 1;
        let text = std::str::from_utf8(raw).map_err(|_| ReadError::at(number, "the line is no text"))?;
        if let Some(line) = Line::parse(number, text)? {
            reader.line(line)?;
        }
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    ts: Ts,
    items: FxHashMap<u64, Item>,
    /// The largest id so far.
    last: u64,
    names: Names,
    /// Per state with an initial value: the line that gives it.
    init_lines: FxHashMap<usize, usize>,
    /// The states that the file names.
    named: Vec<usize>,
    outputs: Vec<(String, Term)>,
}

impl Reader {
    fn finish(mut self) -> Result<Ts, ReadError> {
        match self.ts.init_order() {
            Ok(_) => {
                self.ts.signals = self.signals();
                Ok(self.ts)
            }
            Err(state) => {
                Err(ReadError::at(self.init_lines[&state], "the initial value of the state depends on itself"))
            }
        }
    }

    /// What a trace shows: in a file that names states, those without a name are of the tool that wrote it. Nothing chosen if none is named.
    fn signals(&self) -> Vec<Signal> {
        if self.named.is_empty() {
            return Vec::new();
        }
        let ts = &self.ts;
        let mut named = self.named.clone();
        named.sort_unstable();
        let states = named.iter().map(|&s| (&ts.states[s].name, ts.states[s].var));
        let outputs = self.outputs.iter().filter(|(_, term)| !ts.terms.is_var(*term)).map(|(name, term)| (name, *term));
        let inputs = ts.inputs.iter().map(|i| (&i.name, i.var));
        let signal = |(name, term): (&String, Term)| Signal { name: name.clone(), term, format: Format::Unsigned };
        states.chain(outputs).chain(inputs).map(signal).collect()
    }

    fn line(&mut self, mut line: Line) -> Result<(), ReadError> {
        if line.id <= self.last {
            return Err(line.error(format!("id {} is not larger than the one before, {}", line.id, self.last)));
        }
        self.last = line.id;
        let item = match line.keyword {
            "sort" => Item::Sort(self.sort(&mut line)?),
            "input" => self.input(&mut line)?,
            "state" => self.state(&mut line)?,
            "init" => self.init(&mut line)?,
            "next" => self.next(&mut line)?,
            "bad" | "constraint" | "fair" | "output" => self.condition(&mut line)?,
            "justice" => self.justice(&mut line)?,
            "const" | "constd" | "consth" | "zero" | "one" | "ones" => Item::Node(self.constant(&mut line)?),
            _ => Item::Node(self.operator(&mut line)?),
        };
        line.end()?;
        self.items.insert(line.id, item);
        Ok(())
    }

    fn sort(&mut self, line: &mut Line) -> Result<Sort, ReadError> {
        match line.word("`bitvec` or `array`")? {
            "bitvec" => match line.number("a width")? {
                0 => Err(line.error("a bit-vector has at least one bit")),
                width if width > MAX_WIDTH => {
                    Err(line.error(format!("bit-vectors of more than {MAX_WIDTH} bits are not supported")))
                }
                width => Ok(Sort::Bv(width as u16)),
            },
            "array" => match (self.sort_ref(line)?, self.sort_ref(line)?) {
                (Sort::Bv(index), Sort::Bv(elem)) => Ok(Sort::Array { index, elem }),
                (Sort::Bv(_) | Sort::Array { .. }, _) => Err(line.error("arrays of arrays are not supported")),
            },
            other => Err(line.error(format!("a sort is `bitvec` or `array`, not `{other}`"))),
        }
    }

    fn sort_ref(&self, line: &mut Line) -> Result<Sort, ReadError> {
        let id = line.number("the id of a sort")?;
        match self.items.get(&id) {
            Some(Item::Sort(sort)) => Ok(*sort),
            Some(Item::Node(_) | Item::State(_) | Item::Statement) => Err(line.error(format!("id {id} is no sort"))),
            None => Err(line.error(format!("there is no sort {id} above"))),
        }
    }

    /// An operand: an id, negated with a minus before it.
    fn operand(&mut self, line: &mut Line) -> Result<Term, ReadError> {
        let (negated, id) = line.reference()?;
        let term = match self.items.get(&id) {
            Some(Item::Node(term)) => *term,
            Some(Item::State(state)) => self.ts.states[*state].var,
            Some(Item::Sort(_) | Item::Statement) => return Err(line.error(format!("id {id} has no value"))),
            None => return Err(line.error(format!("there is no id {id} above"))),
        };
        match (negated, self.ts.terms.is_array(term)) {
            (true, true) => Err(line.error(format!("id {id} is an array, which can't be negated"))),
            (true, false) => Ok(self.ts.terms.not(term)),
            (false, _) => Ok(term),
        }
    }

    fn condition_operand(&mut self, line: &mut Line) -> Result<Term, ReadError> {
        let term = self.operand(line)?;
        match self.ts.terms.sort(term) {
            Sort::BOOL => Ok(term),
            other => Err(line.error(format!("a condition has one bit, this is {}", sort_text(other)))),
        }
    }

    /// The name that the line gives, if any, else one of ours.
    fn name(&mut self, line: &mut Line, kind: &str) -> Result<(String, bool), ReadError> {
        let symbol = line.symbol()?;
        let wanted = symbol.map_or_else(|| format!("{kind}{}", line.id), str::to_owned);
        Ok((self.names.unique(&wanted), symbol.is_some()))
    }

    fn input(&mut self, line: &mut Line) -> Result<Item, ReadError> {
        let sort = self.sort_ref(line)?;
        let (name, _) = self.name(line, "input")?;
        Ok(Item::Node(self.ts.add_input(&name, sort)))
    }

    fn state(&mut self, line: &mut Line) -> Result<Item, ReadError> {
        let sort = self.sort_ref(line)?;
        let (name, named) = self.name(line, "state")?;
        if named {
            self.named.push(self.ts.states.len());
        }
        self.ts.add_state(&name, sort);
        Ok(Item::State(self.ts.states.len() - 1))
    }

    /// The sort, state and value of an `init` or `next`.
    fn assignment(&mut self, line: &mut Line) -> Result<(usize, Sort, Term), ReadError> {
        let sort = self.sort_ref(line)?;
        let id = line.number("the id of a state")?;
        let state = match self.items.get(&id) {
            Some(Item::State(state)) => *state,
            Some(Item::Sort(_) | Item::Node(_) | Item::Statement) | None => {
                return Err(line.error(format!("id {id} is no state")));
            }
        };
        let found = self.ts.terms.sort(self.ts.states[state].var);
        if found != sort {
            return Err(line.error(format!("state {id} is {}, not {}", sort_text(found), sort_text(sort))));
        }
        Ok((state, sort, self.operand(line)?))
    }

    fn init(&mut self, line: &mut Line) -> Result<Item, ReadError> {
        let (state, sort, mut value) = self.assignment(line)?;
        if let Sort::Array { index, elem } = sort
            && self.ts.terms.sort(value) == Sort::Bv(elem)
        {
            value = self.ts.terms.const_array(index, value);
        }
        self.wanted_sort(line, value, sort)?;
        if self.ts.states[state].init.replace(value).is_some() {
            return Err(line.error("the state has an initial value already"));
        }
        self.init_lines.insert(state, line.number);
        line.skip_symbol()?;
        Ok(Item::Statement)
    }

    fn next(&mut self, line: &mut Line) -> Result<Item, ReadError> {
        let (state, sort, value) = self.assignment(line)?;
        self.wanted_sort(line, value, sort)?;
        if self.ts.states[state].next.replace(value).is_some() {
            return Err(line.error("the state has a next value already"));
        }
        line.skip_symbol()?;
        Ok(Item::Statement)
    }

    fn wanted_sort(&self, line: &Line, value: Term, wanted: Sort) -> Result<(), ReadError> {
        let found = self.ts.terms.sort(value);
        if found == wanted {
            return Ok(());
        }
        Err(line.error(format!("the value is {}, not {}", sort_text(found), sort_text(wanted))))
    }

    fn condition(&mut self, line: &mut Line) -> Result<Item, ReadError> {
        if line.keyword == "output" {
            self.output(line)?;
            return Ok(Item::Statement);
        }
        let term = self.condition_operand(line)?;
        let symbol = line.symbol()?.map(str::to_owned);
        match line.keyword {
            "bad" => self.property('b', symbol, Goal::Bad(term)),
            "constraint" => self.ts.constraints.push(term),
            _ => self.ts.fair.push(term),
        }
        Ok(Item::Statement)
    }

    /// A state without a name that is an output goes by the output's: yosys names a register that is a port no
    /// other way.
    fn output(&mut self, line: &mut Line) -> Result<(), ReadError> {
        let term = self.operand(line)?;
        let Some(name) = self.symbol(line, term)? else { return Ok(()) };
        match self.ts.states.iter().position(|s| s.var == term) {
            Some(state) if !self.named.contains(&state) => {
                self.ts.states[state].name = name;
                self.named.push(state);
            }
            Some(_) => {}
            None => self.outputs.push((name, term)),
        }
        Ok(())
    }

    fn justice(&mut self, line: &mut Line) -> Result<Item, ReadError> {
        let count = line.number("how many conditions there are")?;
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(self.condition_operand(line)?);
        }
        let symbol = line.symbol()?.map(str::to_owned);
        self.property('j', symbol, Goal::Justice(all));
        Ok(Item::Statement)
    }

    /// Properties are counted by kind, as witnesses do.
    fn property(&mut self, kind: char, text: Option<String>, goal: Goal) {
        let same = |g: &Goal| matches!((g, &goal), (Goal::Bad(_), Goal::Bad(_)) | (Goal::Justice(_), Goal::Justice(_)));
        let index = self.ts.properties.iter().filter(|p| same(&p.goal)).count();
        self.ts.properties.push(Property { name: format!("{kind}{index}"), text, goal });
    }

    fn constant(&mut self, line: &mut Line) -> Result<Term, ReadError> {
        let sort = self.sort_ref(line)?;
        let Sort::Bv(width) = sort else { return Err(line.error("a constant is a bit-vector, no array")) };
        let value = constant::value(line, width)?;
        let term = self.ts.terms.bv_const(value);
        self.symbol(line, term)?;
        Ok(term)
    }

    fn operator(&mut self, line: &mut Line) -> Result<Term, ReadError> {
        let Some(operator) = operator::find(line.keyword) else {
            return Err(line.error(format!("`{}` is no keyword of BTOR2", line::shorten(line.keyword))));
        };
        let sort = self.sort_ref(line)?;
        let mut operands = Vec::new();
        for _ in 0..operator.operands() {
            operands.push(self.operand(line)?);
        }
        let mut numbers = Vec::new();
        for _ in 0..operator.numbers() {
            numbers.push(line.number("a number")?);
        }
        let sorts: Vec<Sort> = operands.iter().map(|&t| self.ts.terms.sort(t)).collect();
        let shape = Shape { sorts: &sorts, numbers: &numbers };
        let found = operator.result(&shape).map_err(|wrong| line.error(wrong))?;
        if found != sort {
            let wrong = format!("the result of `{}` is {}, not {}", line.keyword, sort_text(found), sort_text(sort));
            return Err(line.error(wrong));
        }
        let term = operator.build(&mut self.ts.terms, &operands, &numbers);
        self.symbol(line, term)?;
        Ok(term)
    }

    /// Notes the name of a term, if the line gives one.
    fn symbol(&mut self, line: &mut Line, term: Term) -> Result<Option<String>, ReadError> {
        let Some(symbol) = line.symbol()? else { return Ok(None) };
        let name = self.names.unique(symbol);
        self.ts.symbols.insert(name.clone(), term);
        Ok(Some(name))
    }
}

/// A sort in words.
fn sort_text(sort: Sort) -> String {
    match sort {
        Sort::Bv(1) => "of one bit".to_owned(),
        Sort::Bv(width) => format!("of {width} bits"),
        Sort::Array { index, elem } => format!("an array from {index} to {elem} bits"),
    }
}
