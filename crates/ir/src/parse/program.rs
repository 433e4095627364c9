//! Whole programs: files, globals, properties, functions.

use super::{Parser, Result, body};
use crate::func::Func;
use crate::program::{BodySource, FuncDecl, FuncId, Global, GlobalId, Program, Reloc, RelocTarget, TargetInfo};
use crate::property::{Property, PropertyId};

/// The bodies of a text are there already, so nothing is ever lowered.
struct NoSource;

impl BodySource for NoSource {
    fn body(&self, func: FuncId, _: &mut dyn FnMut(Property) -> PropertyId) -> Func {
        unreachable!("{func} should have come with the text");
    }
}

#[derive(Default)]
struct Parts {
    files: Vec<String>,
    globals: Vec<Global>,
    properties: Vec<Property>,
    threads: bool,
    constructors: Vec<FuncId>,
    destructors: Vec<FuncId>,
    funcs: Vec<FuncDecl>,
    bodies: Vec<(FuncId, Func)>,
}

pub fn program(p: &mut Parser<'_>) -> Result<Program> {
    p.expect_word("target")?;
    let mut target = TargetInfo::new(p.number()?);
    if ![32, 64].contains(&target.ptr_bits) {
        return p.fail("a target has pointers of 32 or 64 bits");
    }
    if p.peek_word() == Some("offset") {
        p.expect_word("offset")?;
        let bits = p.number()?;
        if bits < 10 || bits + 4 > target.ptr_bits {
            return p.fail("an offset leaves some bits for the object");
        }
        target = target.with_offset_bits(bits);
    }
    let mut parts = Parts::default();
    while p.peek_word().is_some() {
        item(p, &mut parts)?;
    }
    if !matches!(p.peek(), super::TokenKind::End) {
        return p.fail(format!("unexpected {}", p.peek()));
    }
    let mut program = Program::new(target, parts.funcs, parts.globals, parts.files, Box::new(NoSource));
    program.threads = parts.threads;
    program.constructors = parts.constructors;
    program.destructors = parts.destructors;
    program.set_properties(parts.properties);
    for (id, func) in parts.bodies {
        program.set_body(id, func);
    }
    Ok(program)
}

fn item(p: &mut Parser<'_>, parts: &mut Parts) -> Result<()> {
    if p.accept_word("threads") {
        parts.threads = true;
    } else if p.accept_word("constructors") {
        parts.constructors = func_ids(p)?;
    } else if p.accept_word("destructors") {
        parts.destructors = func_ids(p)?;
    } else if let Some(n) = p.accept_id("file") {
        in_order(p, "file", n, parts.files.len())?;
        parts.files.push(p.text()?);
    } else if let Some(n) = p.accept_id("global") {
        in_order(p, "global", n, parts.globals.len())?;
        parts.globals.push(global(p)?);
    } else if let Some(n) = p.accept_id("prop") {
        in_order(p, "prop", n, parts.properties.len())?;
        parts.properties.push(property(p)?);
    } else if let Some(n) = p.accept_id("func") {
        in_order(p, "func", n, parts.funcs.len())?;
        function(p, parts, FuncId(n))?;
    } else {
        return p.fail(format!("unexpected {}", p.peek()));
    }
    Ok(())
}

fn in_order(p: &mut Parser<'_>, what: &str, number: u32, next: usize) -> Result<()> {
    if number as usize != next {
        return p.wrong(format!("{what}{number} is out of order"));
    }
    p.expect("=")
}

fn func_ids(p: &mut Parser<'_>) -> Result<Vec<FuncId>> {
    let mut ids = vec![FuncId(p.id("func")?)];
    while p.accept(",") {
        ids.push(FuncId(p.id("func")?));
    }
    Ok(ids)
}

fn global(p: &mut Parser<'_>) -> Result<Global> {
    let (name, ty) = (p.text()?, p.text()?);
    p.expect_word("size")?;
    let size = p.number()?;
    p.expect_word("align")?;
    let align = p.number()?;
    let constant = p.accept_word("constant");
    let model = p.accept_word("model");
    let exported = p.accept_word("exported");
    let thread_local = p.accept_word("thread_local");
    let init = p.accept_word("init").then(|| bytes(p)).transpose()?;
    let mut relocs = Vec::new();
    while p.accept_word("reloc") {
        relocs.push(reloc(p)?);
    }
    let loc = p.place()?;
    Ok(Global { name, size, align, constant, init, relocs, loc, ty, model, exported, thread_local })
}

fn bytes(p: &mut Parser<'_>) -> Result<Vec<u8>> {
    let word = p.word()?;
    let digits: Option<Vec<u8>> = word
        .strip_prefix('#')
        .filter(|d| d.len().is_multiple_of(2))
        .and_then(|d| (0..d.len() / 2).map(|i| u8::from_str_radix(d.get(2 * i..2 * i + 2)?, 16).ok()).collect());
    match digits {
        Some(bytes) => Ok(bytes),
        None => p.wrong("initial bytes should be # and pairs of hexadecimal digits"),
    }
}

fn reloc(p: &mut Parser<'_>) -> Result<Reloc> {
    let offset = p.number()?;
    let target = match p.accept_id("global") {
        Some(n) => RelocTarget::Global(GlobalId(n)),
        None => RelocTarget::Func(FuncId(p.id("func")?)),
    };
    let addend = p.addend()?;
    Ok(Reloc { offset, target, addend })
}

fn property(p: &mut Parser<'_>) -> Result<Property> {
    let name = p.text()?;
    let kind = p.kind()?;
    let func = FuncId(p.id("func")?);
    let text = p.text()?;
    let loc = p.place()?;
    // The text form has only what is left.
    let number = name.rsplit_once('.').and_then(|(_, n)| n.parse().ok()).unwrap_or(0);
    Ok(Property { name, number, kind, func, loc, text })
}

fn function(p: &mut Parser<'_>, parts: &mut Parts, id: FuncId) -> Result<()> {
    let name = p.text()?;
    let signature = p.signature()?;
    let model = p.accept_word("model");
    let address_taken = p.accept_word("address_taken");
    let external = p.accept_word("extern");
    let mut params = Vec::new();
    if p.accept_word("params") {
        params.push(p.text()?);
        while p.accept(",") {
            params.push(p.text()?);
        }
    }
    let (mut shadow_params, mut shadow_results) = (0, 0);
    if p.accept_word("shadows") {
        (shadow_params, shadow_results) = (p.number()?, p.number()?);
    }
    let loc = p.place()?;
    let has_body = p.accept("{");
    if has_body && external {
        return p.fail("a function with a body is not extern");
    }
    if has_body {
        parts.bodies.push((id, body::body(p)?));
        p.expect("}")?;
    }
    parts.funcs.push(FuncDecl {
        name,
        signature,
        has_body,
        model,
        loc,
        params,
        internal: false,
        address_taken,
        shadow_params,
        shadow_results,
    });
    Ok(())
}
