"use strict";
const { report, sources, version, warnings, inputs } = JSON.parse(document.getElementById("data").textContent);
const findings = report.violations || [];
const coverage = report.coverage || { functions: [], loops: [], files: {} };
const needs = report.needs || [];
const TABS = ["violations", ...(needs.length ? ["needs"] : []), "functions", "properties"];
const STATUSES = ["violated", "unknown", "bounded", "unreachable", "proved"];
let chosen = 0, at = 0, tab = findings.length ? "violations" : needs.length ? "needs" : "functions";
const hidden = new Set();

const make = (tag, attributes, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") node.addEventListener("click", (event) => { event.preventDefault(); value(event); });
    else if (value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((c) => c !== undefined && c !== null));
  return node;
};
const short = (file) => (file || "").split("/").pop();
const place = (o) => o.file ? `${o.file}:${o.line}` : "";

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
    const inner = steps.slice(i + period, i + (times - 1) * period);
    out.push({ ...inner[0], what: "fold", text: `iterations 2-${times - 1} go the same way`, hidden: inner });
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
    else if (s.what === "alloc") objects.set(s.object, { name: s.name || "memory", size: s.bytes, cells: new Map() });
    else if (s.what === "free" && objects.has(s.object)) objects.get(s.object).freed = true;
    else if (s.what === "store") {
      if (!objects.has(s.object)) objects.set(s.object, { name: s.name, cells: new Map() });
      objects.get(s.object).cells.set(s.offset, { value: s.value, bytes: s.bytes, member: s.member, fresh });
    }
  };
  steps.slice(0, upTo + 1).forEach((s, i) => {
    if (s.hidden) s.hidden.forEach((h) => apply(h, i === upTo));
    else apply(s, i === upTo);
  });
  return { frames, objects };
}

const query = () => document.getElementById("search").value.toLowerCase();
const fits = (...words) => words.join(" ").toLowerCase().includes(query());

/* The list at the side: violations, functions or properties. */
function showList() {
  const box = document.getElementById("properties");
  box.replaceChildren(...{ violations: violationList, needs: needsList, functions: functionList, properties: propertyList }[tab]());
  const filters = document.getElementById("filters");
  filters.replaceChildren(...(tab === "properties" ? STATUSES.filter(count).map(filterBox) : []));
  document.getElementById("tabs").replaceChildren(...TABS.map((name, i) =>
    make("button", { type: "button", role: "tab", "aria-selected": String(name === tab), title: `key ${i + 1}`, on: () => turn(name) }, `${name} ${sizes()[name]}`)));
}
const sizes = () => ({ violations: findings.length, needs: needs.length, functions: coverage.functions.length, properties: report.properties.length });

function filterBox(status) {
  const box = make("input", { type: "checkbox" });
  box.checked = !hidden.has(status);
  box.addEventListener("change", () => { if (box.checked) hidden.delete(status); else hidden.add(status); showList(); });
  return make("label", {}, box, ` ${status} ${count(status)}`);
}

function violationList() {
  return findings.map((f, i) => fits(f.property, f.function, f.file, f.kind, f.message) &&
    make("a", { href: "#", class: "violated" + (i === chosen ? " chosen" : ""), "aria-current": i === chosen ? "true" : undefined, on: () => choose(i) },
      make("b", {}, f.message), make("small", {}, `${place(f)} · ${f.function} · ${f.kind}`))).filter(Boolean);
}

/* What callers have to see to, function by function. */
function needsList() {
  const names = [...new Set(needs.filter((n) => fits(n.function, n.file)).map((n) => n.function))];
  return names.map((name) => {
    const own = needs.filter((n) => n.function === name), kinds = [...new Set(own.map((n) => n.kind))];
    return make("a", { href: "#", class: "unknown", on: () => showNeeds(name) }, name, make("small", {}, `${own.length} · ${kinds.join(", ")}`));
  });
}

function showNeeds(only) {
  const own = needs.filter((n) => fits(n.function, n.file) && (!only || n.function === only));
  const rows = own.map((n) => make("tr", {}, make("td", {}, n.function), make("td", {}, n.needs), make("td", {}, n.kind),
    make("td", {}, make("a", { href: "#", title: place(n), on: () => showSource(n.file, n.line) }, `${short(n.file)}:${n.line}`))));
  document.getElementById("finding").replaceChildren(make("div", { class: "page", id: "needs" },
    make("p", {}, "Each function was called with anything that its types allow. What is here happens for arguments that a caller may never pass; errors are under violations."),
    make("table", { class: "wide" }, make("tr", {}, ...["function", "needs", "else", "at"].map((h) => make("th", {}, h))), ...rows)));
}

function functionList() {
  return coverage.functions.filter((f) => fits(f.name, f.file)).map((f) =>
    make("a", { href: "#", class: f.status, on: () => showSource(f.file, f.line) }, bar(f), f.name, make("small", {}, `${f.status.replace("-", " ")}${f.lines ? `, ${f.lines_reached} of ${f.lines} lines` : ""} · ${place(f)}`)));
}
function bar(f) {
  const inner = make("i", {});
  inner.style.width = (f.lines ? 100 * f.lines_reached / f.lines : 0) + "%";
  return make("span", { class: "bar" }, inner);
}

function propertyList() {
  const order = (p) => STATUSES.indexOf(p.status);
  const list = report.properties.filter((p) => !hidden.has(p.status) && fits(p.id, p.function, p.file, p.kind));
  return list.sort((a, b) => order(a) - order(b)).map((p) => {
    const index = findings.findIndex((f) => f.property === p.id);
    return make("a", { href: "#", class: p.status + (index >= 0 && index === chosen ? " chosen" : ""), on: () => index >= 0 ? choose(index) : showSource(p.file, p.line) },
      make("b", {}, p.kind), ` in ${p.function}: ${p.status}${p.bound ? ` up to ${p.bound}` : ""}`,
      make("small", {}, [place(p), p.text, p.reason].filter(Boolean).join(" · ")));
  });
}

function turn(name) {
  tab = name;
  showList();
  if (name === "violations" && findings.length) show();
  if (name === "functions") showTable();
  if (name === "needs") showNeeds();
}

/* All functions and loops, with what was looked at. */
function showTable() {
  const rows = coverage.functions.filter((f) => fits(f.name, f.file)).map((f) => make("tr", {},
    make("td", {}, make("a", { href: "#", on: () => showSource(f.file, f.line) }, f.name)), make("td", {}, f.status.replace("-", " ")),
    make("td", {}, bar(f), f.lines ? `${f.lines_reached}/${f.lines}` : ""), make("td", {}, place(f))));
  const loops = (coverage.loops || []).map((l) => make("tr", {}, make("td", {}, l.id), make("td", {}, l.status === "bounded" ? `up to ${l.depth} iterations` : l.status.replace("-", " ")), make("td", {}, ""), make("td", {}, place(l))));
  const gaps = (coverage.gaps || []).map((g) => make("li", {}, `${g.what} ${place(g)}`));
  const bodiless = (coverage.bodiless || []).map((b) => make("li", {}, `${b} has no body`));
  const head = (...names) => make("tr", {}, ...names.map((n) => make("th", {}, n)));
  document.getElementById("finding").replaceChildren(make("div", { class: "page", id: "functions" },
    make("table", { class: "wide" }, head("function", "status", "lines", "place"), ...rows),
    loops.length ? make("table", { class: "wide" }, head("loop", "looked at", "", "place"), ...loops) : undefined,
    gaps.length + bodiless.length ? make("ul", {}, ...gaps, ...bodiless) : undefined));
}

/* One file, with a line marked. */
function showSource(file, line) {
  const code = showCode({ file: "", line: 0 }, { file, line });
  code.classList.add("page");
  document.getElementById("finding").replaceChildren(code);
  centre(code.querySelector(".here"));
}

function showHead(finding) {
  const rows = [];
  if (finding.object_info) {
    const o = finding.object_info, name = o.name ? o.name : "the object";
    const where = (frames, what) => frames && frames[0] ? `, ${what} at ${frames[0].file}:${frames[0].line}` : "";
    rows.push(`${name}: ${finding.object}, ${o.size} bytes${where(o.allocated, "allocated")}${where(o.freed, "freed")}`);
  }
  const values = finding.values.filter((v) => v.name);
  if (values.length) rows.push("values: " + values.map((v) => `${v.name} = ${v.value}`).join(", "));
  const given = inputs[findings.indexOf(finding)];
  if (given) rows.push(given);
  const native = finding.native;
  const under = native && native.stubs ? ` under a stub of ${native.stubs.join(", ")}` : "";
  if (native && native.report) rows.push(`confirmed natively${under}: ${native.report.text} at ${native.report.file}:${native.report.line}`);
  else rows.push("confirmed by the interpreter" + (native && native.reason ? "; " + native.reason : ""));
  if (native) rows.push(`to see it again: ${native.kit}/run.sh`);
  const chain = finding.preconditions.map((p) => make("li", { class: "precondition" }, (p.function ? p.function + (p.line ? ` (${p.file}:${p.line})` : "") + ": " : "") + p.condition));
  const stack = finding.stack.map((f) => `${f.function} (${short(f.file)}:${f.line})`).join(" ← ");
  return make("div", { id: "head" },
    make("h2", {}, finding.message), make("p", { class: "where" }, `${place(finding)} · ${finding.kind} · ${stack}`),
    make("ul", {}, ...rows.map((r) => make("li", {}, r))),
    chain.length ? make("details", { open: "" }, make("summary", {}, "It happens when"), make("ol", {}, ...chain)) : undefined);
}

/* C in colour: enough of its tokens. */
const KEYWORDS = new Set("auto break case const continue default do else enum extern for goto if inline register restrict return sizeof static struct switch typedef union volatile while _Alignas _Atomic _Bool _Generic _Noreturn _Static_assert".split(" "));
const TYPES = new Set("void char short int long float double signed unsigned bool size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t FILE va_list".split(" "));
const TOKEN = /(\/\/.*|\/\*[^]*?(?:\*\/|$))|("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(^\s*#\s*\w+)|\b(0[xX][0-9a-fA-F]+\w*|\d[\w.]*)\b|\b([A-Za-z_]\w*)\b/g;
function coloured(line, inComment) {
  const out = [];
  let from = 0;
  const put = (cls, text) => out.push(cls ? make("span", { class: cls }, text) : text);
  if (inComment) {
    const end = line.indexOf("*/");
    if (end < 0) { put("c", line || " "); return { nodes: out, inComment: true }; }
    put("c", line.slice(0, end + 2));
    from = end + 2;
  }
  const rest = line.slice(from);
  let last = 0, open = false;
  for (const m of rest.matchAll(TOKEN)) {
    put("", rest.slice(last, m.index));
    const cls = m[1] ? "c" : m[2] ? "s" : m[3] ? "m" : m[4] ? "n" : KEYWORDS.has(m[5]) ? "k" : TYPES.has(m[5]) ? "t" : /^[A-Z][A-Z0-9_]+$/.test(m[5]) ? "m" : "";
    put(cls, m[0]);
    open = Boolean(m[1] && m[1].startsWith("/*") && !m[1].endsWith("*/"));
    last = m.index + m[0].length;
  }
  put("", rest.slice(last) || (out.length ? "" : " "));
  return { nodes: out, inComment: open };
}

function showCode(finding, step) {
  const text = sources[step.file];
  if (text === undefined) return make("div", { id: "code" }, make("p", { class: "file" }, `${step.file}:${step.line} (the source is not at hand)`));
  const pre = make("pre", {}), seen = (coverage.files || {})[step.file] || {};
  let inComment = false;
  text.replace(/\n$/, "").split("\n").forEach((line, i) => {
    const n = i + 1;
    const marks = ["line", seen[n] || "", n === step.line ? "here" : "", n === finding.line && step.file === finding.file ? "error" : ""];
    const colours = coloured(line, inComment);
    inComment = colours.inComment;
    pre.append(make("span", { class: marks.filter(Boolean).join(" "), "data-line": n, title: seen[n] ? seen[n].replace("-", " ") : undefined }, ...colours.nodes));
  });
  return make("div", { id: "code" }, make("div", { class: "file" }, step.file), pre);
}

/* The name of a struct's member; elements of arrays have none. */
function memberLabel(member) {
  const name = /(?:\.|->)(\w+)$/.exec(member || "");
  return name ? [make("i", { class: "member" }, name[1])] : [];
}

function showMemory(objects) {
  const parts = [];
  for (const [number, o] of objects) {
    const cells = [...o.cells.entries()].sort((a, b) => a[0] - b[0]).slice(0, 64);
    const title = `${o.name}${o.size === undefined ? "" : ", " + o.size + " bytes"}${o.freed ? ", freed" : ""}`;
    parts.push(make("div", {}, title), make("div", { class: "memory", "data-object": number },
      ...cells.map(([offset, c]) => make("span", { class: c.fresh ? "touched" : "", title: `${c.member ? c.member + ", " : ""}offset ${offset}, ${c.bytes} bytes` }, ...memberLabel(c.member), c.value))));
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
  return make("div", {}, make("h3", {}, `The access: offset ${finding.offset} of ${info.name || "the object"}, ${finding.size} bytes`), make("div", { class: "memory", id: "picture" }, ...cells));
}

function showSide(finding, steps) {
  const { frames, objects } = state(steps, at);
  /* One column per thread; a line where another one goes on. */
  const column = (s) => s.thread === undefined ? "" : `margin-left:${Math.min(s.thread, 8) * 10}em`;
  const holds = (s) => s.held && (s.what === "lock" || s.what === "unlock") ? ` [thread ${s.thread} holds ${s.held.join(", ")}]` : "";
  const list = make("ol", { id: "steps", tabindex: 0, "aria-label": "trace" }, ...steps.map((s, i) =>
    make("li", { class: [i === at ? "here" : "", s.what === "violation" ? "violation" : "", s.switch ? "switch" : ""].filter(Boolean).join(" "), style: column(s), title: s.thread === undefined ? "" : `thread ${s.thread}`, on: () => { at = i; show(); } },
      "  ".repeat(Math.min(s.depth, 12)), make("span", { class: "at" }, `${short(s.file)}:${s.line}: `), `${s.what}: ${s.text}${holds(s)}`)));
  const rows = [];
  for (const f of frames.slice().reverse()) {
    if (f.name) rows.push(make("tr", {}, make("th", { colspan: 2 }, f.name)));
    for (const [name, v] of f.values) rows.push(make("tr", { class: v.fresh ? "fresh" : "", "data-name": name }, make("td", {}, name), make("td", {}, v.value)));
  }
  return make("div", { id: "side" },
    make("h3", { id: "position" }, `Step ${at + 1} of ${steps.length}`), list,
    at === steps.length - 1 ? showPicture(finding) : undefined,
    make("h3", {}, "Values"), make("table", { id: "values" }, ...rows),
    objects.size ? make("h3", {}, "Memory") : undefined, make("div", { id: "memory" }, ...showMemory(objects)));
}

const centre = (node) => node && node.scrollIntoView({ block: "center", inline: "nearest" });

function show() {
  const box = document.getElementById("finding");
  if (!findings.length) { if (needs.length) showNeeds(); else showTable(); return; }
  const finding = findings[chosen], steps = trace(finding);
  at = Math.max(0, Math.min(at, steps.length - 1));
  const step = steps[at];
  box.replaceChildren(showHead(finding), showCode(finding, step), showSide(finding, steps));
  document.body.setAttribute("data-step", at);
  document.body.setAttribute("data-line", step.line);
  const code = box.querySelector("#code"), here = code.querySelector(".here");
  if (here) {
    code.scrollTop += here.getBoundingClientRect().top - code.getBoundingClientRect().top - code.clientHeight / 2;
    code.scrollLeft = 0;
  }
  const item = box.querySelector("#steps .here");
  if (item) item.parentNode.scrollTop += item.getBoundingClientRect().top - item.parentNode.getBoundingClientRect().top - item.parentNode.clientHeight / 2;
}

function choose(index) {
  chosen = Math.max(0, Math.min(index, findings.length - 1));
  at = findings.length ? trace(findings[chosen]).length - 1 : 0;
  showList();
  show();
}

/* Light, dark, or what the system says. */
function theme() {
  const root = document.documentElement;
  const dark = root.classList.contains("dark") || !root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches;
  root.classList.toggle("dark", !dark);
  root.classList.toggle("light", dark);
}

const steps = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
document.addEventListener("keydown", (event) => {
  const search = document.getElementById("search");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === search) {
    if (event.key === "Escape") search.blur();
    return;
  }
  const tabKey = TABS[Number(event.key) - 1];
  if (event.key === "/") { search.focus(); event.preventDefault(); }
  else if (event.key === "n") choose(chosen + 1);
  else if (event.key === "p") choose(chosen - 1);
  else if (event.key === "t") theme();
  else if (tabKey) turn(tabKey);
  else if (event.key in steps && findings.length) { at += steps[event.key]; show(); event.preventDefault(); }
});
document.getElementById("search").addEventListener("input", () => { showList(); if (tab === "functions") showTable(); if (tab === "needs") showNeeds(); });
document.getElementById("theme").addEventListener("click", theme);

const count = (status) => report.properties.filter((p) => p.status === status).length;
const WORDS = { unreachable: "never reached", bounded: "held up to the bound" };
const tally = STATUSES.filter(count).map((s) => `${count(s)} ${WORDS[s] || s}`).join(", ");
document.getElementById("summary").replaceChildren(make("span", { class: "badge " + report.verdict }, report.verdict),
  ` ${tally || (report.partial ? findings.length + " violated" : "")}${report.reason ? " (" + report.reason + ")" : ""} · ${report.stats.seconds.toFixed(1)} s · blitz ${version}`);
document.getElementById("keys").replaceChildren(...TABS.flatMap((name, i) => [make("kbd", {}, String(i + 1)), ` ${name} `]));
document.getElementById("warnings").replaceChildren(...[...(report.partial ? ["The search was still going on when this was written."] : []), ...(warnings || [])].map((w) => make("p", {}, w)));
choose(0);
