"use strict";
const { report, sources, version } = JSON.parse(document.getElementById("data").textContent);
const findings = report.violations || [];
let chosen = 0, at = 0;

const make = (tag, attributes, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") node.addEventListener("click", value);
    else if (value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((c) => c !== undefined && c !== null));
  return node;
};

/* Steps that repeat, as loops make them, are shown once with their number in between. */
function folded(steps) {
  const key = (s) => s.what + ":" + s.file + ":" + s.line + ":" + s.depth;
  const keys = steps.map(key), out = [];
  for (let i = 0; i < steps.length;) {
    let best = null;
    for (let period = 1; period <= 40 && i + 2 * period <= steps.length; period++) {
      let times = 1;
      while (i + (times + 1) * period <= steps.length) {
        let same = true;
        for (let k = 0; k < period && same; k++) same = keys[i + k] === keys[i + times * period + k];
        if (!same) break;
        times++;
      }
      if (times > 3 && (!best || times * period > best.times * best.period)) best = { period, times };
    }
    if (!best) { out.push(steps[i++]); continue; }
    const { period, times } = best;
    out.push(...steps.slice(i, i + period));
    const hidden = steps.slice(i + period, i + (times - 1) * period);
    out.push({ ...hidden[0], what: "fold", text: `iterations 2-${times - 1} go the same way`, hidden });
    out.push(...steps.slice(i + (times - 1) * period, i + times * period));
    i += times * period;
  }
  return out;
}

/* The trace of a finding, with the violation as its last step. */
function trace(finding) {
  if (!finding.shown) {
    const last = { what: "violation", text: finding.message, file: finding.file, line: finding.line, column: finding.column, depth: finding.stack.length, function: finding.function };
    finding.shown = [...folded(finding.trace.filter((s) => s.line > 0)), last];
  }
  return finding.shown;
}

/* Values of variables and bytes of objects after the first steps. */
function state(steps, upTo) {
  const frames = [{ name: "", values: new Map() }], objects = new Map();
  const apply = (s, fresh) => {
    const top = frames[frames.length - 1];
    if (s.what === "call") frames.push({ name: s.text, values: new Map() });
    else if (s.what === "return" && frames.length > 1) frames.pop();
    else if (s.what === "assign") top.values.set(s.name, { value: s.value, fresh });
    else if (s.what === "alloc") objects.set(s.object, { name: "object " + s.object, size: s.bytes, cells: new Map() });
    else if (s.what === "free" && objects.has(s.object)) objects.get(s.object).freed = true;
    else if (s.what === "store") {
      if (!objects.has(s.object)) objects.set(s.object, { name: s.name, cells: new Map() });
      objects.get(s.object).cells.set(s.offset, { value: s.value, bytes: s.bytes, fresh });
    }
  };
  steps.slice(0, upTo + 1).forEach((s, i) => {
    if (s.hidden) s.hidden.forEach((h) => apply(h, i === upTo));
    else apply(s, i === upTo);
  });
  return { frames, objects };
}

function showList() {
  const wanted = document.getElementById("search").value.toLowerCase();
  const nav = document.getElementById("properties");
  const groups = new Map();
  for (const p of report.properties) {
    const text = `${p.id} ${p.function} ${p.file} ${p.kind}`.toLowerCase();
    if (!text.includes(wanted)) continue;
    if (!groups.has(p.file)) groups.set(p.file, []);
    groups.get(p.file).push(p);
  }
  nav.replaceChildren();
  for (const [file, list] of groups) {
    nav.append(make("h2", {}, file || "(no file)"));
    for (const p of list) {
      const index = findings.findIndex((f) => f.property === p.id);
      const attributes = { class: p.status + (index === chosen && index >= 0 ? " chosen" : ""), title: `${p.text || ""} ${p.reason || ""}`.trim() };
      if (index >= 0) attributes.on = () => choose(index);
      nav.append(make("a", attributes, `${p.function}:${p.line} ${p.kind}: ${p.status}`));
    }
  }
}

function showHead(finding) {
  const rows = [];
  if (finding.object_info) {
    const o = finding.object_info, name = o.name ? "`" + o.name + "`" : "object";
    const where = (frames, what) => frames && frames[0] ? `, ${what} at ${frames[0].file}:${frames[0].line}` : "";
    rows.push(`${name}: ${finding.object}, ${o.size} bytes${where(o.allocated, "allocated")}${where(o.freed, "freed")}`);
  }
  if (finding.values.length) rows.push("values: " + finding.values.filter((v) => v.name).map((v) => `${v.name} = ${v.value}`).join(", "));
  if (finding.inputs.length) rows.push("inputs: " + finding.inputs.slice(0, 12).map((i) => `${i.name} = ${i.value}`).join(", ") + (finding.inputs.length > 12 ? ", ..." : ""));
  const native = finding.native;
  const under = native && native.stubs ? ` under a stub of ${native.stubs.join(", ")}` : "";
  if (native && native.report) rows.push(`confirmed natively${under}: ${native.report.text} at ${native.report.file}:${native.report.line}`);
  else rows.push("confirmed by the interpreter" + (native && native.reason ? "; " + native.reason : ""));
  if (native) rows.push(`to see it again: ${native.kit}/run.sh`);
  const chain = finding.preconditions.map((p) => make("li", { class: "precondition" }, (p.function ? p.function + (p.line ? ` (${p.file}:${p.line})` : "") + ": " : "") + p.condition));
  return make("div", { id: "head" },
    make("h2", {}, `${finding.file}:${finding.line}: ${finding.message}`),
    make("ul", {}, ...rows.map((r) => make("li", {}, r))),
    chain.length ? make("details", { open: "" }, make("summary", {}, "It happens when"), make("ol", {}, ...chain)) : undefined);
}

function showCode(finding, step) {
  const text = sources[step.file], box = make("div", { id: "code" });
  if (text === undefined) return make("div", { id: "code" }, make("p", {}, `${step.file}:${step.line} (the source is not at hand)`));
  const pre = make("pre", {});
  text.split("\n").forEach((line, i) => {
    const n = i + 1;
    const marks = ["line", n === step.line ? "here" : "", n === finding.line && step.file === finding.file ? "error" : ""];
    pre.append(make("span", { class: marks.filter(Boolean).join(" "), "data-line": n }, line || " "));
  });
  box.append(pre);
  return box;
}

function showMemory(finding, objects) {
  const parts = [];
  for (const [number, o] of objects) {
    const cells = [...o.cells.entries()].sort((a, b) => a[0] - b[0]).slice(0, 64);
    const title = `${o.name}${o.size === undefined ? "" : ", " + o.size + " bytes"}${o.freed ? ", freed" : ""}`;
    parts.push(make("div", {}, title), make("div", { class: "memory", "data-object": number },
      ...cells.map(([offset, c]) => make("span", { class: c.fresh ? "touched" : "", title: `offset ${offset}, ${c.bytes} bytes` }, c.value))));
  }
  return parts;
}

/* The object of the violation: its bytes, and those that were touched outside of it. */
function showPicture(finding) {
  const info = finding.object_info;
  if (!info || finding.offset === undefined || finding.size === undefined) return undefined;
  const first = Math.max(Math.min(0, finding.offset), finding.offset - 24);
  const last = Math.min(Math.max(info.size, finding.offset + Math.min(finding.size, 24)), first + 96);
  const cells = [];
  for (let i = first; i < last; i++) {
    const touched = i >= finding.offset && i < finding.offset + finding.size;
    const classes = [i < 0 || i >= info.size ? "outside" : "", touched ? "touched" : ""];
    cells.push(make("span", { class: classes.filter(Boolean).join(" ") }, String(i)));
  }
  return make("div", {}, make("h3", {}, `The access: offset ${finding.offset}, ${finding.size} bytes`), make("div", { class: "memory", id: "picture" }, ...cells));
}

function showSide(finding, steps) {
  const { frames, objects } = state(steps, at);
  /* One column per thread; a line where another one goes on. */
  const column = (s) => s.thread === undefined ? "" : `margin-left:${Math.min(s.thread, 8) * 10}em`;
  const holds = (s) => s.held && (s.what === "lock" || s.what === "unlock") ? ` [thread ${s.thread} holds ${s.held.join(", ")}]` : "";
  const list = make("ol", { id: "steps" }, ...steps.map((s, i) =>
    make("li", { class: [i === at ? "here" : "", s.switch ? "switch" : ""].filter(Boolean).join(" "), style: column(s), title: s.thread === undefined ? "" : `thread ${s.thread}`, on: () => { at = i; show(); } }, `${"  ".repeat(Math.min(s.depth, 12))}${s.line}: ${s.what}: ${s.text}${holds(s)}`)));
  const rows = [];
  for (const f of frames.slice().reverse()) {
    if (f.name) rows.push(make("tr", {}, make("th", { colspan: 2 }, f.name)));
    for (const [name, v] of f.values) rows.push(make("tr", { class: v.fresh ? "fresh" : "", "data-name": name }, make("td", {}, name), make("td", {}, v.value)));
  }
  return make("div", { id: "side" },
    make("h3", { id: "position" }, `Step ${at + 1} of ${steps.length}`), list,
    make("h3", {}, "Values"), make("table", { id: "values" }, ...rows),
    make("h3", {}, "Memory"), make("div", { id: "memory" }, ...showMemory(finding, objects)),
    at === steps.length - 1 ? showPicture(finding) : undefined);
}

function show() {
  const box = document.getElementById("finding");
  if (!findings.length) { box.replaceChildren(make("p", { style: "padding:1em" }, "No violation was found.")); return; }
  const finding = findings[chosen], steps = trace(finding);
  at = Math.max(0, Math.min(at, steps.length - 1));
  const step = steps[at];
  box.replaceChildren(showHead(finding), showCode(finding, step), showSide(finding, steps));
  document.body.setAttribute("data-step", at);
  document.body.setAttribute("data-line", step.line);
  const centre = (node) => node && node.scrollIntoView({ block: "center", inline: "nearest" });
  centre(box.querySelector("#code .here"));
  const item = box.querySelector("#steps .here");
  if (item) item.parentNode.scrollTop = item.offsetTop - item.parentNode.offsetTop - 80;
}

function choose(index) {
  chosen = Math.max(0, Math.min(index, findings.length - 1));
  at = findings.length ? trace(findings[chosen]).length - 1 : 0;
  showList();
  show();
}

const keys = {
  j: () => at++, ArrowDown: () => at++, k: () => at--, ArrowUp: () => at--,
  Home: () => { at = 0; }, End: () => { at = Infinity; },
};
document.addEventListener("keydown", (event) => {
  const search = document.getElementById("search");
  if (event.target === search) {
    if (event.key === "Escape") search.blur();
    return;
  }
  if (event.key === "/") { search.focus(); event.preventDefault(); }
  else if (event.key === "n") choose(chosen + 1);
  else if (event.key === "p") choose(chosen - 1);
  else if (keys[event.key]) { keys[event.key](); show(); event.preventDefault(); }
});
document.getElementById("search").addEventListener("input", showList);

const count = (status) => report.properties.filter((p) => p.status === status).length;
const tally = ["violated", "proved", "unreachable", "bounded", "unknown"].filter(count).map((s) => `${count(s)} ${s}`).join(", ");
document.getElementById("summary").textContent = `${report.verdict}: ${tally}${report.reason ? " (" + report.reason + ")" : ""} · ${report.stats.seconds.toFixed(1)} s · blitz ${version}`;
choose(0);
