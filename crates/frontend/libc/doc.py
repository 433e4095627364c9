#!/usr/bin/env python3
"""Writes docs/libc.md from the sources of the models: what each file says of itself, then one line per function.

A function's line is the comment right above it, or that of the paragraph it stands in (functions without a blank line
between them); `same as` where the body is one call of another function with the same arguments.

Directions: the head of a file has a line `direction: exact|more|fewer ...` that holds for its functions; what is said above a function
(`direction: fewer, what`) and the marks in its body (`__blitz_fewer("f: what")`, `__blitz_more`) come on top. `doc.py --check` writes nothing: it fails if a file declares
nothing, if a function declares a direction that no mark enforces, or if docs/libc.md is not what it would write.
"""
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOC = HERE.parents[2] / "docs" / "libc.md"

INTRO = """# The libc models

Made by `crates/frontend/libc/doc.py` from the comments in `crates/frontend/libc/src`; don't edit by hand.

The library that checked programs call is C source of our own, compiled against the system's glibc headers and linked to
the program on demand. It comes in two variants: on the **host** (`blitz run`) files, time and environment are real;
in the **modelled environment** (`blitz check` and replays) they are inputs. What is in `src/` is the same for both.
Violations inside a model are reported at the program's own call. `--stub FILE.c` replaces any function.

**Directions.** A model is *exact*, or has *fewer* behaviours than the real function, or *more*. Both are marked in the source where they happen
(`__blitz_fewer("f: what")`, `__blitz_more("f: what")`), so they count on the paths that get there and nowhere else: no `safe` rests on a path that passed the first (it is
`unknown` for that reason), no violation on one that passed the second unless the native program shows it. Below, **fewer** and **more** at a function say what is marked in it; where nothing is said it is exact.
Loops that depend on symbolic data are cut where no bulk operation does (32 elements in `qsort`, 32 bytes in `strcasestr`, ...: look for
`CUT` in the sources): that is `unknown` for a stated reason too. Numbers in text (`strtol`, `strtod`, `scanf`) after many blanks or of many digits are *any* number in a
symbolic execution, and so are places behind many separators (`strspn`, `strtok`) or many beginnings of what is sought (`strstr`); the run that has to confirm a violation is exact.
Where paths are followed one by one (`blitz explore`, `blitz fuzz`) nothing of that is guessed.

Assumed of every environment, and not marked: at most 4 arguments besides the name (`__blitz_argv_max`), option letters that `getopt` takes from them are not grouped (`-a -b`, not `-ab`), arguments, lines and files up to the lengths below; calls of the system fail in the ways that are
inputs below, and in no other (output never fails); no allocation of more than half a terabyte succeeds; nobody else sends signals to a program that handles none. starting a thread never fails. Refused by name: cancellation of threads and signals to them, `dlopen` of a library that is there.

## Inputs of the modelled environment

Inputs are asked for in the order in which the program runs; a native replay feeds them like this. Names in parentheses are
guesses of a model about its own result (such as the position that `strrchr` finds): a replay skips them.

| input | what it is | how to feed it to a native run |
|---|---|---|
| `argc`, `argv[i] length`, `argv[i]` | the arguments; `argv[0]` is fixed; up to 4 others (`__blitz_argv_max`) of up to 131,071 bytes | arguments of the process |
| `getenv set`, `getenv length`, `getenv` | a variable's value, when it is asked for the first time | the environment, by the name in the call |
| `environ count`, `environ[i] length`, `environ[i]` | up to two variables, for a program that looks at `environ` | the environment |
| `locale`, `locale name` | what `setlocale` finds: of "" 0 "C", 1 one of UTF-8, 2 one of bytes, 3 nothing; of a name 0 nothing, 1 it | a wrapper of `setlocale` |
| `time zone offset`, `summer time`, `time zone name` | local time; other than 0 it is *more* | none |
| `uid`, `euid`, `gid`, `egid`, `pid`, `parent pid`, `id change fails`, `kill fails` | who the process is | wrappers of `getuid`, ... |
| `stdin` | bytes of standard input, in order (`stdin count`, `stdin word length`, `line length` say how many come with one call) | a pipe with all of them, closed at the end |
| `stdin ends` | the end of standard input | nothing more in the pipe |
| `stdin has a number`, `stdin number` | a decimal number that `scanf` reads | a blank and its decimal text in the pipe |
| `open fails` | 0, or which error `open`/`fopen` gives: 1 ENOENT, 2 EACCES, 3 EISDIR | a wrapper of `open`/`fopen` |
| `file size`, `file` | contents of the file opened just before | a temporary file, handed out by that wrapper |
| `stat fails`, `st_mode type` (0 file, 1 directory, 2 FIFO, 3 link), `st_mode rights`, `st_size`, `st_ino`, `st_mtime` | the answer of `stat`, `lstat`; `fstat` asks for the last two | a wrapper of `stat` |
| `access fails`, `file change fails`, `readlink fails`, `readlink`, `getcwd` | answers of `access`, of `unlink`, `rename`, `mkdir`, `chdir`, ... | wrappers |
| `directory ends`, `directory entry length`, `directory entry` | what `readdir` gives | a directory with these names |
| `time`, `time nanoseconds` | every clock, never going back | wrappers of `time`, `clock_gettime`, `gettimeofday` |
| `rand`, `rand48`, `random` | numbers of a seeded generator, bytes of `getrandom` | wrappers |
| `fork` (-1, 0, 1), `exec fails`, `exit status`, `child still runs`, `popen fails` | processes | wrappers |
| `socket fails`, `bind fails`, `connect fails`, `accept fails`, `recv fails`, `send fails`, `SO_ERROR`, `peer port`, `peer address` | sockets | wrappers |
| `socket`, `socket count`, `socket ends` | bytes a peer sends (also the output of a command of `popen`) | a wrapper of `read` and `recv` |
| `ready` | which of the wanted descriptors `select` or `poll` reports | wrappers |
| `host unknown`, `host address`, `host name`, `getaddrinfo fails` | name resolution | wrappers |
| `math` | the result of a transcendental function, in its range | none: the real result may differ, the finding is then dropped |
| allocation fails | `malloc` and its family return null (`--alloc may-fail`) | a wrapper of `malloc` |
"""


def comment_of(lines, i):
    """The comment that ends just above line i, as one line of text."""
    if i == 0 or not lines[i - 1].rstrip().endswith("*/"):
        return None
    j = i - 1
    while j >= 0 and "/*" not in lines[j]:
        j -= 1
    text = " ".join(l.strip(" */\n") for l in lines[j:i])
    return " ".join(text.split())


MARK = re.compile(r'__blitz_(fewer|more)\((?:#name )?"[^:"]*: ((?:[^"\\]|\\.)*)"')


def bodies(path):
    """The text of each function's definition, by name; of a macro's under its own name."""
    out, name = {}, None
    for line in path.read_text().splitlines():
        m = re.match(r"^(?:#define (\w+)\(|[A-Za-z_][\w ]*[ \*]+(\w+)\(.*(?:\{|[^;])$)", line)
        if m:
            name = m.group(1) or m.group(2)
        if name:
            out[name] = out.get(name, "") + line + "\n"
    return out


def marks(path, name):
    """What is marked in a function and in the functions of its file that it calls."""
    texts, todo, seen = bodies(path), [name], set()
    found = []
    while todo:
        f = todo.pop()
        if f in seen or f not in texts:
            continue
        seen.add(f)
        for direction, what in MARK.findall(texts[f]):
            if all(w != what for _, w in found):
                found.append((direction, what.replace(chr(92) + '"', '"')))
        own = re.findall(r"\b(\w+)\(", texts[f])
        todo += [g for g in own if g in texts and (f == name or not g.startswith("__blitz"))]
    return found


def functions(path):
    lines = path.read_text().splitlines()
    block = None
    for i, line in enumerate(lines):
        if line.strip() == "":
            block = None
            continue
        data = line.startswith(("struct", "const", "enum")) and "(" not in line
        if data or line.startswith(("/*", "static", "typedef", "#", " ", "}", "extern", "_Static")):
            block = comment_of(lines, i) or block
            continue
        block = comment_of(lines, i) or block
        names = re.match(r"^(?:CLASS|EXACT1|EXACT2|EXTREME|MATH1|MATH2|FROM_WIDE|FAMILY|PARSER)\((\w+)(?:, (\"?\w*\"?))?", line)
        if names:
            if line.startswith("MATH"):
                yield names.group(1), "exact on the host; an input in the function's range in the modelled environment"
                yield names.group(1) + "f", "the same, rounded; **more**: the last bit"
                yield names.group(1) + "l", "the same; **fewer**, **more**: results that are no doubles"
            elif line.startswith(("EXACT", "EXTREME")):
                yield names.group(1), "exact (also `f`, `l`)"
            elif not line.startswith(("FAMILY", "PARSER")):
                yield names.group(1), block
            continue
        m = re.match(r"^[A-Za-z_][\w ]*[ \*]+(\w+)\((.*)$", line)
        if not m or line.rstrip().endswith(";") or "=" in line.split("(")[0]:
            continue
        name = m.group(1)
        same = re.search(r"\{ return (\w+)\(([^()]*)\); \}$", line)
        params = re.findall(r"(\w+)(?:\[\w*\])?(?:,|\) \{)", line)
        if same and same.group(1) != name and "fail" != same.group(1) and not same.group(1).startswith("__blitz"):
            yield name, f"same as `{same.group(1)}`"
        elif re.search(r"return fail\((\w+)\); \}$", line):
            yield name, "fails with " + re.search(r"return fail\((\w+)\); \}$", line).group(1)
        elif re.search(r"\) \{ return 0; \}$", line) and block is None:
            yield name, "does nothing, returns 0"
        else:
            yield name, block


def section(path):
    text = path.read_text()
    m = re.match(r"/\*(.*?)\*/", text, re.S)
    head = " ".join(l.strip(" *") for l in m.group(1).splitlines()) if m else ""
    out = [f"\n### {path.relative_to(HERE / 'src')}\n", " ".join(head.split()), ""]
    for name, said in functions(path):
        if name.startswith("__blitz"):
            continue
        said = re.sub(r"\s*direction: (?:exact|fewer|more)[^.;]*", "", said or "").strip() or "as the standard says"
        ways = "".join(f"; **{direction}**: {what}" for direction, what in marks(path, name))
        out.append(f"- `{name}`: {said}{ways}")
    return out


def undeclared(path):
    """What a file leaves open about its directions."""
    text = path.read_text()
    head = re.match(r"/\*(.*?)\*/", text, re.S)
    if head is None or "direction:" not in head.group(1):
        yield f"{path.name}: the head declares no direction"
    lines = text.splitlines()
    for i, line in enumerate(lines):
        m = re.match(r"^[A-Za-z_][\w ]*[ \*]+(\w+)\(.*\{", line)
        said = comment_of(lines, i) if m else None
        declared = re.search(r"direction: (fewer|more)", said or "")
        if declared and declared.group(1) not in [d for d, _ in marks(path, m.group(1))]:
            yield f"{path.name}: {m.group(1)} is declared {declared.group(1)}, and nothing in it is marked so"


EXTRA = {
    "strconv.c": ["- `strtol`, `strtoll`, `strtoul`, `strtoull`, `strtoimax`, `strtoumax`, `strtoq`, `strtouq`, and all of them as `__isoc23_*`: exact, errno included"],
    "scanf.c": ["- `scanf`, `fscanf`, `sscanf`, `vscanf`, `vfscanf`, `vsscanf`, and all of them as `__isoc99_*` and `__isoc23_*`: every conversion but positional arguments"],
}


def main():
    out = [INTRO]
    for title, pattern in [("Both variants", "src/*.c"), ("On the host", "src/host/*.c"), ("In the modelled environment", "src/model/*.c")]:
        out.append(f"\n## {title}")
        for path in sorted(HERE.glob(pattern)):
            out += section(path)
            out += EXTRA.get(path.name, [])
    out.append("\n## Done by the front end itself\n\n- `memcpy`, `memmove`, `memset`: bulk operations behind their checks\n- `setjmp`, `_setjmp`, `__sigsetjmp`, `longjmp`, `_longjmp`, `siglongjmp`: instructions of the IR\n")
    text = "\n".join(out)
    if "--check" in sys.argv:
        wrong = [w for path in sorted(HERE.glob("src/**/*.c")) for w in undeclared(path)]
        if DOC.read_text() != text:
            wrong.append("docs/libc.md is not what doc.py writes")
        sys.exit("\n".join(wrong) or 0)
    DOC.parent.mkdir(exist_ok=True)
    DOC.write_text(text)


main()
