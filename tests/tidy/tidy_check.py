#!/usr/bin/env python3
"""The tidy check finds each kind of fault in a tree that has exactly one, and none in a clean one."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import tidy  # noqa: E402

CLEAN = {
    "cmake/SwornTargets.cmake": 'set(SWORN_MAY_USE_common "")\nset(SWORN_MAY_USE_http common io)\n',
    "common/CMakeLists.txt": "sworn_library(common SOURCES word.cc)\n",
    "common/word.h": "// A new word.\n#pragma once\n",
    "common/word.cc": '#include "common/word.h"\n',
    "proxy/http/CMakeLists.txt": "sworn_library(http SOURCES front.cc)\n",
    "proxy/http/front.cc": '#include "common/word.h"\n',
    "docs/guide.md": "See [the words](words.md).\n",
    "docs/words.md": "Words.\n",
}

FAULTS = {
    "a layer": ("common/word.cc", '#include "proxy/http/front.h"\n', "may not use"),
    "a relative include": ("common/word.cc", '#include "word.h"\n', "path from the root"),
    "detached": ("proxy/http/front.cc", "auto x = asio::detached;\n", "banned"),
    "a sleep": ("proxy/http/front.cc", "std::this_thread::sleep_for(1s);\n", "banned"),
    "stdout": ("proxy/http/front.cc", "void f() { std::cout << 1; }\n", "banned"),
    "new": ("proxy/http/front.cc", "int* p = new int;\n", "banned"),
    "a namespace in a header": ("common/word.h", "#pragma once\nusing namespace std;\n", "banned"),
    "a struct made for a co_await": (
        "proxy/http/front.cc", "co_await f(Options{.name = name});\n", "trap"),
    "a co_await inside a struct": (
        "proxy/http/front.cc", "Options o{1,\n    co_await g()};\n", "trap"),
    "a lambda that captures by value": (
        "proxy/http/front.cc", "co_await f([s] { return s; });\n", "trap"),
    "a lambda coroutine": (
        "proxy/http/front.cc", "auto f = [&x]() -> Task<void> { co_return; };\n", "trap"),
    "a long file": ("common/word.cc", "int x;\n" * 401, "401 lines"),
    "a long function": ("common/word.cc", "void f() {\n" + "    g();\n" * 80 + "}\n", "a function"),
    "an unbuilt file": ("common/other.cc", "int x;\n", "builds"),
    "a dead link": ("docs/guide.md", "See [it](nowhere.md).\n", "nowhere"),
    "a document that is not there": ("common/word.cc", "// docs/none.md\n", "does not exist"),
    "a script in the code": ("common/tool.py", "print(1)\n", "scripts live"),
    "a header without its pragma": ("common/word.h", "int x;\n", "pragma"),
    "no line end": ("common/word.cc", "int x;", "line end"),
}

# Look like faults and are none.
INNOCENT = {
    "words in comments and strings": (
        "common/word.cc", '// never detached, no new words\nauto s = "std::cout << new int";\n'),
    "a named struct": ("proxy/http/front.cc", "Options o{1};\nco_await f(o);\n"),
    "captures by reference": ("proxy/http/front.cc", "co_await f([&s] { return s; });\n"),
    "a deleted function": ("common/word.cc", "struct A { A(const A&) = delete; };\n"),
    "an empty struct": ("proxy/http/front.cc", "co_await f(100, Fields{});\n"),
    "an index": ("proxy/http/front.cc", "co_await f(list[index], other);\n"),
}


class Tidy(unittest.TestCase):
    def lines(self, name=None, text=None):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, content in {**CLEAN, **({name: text} if name else {})}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(content)
            return tidy.check_tree(root)

    def test_a_clean_tree_has_no_fault(self):
        self.assertEqual(self.lines(), [])

    def test_each_fault_is_found(self):
        for name, (path, text, word) in FAULTS.items():
            with self.subTest(name):
                lines = self.lines(path, text)
                self.assertTrue(any(line.startswith(path) and word in line for line in lines), lines)

    def test_what_only_looks_like_one_is_not(self):
        for name, (path, text) in INNOCENT.items():
            with self.subTest(name):
                self.assertEqual(self.lines(path, text), [])


if __name__ == "__main__":
    unittest.main()
