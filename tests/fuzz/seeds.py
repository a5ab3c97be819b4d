#!/usr/bin/env python3
"""Seed corpora for the fuzz targets, from the test tables: seeds.py FOLDER

Writes FOLDER/TARGET_fuzz/seed-NNN. Nothing else in the folders is touched, so a corpus that grew
there stays.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests/vectors"
SEED_BYTES_MAX = 8192

# One life through every step: the order of the event types, as replay_fuzz.cc reads them.
LIVES = [
    [0, 2, 7, 9, 10, 11, 13, 14, 15, 18, 19],
    [0, 2, 7, 8, 8, 9, 10, 13, 15, 18, 20, 25],
    [0, 2, 7, 9, 10, 16, 21, 7, 9, 10, 13, 15, 18, 19],
    [0, 2, 3, 4, 7, 9, 10, 17, 24, 23, 21, 7, 9, 10],
    [0, 2, 7, 8, 1, 21, 7, 9, 10, 16, 22],
    [1],
]


def unescaped(text):
    """The escapes of tests/support/vectors.h."""
    def one(match):
        kind = match.group(0)[1]
        if kind == "x":
            return chr(int(match.group(1), 16))
        if kind == "*":
            return match.group(3) * int(match.group(2))
        return {"r": "\r", "n": "\n", "t": "\t", "0": "\0"}.get(kind, kind)
    pattern = r"\\(?:x([0-9a-fA-F]{2})|\*(\d+)\{(.)\}|.)"
    return re.sub(pattern, one, text, flags=re.S).encode("latin-1")


def stanzas(name):
    """The `bytes` of each stanza."""
    lines = (VECTORS / name).read_text(encoding="utf-8").splitlines()
    return [unescaped(line.removeprefix("bytes: ")) for line in lines
            if line.startswith("bytes: ")]


def column(name):
    """What stands in the first quotes of each row."""
    found = []
    for line in (VECTORS / name).read_text(encoding="utf-8").splitlines():
        match = None if line.startswith("#") else re.search(r'"((?:[^"\\]|\\.)*)"', line)
        if match:
            found.append(unescaped(match.group(1)))
    return found


def literals(path):
    """String literals of a test, neighbours joined: the texts that it parses."""
    text = (ROOT / path).read_text(encoding="utf-8")
    raw = [one.encode() for one in re.findall(r'R"(?:\w*)\((.*?)\)\w*"', text, re.S)]
    literal = r'"(?:[^"\\\n]|\\.)*"'
    joined = re.findall(rf'(?<![R\w]){literal}(?:\s*{literal})*', text)
    return raw + [b"".join(unescaped(part) for part in re.findall(r'"((?:[^"\\\n]|\\.)*)"', one))
                  for one in joined if one.isascii()]


def yaml_texts():
    """Each rule of the configuration once: the snippets of the tests below a head that fits."""
    support = literals("tests/proxy/config/config_support.h")
    heads = [one for one in support if b"data_dir" in one]
    routes_head = max(heads, key=len)
    texts = [(ROOT / "deploy/quickstart.yaml.in").read_bytes(), *heads]
    for test in sorted((ROOT / "tests/proxy/config").glob("*_test.cc")):
        for one in literals(test.relative_to(ROOT)):
            if one.startswith(b"  "):
                texts.append(routes_head + one)
            elif b": " in one and b"\n" in one:
                texts.append(one if b"data_dir" in one else heads[0] + one)
    return texts


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def event_bodies():
    """The inside of a frame of each type: version, type, seq, ordinal, time, generation, source."""
    head = varint(4711) + varint(7) + varint(2 * 1_790_000_000_123_456) + b"\x01\x01"
    return [bytes([1, kind]) + head + tags for kind in range(1, 27)
            for tags in (b"", b"\x01\x01\x01", b"\x01\x01\x02\x02\x03abc\x05\x01\x01")]


def lives():
    # Losses, scrambles, then a type and a distance in seq per event, and a tail of damage.
    return [bytes([1, 1]) + b"".join(bytes([kind, 0]) for kind in life) + bytes(range(1, 12))
            for life in LIVES]


def maskers():
    secret, prefix = b"abcabcabcabc", b"abcabcab"
    return [bytes([2, 6]) + secret + bytes([2]) + prefix + b"xxabcabcabcabcyyabcabcabzz",
            bytes([1, 6]) + secret + b"abcabcabcabcabcabcabcabc"]


def all_seeds():
    structured = literals("tests/common/structured_field_test.cc") + \
        literals("tests/common/proxy_status_test.cc")
    return {
        "request_head": stanzas("request_head.txt"),
        "response_head": stanzas("response_head.txt"),
        "body_decoder": stanzas("chunked.txt"),
        "target": column("target.txt"),
        "path": column("path.txt"),
        "retry_after": column("retry_after.txt"),
        "structured_field": structured,
        "config": yaml_texts(),
        "codec": event_bodies(),
        "replay": lives(),
        "masker": maskers(),
    }


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: seeds.py FOLDER")
    for name, seeds in all_seeds().items():
        folder = pathlib.Path(sys.argv[1]) / f"{name}_fuzz"
        folder.mkdir(parents=True, exist_ok=True)
        kept = sorted({seed for seed in seeds if len(seed) <= SEED_BYTES_MAX})
        if not kept:
            sys.exit(f"seeds.py: no seed for {name}")
        for number, seed in enumerate(kept):
            (folder / f"seed-{number:03}").write_bytes(seed)


if __name__ == "__main__":
    main()
