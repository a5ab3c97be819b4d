"""Callers: a raw one that sees framing and cuts, and curl."""

import dataclasses
import json
import re
import socket
import struct
import subprocess


@dataclasses.dataclass
class Answer:
    status: int = 0
    reason: str = ""
    headers: list = dataclasses.field(default_factory=list)
    body: bytes = b""
    complete: bool = False  # The end that the framing promised was seen.

    def header(self, name):
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return ", ".join(values) if values else None

    @property
    def id(self):
        return self.header("Sworn-Invocation")

    def json(self):
        return json.loads(self.body)

    def outcome(self):
        """Sworn-Outcome as {outcome, phase, retry, code, id}; None without one."""
        text = self.header("Sworn-Outcome")
        if text is None:
            return None
        first, *parts = [part.strip() for part in text.split(";")]
        members = dict(part.split("=", 1) for part in parts)
        members = {key: value.strip('"') for key, value in members.items()}
        return {"outcome": first, "code": None, **members}


class Caller:
    """One connection to the broker's proxy listener (or what sits behind it)."""

    def __init__(self, address, timeout=30):
        self.sock = socket.create_connection(address, timeout=timeout)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, data):
        self.sock.sendall(data)

    def request(self, method, url, body=None, headers=(), version="HTTP/1.1"):
        """Absolute-form; Host from the url."""
        host = re.match(r"[a-z]+://([^/?]+)", url)
        lines = [f"{method} {url} {version}"]
        if host and not any(name.lower() == "host" for name, _ in headers):
            lines.append(f"Host: {host.group(1)}")
        lines += [f"{name}: {value}" for name, value in headers]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + (body or b""))

    def _more(self):
        try:
            data = self.sock.recv(65536)
        except ConnectionResetError:
            data = b""
        self._buffer += data
        return bool(data)

    def answer(self, head=False):
        """The next final response; 1xx are passed over."""
        while True:
            one = self._one(head)
            if not (100 <= one.status < 200) or not one.complete:
                return one

    def _one(self, head):
        result = Answer()
        while b"\r\n\r\n" not in self._buffer:
            if not self._more():
                return result
        section, self._buffer = self._buffer.split(b"\r\n\r\n", 1)
        first, *lines = section.decode("latin-1").split("\r\n")
        _, status, result.reason = (first.split(" ", 2) + ["", ""])[:3]
        result.status = int(status)
        for line in lines:
            name, _, value = line.partition(":")
            result.headers.append((name, value.strip()))
        self._read_body(result, head)
        return result

    def _read_body(self, result, head):
        length = result.header("Content-Length")
        if head or result.status < 200 or result.status in (204, 304):
            result.complete = True
        elif (result.header("Transfer-Encoding") or "").lower() == "chunked":
            self._read_chunks(result)
        elif length is not None:
            while len(self._buffer) < int(length) and self._more():
                pass
            result.body, self._buffer = self._buffer[:int(length)], self._buffer[int(length):]
            result.complete = len(result.body) == int(length)
        else:
            while self._more():
                pass
            result.body, self._buffer, result.complete = self._buffer, b"", True

    def _line(self):
        while b"\r\n" not in self._buffer:
            if not self._more():
                return None
        line, self._buffer = self._buffer.split(b"\r\n", 1)
        return line

    def _read_chunks(self, result):
        while True:
            line = self._line()
            if line is None:
                return
            size = int(line.split(b";")[0], 16)
            if size == 0:
                while line:
                    line = self._line()
                result.complete = line is not None
                return
            while len(self._buffer) < size + 2:
                if not self._more():
                    result.body += self._buffer[:size]
                    self._buffer = b""
                    return
            result.body += self._buffer[:size]
            self._buffer = self._buffer[size + 2:]

    def ended(self):
        """True once the broker closed, with nothing more to read."""
        return not self._buffer and not self._more() and not self._buffer

    def half_close(self):
        self.sock.shutdown(socket.SHUT_WR)

    def reset(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def close(self):
        self.sock.close()


def send(broker, method, url, body=None, headers=(), **more):
    """One request on its own connection."""
    with Caller(broker.proxy) as caller:
        caller.request(method, url, body, headers, **more)
        return caller.answer(head=method == "HEAD")


def curl(broker, method, url, body=None, headers=(), timeout=30):
    """The same through curl. `complete` is false where curl reports a broken transfer."""
    command = ["curl", "-sS", "-i", "--max-time", str(timeout),
               "-x", f"http://127.0.0.1:{broker.proxy[1]}", "-H", "Expect:"]
    command += ["-I"] if method == "HEAD" else ["-X", method]
    for name, value in headers:
        command += ["-H", f"{name}: {value}"]
    if body is not None:
        command += ["--data-binary", "@-", "-H", "Content-Type: application/octet-stream"]
    done = subprocess.run([*command, url], input=body, capture_output=True, timeout=timeout + 10)
    result = Answer(complete=done.returncode == 0)
    head, _, result.body = done.stdout.partition(b"\r\n\r\n")
    if head:
        first, *lines = head.decode("latin-1").split("\r\n")
        result.status = int(first.split(" ")[1])
        result.headers = [(name, value.strip())
                          for name, _, value in (line.partition(":") for line in lines)]
    return result
