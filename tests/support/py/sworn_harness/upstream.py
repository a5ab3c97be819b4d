"""Scripted upstreams on loopback, clear or TLS. They count requests and keep every byte."""

import contextlib
import socket
import ssl
import struct
import threading


class PeerClosed(Exception):
    """The broker ended the connection while the script wanted more."""


class Connection:
    """What a script is handed: one accepted connection, 1-based `number`."""

    def __init__(self, upstream, sock, number):
        self._upstream = upstream
        self.sock = sock
        self.number = number
        self.received = b""  # Everything, in order.
        self._unread = b""

    def _more(self):
        try:
            data = self.sock.recv(65536)
        except OSError as error:
            raise PeerClosed(str(error)) from error
        if not data:
            raise PeerClosed("end of stream")
        self.received += data
        self._unread += data
        self._upstream.note_bytes(data)

    def read_head(self):
        while b"\r\n\r\n" not in self._unread:
            self._more()
        head, self._unread = self._unread.split(b"\r\n\r\n", 1)
        return head.decode("latin-1")

    def read_request(self):
        """(head, body); counts the request."""
        head = self.read_head()
        body = b""
        for line in head.split("\r\n")[1:]:
            name, _, value = line.partition(":")
            if name.lower() == "content-length":
                body = self._exactly(int(value))
            elif name.lower() == "transfer-encoding":
                body = self._chunked()
        self._upstream.note_request(head, body)
        return head, body

    def _exactly(self, count):
        while len(self._unread) < count:
            self._more()
        data, self._unread = self._unread[:count], self._unread[count:]
        return data

    def _line(self):
        while b"\r\n" not in self._unread:
            self._more()
        line, self._unread = self._unread.split(b"\r\n", 1)
        return line

    def _chunked(self):
        body = b""
        while True:
            size = int(self._line(), 16)
            if size == 0:
                while self._line():
                    pass
                return body
            body += self._exactly(size)
            self._line()

    def send(self, data):
        try:
            self.sock.sendall(data)
        except OSError as error:
            raise PeerClosed(str(error)) from error

    def reset(self):
        """RST in place of FIN."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._close_raw()

    def close(self):
        """FIN, after close_notify on TLS."""
        if isinstance(self.sock, ssl.SSLSocket):
            with contextlib.suppress(OSError, ValueError):
                self.sock.settimeout(0.2)
                self.sock.unwrap()
        self._close_raw()

    def cut(self):
        """A bare FIN: on TLS without close_notify."""
        self._close_raw()

    def _close_raw(self):
        with contextlib.suppress(OSError):
            self.sock.close()

    def wait_for_end(self):
        with contextlib.suppress(PeerClosed):
            while True:
                self._more()


def response(status=200, body=b"", reason="X", headers=(), length=True):
    """The bytes of one response."""
    lines = [f"HTTP/1.1 {status} {reason}"]
    lines += [f"{name}: {value}" for name, value in headers]
    if length and status not in (204, 304):
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def keep_answering(answer):
    """A script that gives answer(head, body) to every request of a connection."""
    def script(connection):
        while True:
            head, body = connection.read_request()
            connection.send(answer(head, body))
    return script


class Upstream:
    """with Upstream(script, tls=(cert, key)) as up: … up.port, up.requests, up.bytes()"""

    def __init__(self, script=None, answer=None, tls=None):
        self.script = script or keep_answering(answer or (lambda head, body: response(200, b"ok")))
        self._tls = None
        if tls:
            self.use_certificate(tls)
        self._lock = threading.Lock()
        self.requests = []  # (head, body)
        self.connections = []
        self.errors = []  # Of scripts; a broken handshake is no error.
        self._bytes = b""
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self._listener.getsockname()[1]
        self._stopping = False
        threading.Thread(target=self._accept, daemon=True).start()

    def use_certificate(self, pair):
        """From the next connection on."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*map(str, pair))
        self._tls = context

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self._stopping = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            open_now = list(self.connections)
        for connection in open_now:
            with contextlib.suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)

    def note_request(self, head, body):
        with self._lock:
            self.requests.append((head, body))

    def note_bytes(self, data):
        with self._lock:
            self._bytes += data

    def count(self, needle):
        """Requests whose head or body holds the text."""
        with self._lock:
            return sum(needle in head or needle.encode() in body for head, body in self.requests)

    def bytes(self):
        """All application bytes that ever came."""
        with self._lock:
            return self._bytes

    def _accept(self):
        number = 0
        while not self._stopping:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            number += 1
            threading.Thread(target=self._serve, args=(sock, number), daemon=True).start()

    def _serve(self, sock, number):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._tls:
            try:
                sock = self._tls.wrap_socket(sock, server_side=True, suppress_ragged_eofs=True)
            except (OSError, ssl.SSLError):
                sock.close()
                return
        connection = Connection(self, sock, number)
        with self._lock:
            self.connections.append(connection)
        try:
            self.script(connection)
        except PeerClosed:
            pass
        except Exception as error:  # A test asks for it; a thread's trace would be lost.
            with self._lock:
                self.errors.append(error)
        connection.cut()
