//! The modules of our libc that a program reaches, read when a name of theirs is first asked for.

use crate::embedded::Part;
use crate::llvm::{Linkage, Module, ParseError, Session, Val};
use crate::load::START;
use crate::symbols::top_level;
use rustc_hash::{FxHashMap, FxHashSet};

pub struct Library {
    parts: &'static [Part],
    /// Which part defines a name.
    index: FxHashMap<&'static str, usize>,
    loaded: FxHashSet<usize>,
    definitions: FxHashMap<String, Val>,
    members: FxHashSet<Val>,
    has_unit: bool,
}

impl Library {
    pub fn new(parts: &'static [Part]) -> Self {
        let names = parts.iter().enumerate().flat_map(|(i, (_, names))| names.iter().map(move |n| (*n, i)));
        Self {
            parts,
            index: names.collect(),
            loaded: FxHashSet::default(),
            definitions: FxHashMap::default(),
            members: FxHashSet::default(),
            has_unit: false,
        }
    }

    /// Takes in a harness: what it defines comes before what the library has.
    pub fn add_unit(&mut self, session: &mut Session, bitcode: &[u8]) -> Result<(), ParseError> {
        let module = session.parse_trusted("unit", bitcode)?;
        self.enter(session, module);
        self.has_unit = true;
        Ok(())
    }

    pub fn has_unit(&self) -> bool {
        self.has_unit
    }

    /// Whether a function or global is part of our libc.
    pub fn owns(&self, v: Val) -> bool {
        self.members.contains(&v)
    }

    /// Our definition of a name, if we have one.
    pub fn definition(&mut self, session: &mut Session, name: &str) -> Option<Val> {
        if self.has_unit && name == START {
            return self.definitions.get(name).copied();
        }
        let &part = self.index.get(name)?;
        if self.loaded.insert(part) {
            self.load(session, self.parts[part].0);
        }
        self.definitions.get(name).copied()
    }

    fn load(&mut self, session: &mut Session, bytes: &[u8]) {
        let module = match session.parse_trusted("libc", bytes) {
            Ok(module) => module,
            Err(ParseError(said)) => panic!("the libc models that were built in should be readable: {said}"),
        };
        self.enter(session, module);
    }

    fn enter(&mut self, session: &Session, module: Module) {
        for v in top_level(session, module) {
            self.members.insert(v);
            let local = matches!(v.linkage(), Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage);
            if !v.is_declaration() && !local {
                self.definitions.entry(v.name()).or_insert(v);
            }
        }
    }
}
