//! Modules and their sections.

use super::ast::{AssignDecl, EnumValue, Logic, Module, Moment, Program, SpecDecl, Storage, TypeDecl, VarDecl};
use super::lex::Token;
use super::parse::{Parser, reserved};
use super::{Pos, SmvError};

/// Reads a file.
pub fn program(text: &str) -> Result<Program, SmvError> {
    let mut reader = Reader { parser: Parser::new(text)?, text };
    let mut modules = Vec::new();
    while *reader.parser.peek() != Token::End {
        modules.push(reader.module()?);
    }
    if modules.is_empty() {
        return reader.parser.error("this file has no MODULE");
    }
    Ok(Program { exprs: reader.parser.exprs, modules })
}

struct Reader<'a> {
    parser: Parser,
    text: &'a str,
}

/// Sections that are refused, and why.
const REFUSED: &[(&str, &str)] = &[
    ("COMPASSION", "COMPASSION is not supported: only JUSTICE is"),
    ("PSLSPEC", "PSLSPEC is not supported: LTLSPEC is"),
    ("COMPUTE", "COMPUTE is not supported"),
    ("ISA", "ISA is not supported: declare a variable of the module instead"),
    ("MIRROR", "MIRROR is not supported"),
    ("PRED", "PRED is not supported"),
    ("FUN", "FUN is not supported: functions without a meaning are not finite"),
    ("MDEFINE", "MDEFINE is not supported"),
    ("PARSYNTH", "PARSYNTH is not supported"),
];

impl Reader<'_> {
    fn module(&mut self) -> Result<Module, SmvError> {
        if !self.parser.eat_word("MODULE") {
            return self.parser.error(format!("MODULE should be here, not {}", self.parser.peek().shown()));
        }
        let mut module = Module { name: self.name("the name of a module")?, ..Module::default() };
        if self.parser.eat("(") && !self.parser.eat(")") {
            module.params.push(self.name("a parameter")?);
            while self.parser.eat(",") {
                module.params.push(self.name("a parameter")?);
            }
            self.parser.expect(")", "the parameters of a module")?;
        }
        while *self.parser.peek() != Token::End && !self.parser.is_word("MODULE") {
            self.section(&mut module)?;
        }
        Ok(module)
    }

    fn section(&mut self, module: &mut Module) -> Result<(), SmvError> {
        let pos = self.parser.pos();
        let Token::Name(word) = self.parser.take() else {
            return Err(SmvError::new(pos, "a section such as VAR or ASSIGN should begin here"));
        };
        match word.as_str() {
            "VAR" => self.vars(module, Storage::State),
            "IVAR" => self.vars(module, Storage::Input),
            "FROZENVAR" => self.vars(module, Storage::Frozen),
            "DEFINE" => self.defines(module),
            "CONSTANTS" => self.constants(module),
            "ASSIGN" => self.assigns(module),
            "INIT" => self.condition().map(|e| module.init.push(e)),
            "TRANS" => self.condition().map(|e| module.trans.push(e)),
            "INVAR" => self.condition().map(|e| module.invar.push(e)),
            "JUSTICE" | "FAIRNESS" => self.condition().map(|e| module.justice.push(e)),
            "INVARSPEC" => self.spec(module, Logic::Invariant, pos),
            "LTLSPEC" => self.spec(module, Logic::Ltl, pos),
            "SPEC" | "CTLSPEC" => self.spec(module, Logic::Ctl, pos),
            other => match REFUSED.iter().find(|(word, _)| *word == other) {
                Some((_, why)) => Err(SmvError::new(pos, *why)),
                None => {
                    Err(SmvError::new(pos, format!("a section such as VAR or ASSIGN should begin here, not `{other}`")))
                }
            },
        }
    }

    fn name(&mut self, what: &str) -> Result<String, SmvError> {
        let pos = self.parser.pos();
        match self.parser.take() {
            Token::Name(name) if !reserved(&name) => Ok(name),
            Token::Quoted(name) => Ok(name),
            other => Err(SmvError::new(pos, format!("{what} should be here, not {}", other.shown()))),
        }
    }

    /// Whether a declaration follows, rather than the next section.
    fn more(&self) -> bool {
        match self.parser.peek() {
            Token::Name(name) => !is_section(name),
            Token::Quoted(_) => true,
            Token::Number(_) | Token::Word { .. } | Token::Mark(_) | Token::End => false,
        }
    }

    fn vars(&mut self, module: &mut Module, storage: Storage) -> Result<(), SmvError> {
        while self.more() {
            let pos = self.parser.pos();
            let name = self.name("the name of a variable")?;
            self.parser.expect(":", "the name of a variable")?;
            let ty = self.ty()?;
            self.parser.expect(";", "the type of a variable")?;
            module.vars.push(VarDecl { name, storage, ty, pos });
        }
        Ok(())
    }

    fn ty(&mut self) -> Result<TypeDecl, SmvError> {
        let pos = self.parser.pos();
        if self.parser.eat("{") {
            return self.enumeration();
        }
        let word = match self.parser.peek() {
            Token::Name(word) => word.clone(),
            _ => return self.range(),
        };
        match word.as_str() {
            "boolean" => {
                self.parser.take();
                Ok(TypeDecl::Boolean)
            }
            "word" => self.word(false),
            "unsigned" | "signed" => {
                self.parser.take();
                self.word(word == "signed")
            }
            "array" => self.array(),
            "integer" | "real" | "clock" => {
                Err(SmvError::new(pos, format!("the type {word} is not supported: a model has to be finite")))
            }
            "process" => Err(SmvError::new(pos, "process is not supported: instantiate the module without it")),
            _ => self.instance_or_range(pos),
        }
    }

    fn word(&mut self, signed: bool) -> Result<TypeDecl, SmvError> {
        if !self.parser.eat_word("word") {
            return self.parser.error(format!("`word` should be here, not {}", self.parser.peek().shown()));
        }
        self.parser.expect("[", "`word`")?;
        let width = self.parser.expr()?;
        self.parser.expect("]", "the width of a word")?;
        Ok(TypeDecl::Word { width, signed })
    }

    fn range(&mut self) -> Result<TypeDecl, SmvError> {
        // Bounds bind stronger than `..`.
        let low = self.parser.expr_at(11)?;
        self.parser.expect("..", "the lower bound of a range")?;
        let high = self.parser.expr_at(11)?;
        Ok(TypeDecl::Range(low, high))
    }

    fn array(&mut self) -> Result<TypeDecl, SmvError> {
        self.parser.take();
        let TypeDecl::Range(low, high) = self.range()? else {
            unreachable!("`range` should give a range");
        };
        if !self.parser.eat_word("of") {
            return self.parser.error("`of` should come after the range of an array");
        }
        Ok(TypeDecl::Array { low, high, of: Box::new(self.ty()?) })
    }

    fn enumeration(&mut self) -> Result<TypeDecl, SmvError> {
        let mut values = vec![self.enum_value()?];
        while self.parser.eat(",") {
            values.push(self.enum_value()?);
        }
        self.parser.expect("}", "the values of an enumeration")?;
        Ok(TypeDecl::Enum(values))
    }

    fn enum_value(&mut self) -> Result<EnumValue, SmvError> {
        let pos = self.parser.pos();
        let negative = self.parser.eat("-");
        match self.parser.take() {
            Token::Number(n) => Ok(EnumValue::Int(if negative { -n } else { n })),
            Token::Name(name) if !negative && !reserved(&name) => Ok(EnumValue::Symbol(name)),
            other => {
                Err(SmvError::new(pos, format!("a value of an enumeration should be here, not {}", other.shown())))
            }
        }
    }

    /// `name(args)`, or a range that begins with a name.
    fn instance_or_range(&mut self, pos: Pos) -> Result<TypeDecl, SmvError> {
        let name = self.name("a type")?;
        let mut args = Vec::new();
        if self.parser.eat("(") && !self.parser.eat(")") {
            args.push(self.parser.expr()?);
            while self.parser.eat(",") {
                args.push(self.parser.expr()?);
            }
            self.parser.expect(")", "the arguments of a module")?;
        }
        if self.parser.is_mark("..") {
            return self.parser.error("the lower bound of a range has to be a number");
        }
        Ok(TypeDecl::Module { name, args, pos })
    }

    fn defines(&mut self, module: &mut Module) -> Result<(), SmvError> {
        while self.more() {
            let pos = self.parser.pos();
            let name = self.name("the name of a definition")?;
            self.parser.expect(":=", "the name of a definition")?;
            let value = self.parser.expr()?;
            self.parser.expect(";", "a definition")?;
            module.defines.push((name, value, pos));
        }
        Ok(())
    }

    fn constants(&mut self, module: &mut Module) -> Result<(), SmvError> {
        module.constants.push(self.name("a constant")?);
        while self.parser.eat(",") {
            module.constants.push(self.name("a constant")?);
        }
        self.parser.expect(";", "the constants")
    }

    fn assigns(&mut self, module: &mut Module) -> Result<(), SmvError> {
        while self.more() {
            let moment = match self.parser.peek() {
                Token::Name(name) if name == "init" => Moment::Init,
                Token::Name(name) if name == "next" => Moment::Next,
                _ => Moment::Now,
            };
            let target = if moment == Moment::Now {
                self.target()?
            } else {
                self.parser.take();
                self.parser.expect("(", "`init` or `next`")?;
                let target = self.target()?;
                self.parser.expect(")", "the assigned variable")?;
                target
            };
            self.parser.expect(":=", "the assigned variable")?;
            let value = self.parser.expr()?;
            self.parser.expect(";", "an assignment")?;
            module.assigns.push(AssignDecl { moment, target, value });
        }
        Ok(())
    }

    /// A variable with its indices: an operand, which binds stronger than everything.
    fn target(&mut self) -> Result<super::ast::ExprId, SmvError> {
        self.parser.expr_at(u8::MAX)
    }

    fn condition(&mut self) -> Result<super::ast::ExprId, SmvError> {
        let expr = self.parser.expr()?;
        self.parser.eat(";");
        Ok(expr)
    }

    fn spec(&mut self, module: &mut Module, logic: Logic, pos: Pos) -> Result<(), SmvError> {
        let mut name = None;
        if self.parser.eat_word("NAME") {
            name = Some(self.name("the name of a specification")?);
            self.parser.expect(":=", "the name of a specification")?;
        }
        let start = self.parser.pos();
        let expr = self.parser.expr()?;
        let text = between(self.text, start, self.parser.pos());
        self.parser.eat(";");
        module.specs.push(SpecDecl { logic, name, expr, text, pos });
        Ok(())
    }
}

fn is_section(name: &str) -> bool {
    const SECTIONS: &[&str] = &[
        "MODULE",
        "VAR",
        "IVAR",
        "FROZENVAR",
        "DEFINE",
        "CONSTANTS",
        "ASSIGN",
        "INIT",
        "TRANS",
        "INVAR",
        "INVARSPEC",
        "SPEC",
        "CTLSPEC",
        "LTLSPEC",
        "JUSTICE",
        "FAIRNESS",
    ];
    SECTIONS.contains(&name) || REFUSED.iter().any(|(word, _)| *word == name)
}

/// The text from one place to another, without comments, blanks joined.
fn between(text: &str, from: Pos, to: Pos) -> String {
    let mut words = Vec::new();
    for (at, line) in (1u32..).zip(text.lines()).filter(|(at, _)| (from.line..=to.line).contains(at)) {
        let chars: Vec<char> = line.chars().collect();
        let first = if at == from.line { from.column as usize - 1 } else { 0 };
        let last = if at == to.line { to.column as usize - 1 } else { chars.len() };
        let part: String = chars[first.min(chars.len())..last.min(chars.len())].iter().collect();
        let part = part.split("--").next().unwrap_or_default().to_owned();
        words.extend(part.split_whitespace().map(str::to_owned));
    }
    words.join(" ").trim_end_matches(';').trim_end().to_owned()
}
