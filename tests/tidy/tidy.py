#!/usr/bin/env python3
"""What the compiler cannot see: layers, banned words, coroutine traps, sizes, unbuilt files, links.

One line per fault, file:line: what is wrong and what is right. Exit 1 if there is any.
"""

import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = ("common", "journal", "metrics", "proxy", "cmake", "tests")
SKIPPED = {"build", ".git", "data", "__pycache__"}
LINES_MAX = {".cc": 400, ".h": 250}
FUNCTION_LINES_MAX = 70
TEST_LINES_MAX = 100

BANNED = [
    # (pattern, where it is allowed, what is right)
    (r"\bdetached\b", (), "give co_spawn a handler that logs and counts"),
    (r"\bsleep_(for|until)\b|(?<![\w>])::u?sleep\s*\(|\busleep\s*\(|\bsleep\s*\(\s*\d", (),
     "wait for a condition or a timer"),
    (r"\bstd::cout\b", ("proxy/cli/", "proxy/main.cc"), "only the CLI writes to stdout"),
    # A completion that a C callback owns frees itself; where a constructor is private, the new
    # object goes straight into a pointer that owns it.
    (r"\bnew\s+[A-Za-z_:]", ("proxy/pipeline/append.cc",), "std::make_unique, or a member"),
    (r"\bdelete\s+[A-Za-z_*(]|\bdelete\s*\[", ("proxy/pipeline/append.cc",),
     "an owner that deletes"),
    (r"<boost/beast\.hpp>", (), "include the parts of Beast that are used"),
    (r"#include <iostream>", ("proxy/cli/", "proxy/main.cc", "tests/"), "<ostream>, or the log"),
]
HEADER_BANNED = [
    (r"\busing namespace (?!std::(chrono_literals|string_view_literals|string_literals|literals)\b)",
     (), "qualify the names"),
]
# g++ 12 destroys what these make twice (double free, proven under ASan). An Error owns nothing, so it may be made anywhere.
STRUCT = r"(?:\w+::)*(?!Error\b|Done\b)[A-Z]\w*"
TRAPS = [
    (rf"co_await\s[^;]*?[(,]\s*{STRUCT}\{{[^;}}][^;]*?\}}[^;]*;",
     "name the struct on the line above the co_await"),
    (rf"\b{STRUCT}"r"(?:\s+\w+)?\{(?:[^;{}]|\{[^;{}]*\})*\bco_await\b",
     "await into a local, then make the struct"),
    (r"co_await\s[^;]*?\[\s*(?:[^\]&\s][^\]]*|&[^\]]*,\s*[^&\]\s][^\]]*)\]\s*(?:\([^)]*\))?\s*"
     r"(?:mutable|noexcept|->|\{)", "name the lambda on the line above, captures by reference"),
    (r"\[[^\]\s][^\]]*\]\s*(?:\([^)]*\))?\s*(?:mutable\s*)?->\s*(?:\w+::)*(?:Task|awaitable)\b",
     "a coroutine is a named function, never a capturing lambda"),
]
SCRIPT_FOLDERS = ("deploy/", "tests/", ".ci/")


class Faults:
    def __init__(self, root=ROOT):
        self.root = root
        self.lines = []

    def add(self, path, line, what):
        self.lines.append(f"{path.relative_to(self.root)}:{line}: {what}")


@functools.cache
def files(root):
    """Everything that belongs to the project: tracked or new, and not ignored."""
    done = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"],
                          capture_output=True, text=True)
    if done.returncode == 0:
        named = [root / name for name in done.stdout.splitlines()]
    else:
        named = sorted(root.rglob("*"))
    return [path for path in named
            if path.is_file() and not SKIPPED.intersection(path.relative_to(root).parts)]


def bare(text):
    """The code with comments and literals blanked, line numbers kept."""
    pattern = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
                         r"|(?<![\w])'(?:\\.|[^'\\\n])+'", re.S)

    def blank(match):
        # Names of included files stay: they are checked.
        start = text.rfind("\n", 0, match.start()) + 1
        if text[start:match.start()].lstrip().startswith("#include"):
            return match.group(0)
        return re.sub(r"[^\n]", " ", match.group(0))
    return pattern.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def room_of(name):
    """The room of a path from the root; None outside of the rooms."""
    parts = name.split("/")
    if parts[0] == "proxy" and len(parts) > 2:
        return parts[1]
    return parts[0] if parts[0] in ("common", "journal", "metrics") and len(parts) > 1 else None


def layer_table(root):
    text = (root / "cmake/SwornTargets.cmake").read_text()
    table = {}
    for room, used in re.findall(r"set\(SWORN_MAY_USE_(\w+)\s+([^)]*)\)", text):
        table[room] = set(re.findall(r"\w+", used))
    return table


def check_layers(faults, path, code, table):
    room = room_of(str(path.relative_to(faults.root)))
    if room is None:
        return
    for match in re.finditer(r'#include "([^"]+)"', code):
        used = room_of(match.group(1))
        if used is None:
            faults.add(path, line_of(code, match.start()),
                       f'include "{match.group(1)}" by its path from the root')
        elif used != room and used not in table.get(room, set()):
            faults.add(path, line_of(code, match.start()),
                       f"{room}/ may not use {used}/ (cmake/SwornTargets.cmake)")


def check_words(faults, path, code):
    name = str(path.relative_to(faults.root))
    rules = BANNED + (HEADER_BANNED if path.suffix == ".h" else [])
    for pattern, allowed, right in rules:
        if name.startswith(tuple(allowed)):
            continue
        for match in re.finditer(pattern, code):
            statement = code[max(code.rfind(";", 0, match.start()), 0):match.start()]
            if match.group(0).startswith("new") and "_ptr<" in statement:
                continue
            faults.add(path, line_of(code, match.start()),
                       f"'{match.group(0).strip()}' is banned here: {right}")
    for pattern, right in TRAPS:
        for match in re.finditer(pattern, code):
            faults.add(path, line_of(code, match.start()), f"coroutine trap: {right}")


def check_sizes(faults, path, text, code):
    count = text.count("\n")
    if count > LINES_MAX[path.suffix]:
        faults.add(path, count, f"{count} lines; at most {LINES_MAX[path.suffix]}: split it")
    is_test = str(path.relative_to(faults.root)).startswith("tests/")
    lines_max = TEST_LINES_MAX if is_test else FUNCTION_LINES_MAX
    lines = code.splitlines()
    began = None
    for number, line in enumerate(lines, 1):
        if began is None and opens_function(line):
            began = number
        elif began is not None and line.startswith("}"):
            body = lines[began:number - 1]
            if len(body) > lines_max and not is_table(body):
                faults.add(path, began, f"a function of {len(body)} lines; at most {lines_max}")
            began = None


def opens_function(line):
    if re.match(r"(inline )?(namespace|class|struct|union|enum|extern|template <)", line):
        return False
    return bool(re.match(r"[^\s#}/].*[^(={\w]\s*\{\s*$", line)) and " = " not in line


def is_table(body):
    """One exhaustive switch whose every case is a line or two."""
    plain = sum(bool(re.match(r"\s*(case |return|switch|using enum|\}|$)", line)) for line in body)
    return plain > 0.9 * len(body)


def check_built(faults, path):
    """Listed somewhere by name or, in a foreach of units of its own folder, by its stem."""
    if re.search(r"^tests/tidy/", str(path.relative_to(faults.root))):
        return
    listings = [one for one in files(faults.root)
                if one.name == "CMakeLists.txt" or one.suffix == ".cmake"]
    name = rf"(?<![\w.]){re.escape(path.name)}(?![\w.])"
    unit = re.escape(path.name.removesuffix(".cc").removesuffix("_test"))
    unit = rf"(?<![\w./]){unit}(?![\w./])"
    for listing in listings:
        text = listing.read_text()
        near = listing.parent == path.parent or listing.parent in path.parents
        if re.search(name, text) or (near and listing.parent != faults.root and
                                     re.search(unit, text)):
            return
    faults.add(path, 1, "no CMakeLists.txt builds this file")


def check_text(faults, path, text):
    if text and not text.endswith("\n"):
        faults.add(path, line_of(text, len(text)), "no line end at the end")
    for number, line in enumerate(text.splitlines(), 1):
        # In two parts, so that this line is no fault itself.
        if "TODO(" + "now)" in line:
            faults.add(path, number, "do it now")
        if line != line.rstrip() and path.suffix != ".md":
            faults.add(path, number, "blanks at the end of the line")


def check_links(faults, path, text):
    if path.suffix == ".md":
        prose = re.sub(r"```.*?```", lambda match: re.sub(r"[^\n]", " ", match.group(0)), text,
                       flags=re.S)
        for match in re.finditer(r"\]\(([^)\s#]+)(#[^)\s]*)?\)", prose):
            target = match.group(1)
            if re.match(r"[a-z]+:", target):
                continue
            base = faults.root if target.startswith("/") else path.parent
            if not (base / target.lstrip("/")).exists():
                faults.add(path, line_of(prose, match.start()), f"the link to {target} leads nowhere")
    if path.name == "tidy_check.py":  # Its trees name documents on purpose.
        return
    for match in re.finditer(r"(?<![\w/.-])docs/[\w./-]+\.(?:md|yaml)", text):
        if not (faults.root / match.group(0)).exists():
            faults.add(path, line_of(text, match.start()), f"{match.group(0)} does not exist")


def check_scripts(faults, path, text):
    name = str(path.relative_to(faults.root))
    is_script = path.suffix in (".py", ".sh") or text.startswith("#!")
    if is_script and not name.startswith(SCRIPT_FOLDERS):
        faults.add(path, 1, "scripts live in deploy/, tests/ and .ci/")
    if path.suffix == ".py" or (text.startswith("#!") and "python" in text.split("\n", 1)[0]):
        try:
            compile(text, name, "exec")
        except SyntaxError as error:
            faults.add(path, error.lineno or 1, f"Python: {error.msg}")
    elif text.startswith("#!") and "sh" in text.split("\n", 1)[0]:
        done = subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True)
        if done.returncode != 0:
            faults.add(path, 1, f"bash: {done.stderr.strip()}")


def check_tree(root=ROOT):
    faults = Faults(root)
    table = layer_table(root)
    for path in files(root):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # Corpora and other bytes.
        name = str(path.relative_to(root))
        is_data = name.startswith(("tests/vectors/", "tests/fuzz/corpus/"))
        if is_data or path.name == "LICENSE":
            continue
        check_text(faults, path, text)
        check_links(faults, path, text)
        check_scripts(faults, path, text)
        if path.suffix in LINES_MAX and name.startswith(CODE):
            code = bare(text)
            check_layers(faults, path, code, table)
            check_words(faults, path, code)
            check_sizes(faults, path, text, code)
            if path.suffix == ".cc":
                check_built(faults, path)
            elif not re.search(r"^#pragma once$", text, re.M):
                faults.add(path, 1, "a header begins with #pragma once")
    return faults.lines


def main():
    lines = check_tree()
    for line in lines:
        print(line)
    print(f"tidy: {len(lines)} faults")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
