#!/usr/bin/env python3
"""The API that the quickstart talks to: HTTPS on loopback, asks for a bearer token.

  GET  /v1/hello           200; a fingerprint of the credential that came, never the credential
  POST /v1/payments        201
  POST /v1/payments?cut=1  applies the payment, then closes without an answer
"""

import argparse
import hashlib
import http.server
import json
import os
import ssl
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    payments = 0

    def do_GET(self):
        if self.path != "/v1/hello":
            self.answer(404, {"error": "no such thing"})
        elif self.authorized():
            value = self.headers["Authorization"].removeprefix("Bearer ")
            self.answer(200, {"authorized": True, "credential_fingerprint":
                              hashlib.sha256(value.encode()).hexdigest()[:12]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?")
        if path != "/v1/payments":
            self.answer(404, {"error": "no such thing"})
            return
        if not self.authorized():
            return
        Handler.payments += 1
        if query == "cut=1":
            self.log_message("applied payment %d, closing without an answer", Handler.payments)
            self.close_connection = True
            return
        self.answer(201, {"payment": Handler.payments, "bytes": len(body)})

    def authorized(self):
        if self.headers.get("Authorization", "").startswith("Bearer "):
            return True
        self.answer(401, {"error": "a bearer token is needed"})
        return False

    def answer(self, status, value):
        body = (json.dumps(value) + "\n").encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    """The handshake runs on the connection's own thread, so that one peer cannot hold the rest."""

    daemon_threads = True

    def __init__(self, port, context):
        super().__init__(("127.0.0.1", port), Handler)
        self.context = context

    def finish_request(self, request, client_address):
        request.settimeout(30)
        try:
            request = self.context.wrap_socket(request, server_side=True)
        except (OSError, ssl.SSLError):
            return
        super().finish_request(request, client_address)
        try:
            request.unwrap()
        except (OSError, ValueError):
            pass
        request.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cert", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file", help="the port is written here once it listens")
    options = parser.parse_args()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.cert, options.key)
    with Server(options.port, context) as server:
        port = server.server_address[1]
        if options.port_file:
            with open(options.port_file + ".new", "w", encoding="ascii") as file:
                file.write(f"{port}\n")
            os.replace(options.port_file + ".new", options.port_file)
        print(f"listening on 127.0.0.1:{port}", file=sys.stderr, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
