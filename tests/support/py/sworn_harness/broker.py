"""A broker process with a configuration of its own, driven through its public doors only."""

import contextlib
import http.client
import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess

from .wait import eventually


def free_port():
    """Nobody listens there now. Another process may take it first; a start then fails loudly."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout=20):
        super().__init__("localhost", timeout=timeout)
        self._path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def merged(base, extra):
    """Mappings are laid over each other; everything else is replaced. None removes."""
    result = dict(base)
    for key, value in extra.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result


class Broker:
    """with Broker(binary, folder, pki, upstream.port) as broker: …

    One route "api" for api.example.test that injects a canary as a bearer token; `route` and
    `config` are laid over it, `routes` stand before it. The secret is broker.canary.
    """

    def __init__(self, binary, folder, pki, port, scheme="https", route=None, routes=(),
                 config=None, env=None, wrapper=()):
        self.binary = str(binary)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.pki = pki
        self.canary = "canary-" + secrets.token_hex(12)
        self.env = {"SWORN_E2E_KEY": self.canary, **(env or {})}
        self.wrapper = list(wrapper)
        self.proxy = ("127.0.0.1", free_port())
        self.metrics_port = free_port()
        self.control = self.folder / "control.sock"
        self.log_file = self.folder / "broker.log"
        self.config_file = self.folder / "sworn.yaml"
        self.process = None
        api = {"id": "api", "match": {"host": "api.example.test"},
               "upstream": {"scheme": scheme, "port": port}, "credential": "key"}
        self.config = merged({
            "data_dir": str(self.folder / "data"),
            "listen": {"proxy": [f"127.0.0.1:{self.proxy[1]}"],
                       "control": [f"unix:{self.control}"],
                       "metrics": f"127.0.0.1:{self.metrics_port}"},
            "network": {"allow_private": ["127.0.0.0/8"], "trusted_ca": str(pki.ca[0]),
                        "resolve": {"api.example.test": "127.0.0.1"}},
            "credentials": [{"id": "key", "version": "1", "source": {"env": "SWORN_E2E_KEY"},
                             "inject": {"header": "Authorization", "format": "Bearer {secret}"}}],
            "routes": [*routes, merged(api, route or {})],
        }, config or {})

    # --- Life ---

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        else:
            self.kill()
            print(self.log()[-4000:])

    def write_config(self):
        # JSON is YAML.
        self.config_file.write_text(json.dumps(self.config, indent=1))

    def start(self, ready=True):
        self.write_config()
        log = self.log_file.open("ab")
        self.process = subprocess.Popen(
            [*self.wrapper, self.binary, "serve", "--config", str(self.config_file)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **self.env})
        log.close()
        if ready:
            try:
                eventually(self._ready_or_dead, "the broker is ready")
            except AssertionError:
                self.kill()
                raise AssertionError("the broker is not ready:\n" + self.log()[-4000:]) from None
        return self

    def _ready_or_dead(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the broker ended with {self.process.returncode}")
        return self.probe("/readyz") == 200

    @property
    def pid(self):
        """Of the broker itself, below a wrapper too."""
        if not self.wrapper:
            return self.process.pid
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return int(children.read_text().split()[0])

    def signal(self, number):
        os.kill(self.pid, number)

    def stop(self, timeout=40):
        """SIGTERM; a drain that ends well is part of every test."""
        if self.process is None or self.process.poll() is not None:
            return
        self.signal(signal.SIGTERM)
        status = self.process.wait(timeout=timeout)
        if status != 0:
            raise AssertionError(f"the broker ended with {status}:\n{self.log()[-4000:]}")

    def kill(self):
        if self.process is None or self.process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError, FileNotFoundError, IndexError):
            self.signal(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=10)

    def log(self):
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    # --- Doors ---

    def probe(self, path):
        """Status of a GET on the metrics listener; 0 while nothing listens."""
        connection = http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=5)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()

    def metrics(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=10)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return text

    def call(self, method, path, body=None):
        """(status, headers, bytes) of the control API over its socket."""
        connection = UnixConnection(self.control)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, answer.headers, data

    def record(self, invocation):
        status, _, body = self.call("GET", f"/v1/invocations/{invocation}")
        if status != 200:
            raise AssertionError(f"no record of {invocation}: {status} {body[:500]!r}")
        return json.loads(body)

    def records(self, query="limit=500"):
        """Newest first, over all pages."""
        items, cursor = [], ""
        while True:
            status, _, body = self.call("GET", f"/v1/invocations?{query}{cursor}")
            if status != 200:
                raise AssertionError(f"no list: {status} {body[:500]!r}")
            page = json.loads(body)
            items += page["items"]
            if not page.get("next_cursor"):
                return items
            cursor = f"&cursor={page['next_cursor']}"

    def by_token(self, token):
        return self.records(f"token={token}")

    def state(self, invocation):
        """(phase, outcome, retry, code, running)"""
        state = self.record(invocation)["state"]
        return tuple(state[key] for key in ("phase", "outcome", "retry", "code", "running"))

    def settled(self, invocation):
        """The record once nothing of it runs any more."""
        def look():
            record = self.record(invocation)
            return None if record["state"]["running"] else record
        return eventually(look, f"{invocation} ends")

    def events(self, invocation):
        return [event["type"] for event in self.record(invocation)["events"]]

    def result(self, invocation):
        return self.call("GET", f"/v1/invocations/{invocation}/result")

    def cli(self, *args, check=None, timeout=60):
        """A CLI command against this broker, or its directory where it does not run."""
        done = subprocess.run([self.binary, *map(str, args)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=timeout,
                              env={**os.environ, **self.env, "SWORN_CONFIG": str(self.config_file)})
        if check is not None and done.returncode != check:
            raise AssertionError(f"sworn {' '.join(map(str, args))} ended with {done.returncode}, "
                                 f"not {check}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done

    # --- What holds in every test ---

    def leaks(self, *needles):
        """Places where one of the texts stands: log, records, metrics, files of the journal."""
        places = []
        texts = {"log": self.log()}
        if self.process is not None and self.process.poll() is None:
            texts["metrics"] = self.metrics()
            texts["records"] = json.dumps([self.record(one["invocation_id"])
                                           for one in self.records()])
        for name, text in texts.items():
            places += [f"{name}: {needle}" for needle in needles if needle in text]
        for file in (self.folder / "data").rglob("*"):
            if file.is_file():
                data = file.read_bytes()
                places += [f"{file.name}: {one}" for one in needles if one.encode() in data]
        return places
