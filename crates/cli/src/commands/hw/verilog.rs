//! Verilog: `yosys` turns it into BTOR2, if it is installed.

use crate::Fault;
use std::path::Path;
use std::process::{Command, Stdio};

/// A design as BTOR2.
pub fn translate(file: &Path) -> Result<Vec<u8>, Fault> {
    let shown = file.display();
    let folder =
        tempfile::tempdir().map_err(|e| Fault::new(format!("no folder for yosys's output can be made: {e}")))?;
    let out = folder.path().join("design.btor2");
    let script = format!(
        "read_verilog -formal -sv \"{shown}\"; prep -auto-top -flatten; memory -nomap; flatten; setundef -undriven -anyseq; write_btor \"{}\"",
        out.display()
    );
    let run = Command::new("yosys").args(["-q", "-p", &script]).stdin(Stdio::null()).output();
    let run = run.map_err(|_| {
        Fault::new(format!("{shown} is Verilog, which needs yosys: install it (Debian: apt-get install yosys)"))
    })?;
    if !run.status.success() {
        let text = String::from_utf8_lossy(&run.stderr).trim().to_owned();
        return Err(Fault::new(format!(
            "yosys can't read {shown}: {}",
            text.lines().last().unwrap_or("it says nothing")
        )));
    }
    std::fs::read(&out).map_err(|e| Fault::new(format!("yosys wrote nothing for {shown}: {e}")))
}
