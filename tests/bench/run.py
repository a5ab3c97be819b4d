#!/usr/bin/env python3
"""Compares Sworn with other proxies on this machine: run.py [--rounds 3] [--seconds 2] …

Everything runs on loopback. Peers take turns within each round, so that a ratio compares runs that
lie seconds apart; absolute numbers of a shared machine say little. Prints Markdown tables. Nothing
is asserted. docs/performance.md explains the columns.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support/py"))

import peers  # noqa: E402

SECONDS_MAX, ROUNDS_MAX, CONNECTIONS_MAX = 30, 20, 1024
FOREIGN_MAX = 0.15


def busy_seconds():
    """CPU time that the whole machine spent, and the time it could have spent."""
    ticks = [int(one) for one in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    hertz = os.sysconf("SC_CLK_TCK")
    return (sum(ticks) - ticks[3] - ticks[4]) / hertz, sum(ticks) / hertz


def child_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def in_microseconds(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 1, "ms": 1e3, "s": 1e6, "m": 6e7}[unit]


def percentile(text, rank):
    return in_microseconds(re.search(rf"^\s+{rank}%\s+(\S+)$", text, re.M).group(1))


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.servers, self.runs = {}, []
        self.upstream = peers.upstream(folder)

    def start(self):
        for name, begin in peers.proxies(self.options.peers).items():
            self.servers[name] = begin(self.folder, self.upstream)
        self.servers["sworn"] = peers.Sworn(self.folder, self.upstream, self.options.binary)
        self.idle_rss = self.servers["sworn"].rss_kib()
        for server in self.servers.values():
            got = fetch(server.port, self.url("authorized"))
            if not got.endswith(b"yes"):
                raise RuntimeError(f"{server.name} did not add the header: {got[-300:]!r}")

    def stop(self):
        for server in [*self.servers.values(), self.upstream]:
            server.stop()

    def url(self, path):
        return f"http://127.0.0.1:{self.upstream.port}/{path}"

    def run(self, name, path, connections, seconds):
        """One wrk run; None stands for no proxy at all."""
        server = self.servers.get(name)
        port = server.port if server else self.upstream.port
        before = self.snapshot(server)
        done = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "10s",
             "-s", str(HERE / "absolute.lua"), f"http://127.0.0.1:{port}/"],
            env={**os.environ, "TARGET": self.url(path)}, capture_output=True, text=True,
            timeout=seconds + 60, check=True)
        after = self.snapshot(server)
        return self.judged(done.stdout, {key: after[key] - before[key] for key in before}, server)

    def snapshot(self, server):
        busy, possible = busy_seconds()
        values = {"busy": busy, "possible": possible, "wrk": child_seconds(),
                  "upstream": self.upstream.cpu_seconds(),
                  "proxy": server.cpu_seconds() if server else 0.0}
        if isinstance(server, peers.Sworn):
            values.update({name: value for name, value in server.counters().items()
                           if re.fullmatch(r"sworn_journal_\w+_(sum|count)", name)})
        return values

    def judged(self, text, spent, server):
        requests = int(re.search(r"(\d+) requests in", text).group(1))
        errors = sum(int(one) for one in re.findall(r"Non-2xx or 3xx responses: (\d+)", text))
        failed = re.search(r"Socket errors: .*", text)
        errors += sum(map(int, re.findall(r"\d+", failed.group(0)))) if failed else 0
        ours = spent["wrk"] + spent["upstream"] + spent["proxy"]
        return {"rate": float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1)),
                "p50": percentile(text, 50),
                "p99": percentile(text, 99),
                "requests": requests, "errors": errors,
                "cpu": spent["proxy"] / max(requests, 1) * 1e6,
                "rss": server.rss_kib() / 1024 if server else 0.0,
                "foreign": max(spent["busy"] - ours, 0) / max(spent["possible"], 0.01),
                "journal": {key: value for key, value in spent.items() if key.startswith("sworn_")}}

    def measure(self):
        options = self.options
        for name in self.servers:
            self.run(name, "1k", 16, 1)
        for number in range(options.rounds):
            for path in options.bodies:
                for connections in options.connections:
                    for name in [None, *self.servers]:
                        run = self.run(name, path, connections, options.seconds)
                        run.update(round=number, peer=name or "direct", path=path, c=connections)
                        self.runs.append(run)
                        note(f"round {number + 1} {path} c={connections} {run['peer']}: "
                             f"{run['rate']:.0f}/s, foreign {run['foreign']:.2f}")

    # --- Tables ---

    def cell(self, peer, path, connections):
        return [run for run in self.runs
                if (run["peer"], run["path"], run["c"]) == (peer, path, connections)]

    def cells(self):
        for path in self.options.bodies:
            for connections in self.options.connections:
                yield path, connections

    def print_rates(self):
        print("| body | c | peer | req/s | p50 us | p99 us | proxy CPU us/req | RSS MiB | errors "
              "| other load |")
        print("|---|---|---|---|---|---|---|---|---|---|")
        for path, connections in self.cells():
            for peer in ["direct", *self.servers]:
                runs = self.cell(peer, path, connections)
                middle = {key: statistics.median(run[key] for run in runs)
                          for key in ("rate", "p50", "p99", "cpu", "rss", "foreign")}
                print(f"| {path} | {connections} | {peer} | {middle['rate']:.0f} | "
                      f"{middle['p50']:.0f} | {middle['p99']:.0f} | {middle['cpu']:.1f} | "
                      f"{middle['rss']:.0f} | {sum(run['errors'] for run in runs)} | "
                      f"{middle['foreign']:.2f} |")

    def print_ratios(self):
        others = [name for name in self.servers if name != "sworn"]
        print("\n| body | c | " + " | ".join(f"Sworn / {name}" for name in others) + " |")
        print("|---|---|" + "---|" * len(others))
        for path, connections in self.cells():
            row = []
            for other in others:
                pairs = zip(self.cell("sworn", path, connections),
                            self.cell(other, path, connections))
                ratios = sorted(ours["rate"] / theirs["rate"] for ours, theirs in pairs)
                row.append(f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
            print(f"| {path} | {connections} | " + " | ".join(row) + " |")

    def print_journal(self):
        print("\n| body | c | events per sync | syncs/s | mean commit us | req/s |")
        print("|---|---|---|---|---|---|")
        for path, connections in self.cells():
            rows = [journal_facts(run, self.options.seconds)
                    for run in self.cell("sworn", path, connections) if run["journal"]]
            middle = [statistics.median(column) for column in zip(*rows)] or [0] * 4
            print(f"| {path} | {connections} | " + f"{middle[0]:.1f} | "
                  + " | ".join(f"{one:.0f}" for one in middle[1:]) + " |")

    def print_memory(self):
        sworn = self.servers["sworn"]
        after = sworn.rss_kib()
        growth, took = streamed_growth(sworn, self.url("64m"))
        print("\n| fact | value |")
        print("|---|---|")
        print(f"| start to ready, empty journal | {sworn.start_seconds * 1e3:.0f} ms |")
        print(f"| RSS, idle after the start | {self.idle_rss / 1024:.1f} MiB |")
        print(f"| RSS after all runs | {after / 1024:.1f} MiB |")
        print(f"| RSS growth while 64 MiB stream to one caller ({took:.1f} s) | "
              f"{growth / 1024:.1f} MiB |")
        print(f"| write + fdatasync of 400 B in the data folder, median | "
              f"{sync_microseconds(sworn.folder):.0f} us |")

    def profile(self):
        """The hottest functions of the broker at c=64, by perf; nothing where perf is not there."""
        if not self.options.profile or not shutil.which("perf"):
            return
        data = self.folder / "perf.data"
        sampler = subprocess.Popen(
            ["perf", "record", "-q", "-F", "997", "-g", "-o", str(data),
             "-p", str(self.servers["sworn"].process.pid), "--", "sleep",
             str(self.options.seconds)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.run("sworn", "1k", 64, self.options.seconds + 1)
        sampler.wait(timeout=60)
        for title, how in (("by thread", ["--sort", "comm", "-g", "none"]),
                           ("by object", ["--sort", "dso", "-g", "none"]),
                           ("own time", ["--no-children", "--sort", "dso,symbol", "-g", "none"]),
                           ("with callees", ["--children", "--sort", "symbol", "-g", "none"])):
            done = subprocess.run(["perf", "report", "-i", str(data), "--stdio", *how],
                                  capture_output=True, text=True, timeout=300)
            lines = [one[:120].rstrip() for one in done.stdout.splitlines()
                     if one.strip() and one[0] != "#"]
            print(f"\n{title}:\n" + "\n".join(lines[:self.options.profile]))


def journal_facts(run, seconds):
    """(events per sync, syncs/s, mean commit us, req/s) of one run."""
    counted = run["journal"].get
    syncs = max(counted("sworn_journal_batch_events_count", 0), 1)
    spent = counted("sworn_journal_commit_duration_seconds_sum", 0)
    return (counted("sworn_journal_batch_events_sum", 0) / syncs, syncs / seconds,
            spent / max(counted("sworn_journal_commit_duration_seconds_count", 0), 1) * 1e6,
            run["rate"])


def note(text):
    print(text, file=sys.stderr, flush=True)


def request_bytes(url, close):
    host = url.split("/")[2]
    end = "Connection: close\r\n" if close else ""
    return f"GET {url} HTTP/1.1\r\nHost: {host}\r\n{end}\r\n".encode()


def fetch(port, url):
    with socket.create_connection(("127.0.0.1", port), timeout=10) as sock:
        sock.sendall(request_bytes(url, True))
        got = b""
        while more := sock.recv(65536):
            got += more
        return got


def streamed_growth(server, url):
    """(KiB that the peak lies above the start, seconds) of one whole download, a slow reader's."""
    base, peak, done = server.rss_kib(), [0], threading.Event()

    def watch():
        while not done.wait(0.005):
            peak[0] = max(peak[0], server.rss_kib())
    watcher = threading.Thread(target=watch)
    watcher.start()
    began, count = time.monotonic(), 0
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as sock:
        sock.sendall(request_bytes(url, True))
        while more := sock.recv(1 << 20):
            count += len(more)
            done.wait(max(0, began + count / (32 << 20) - time.monotonic()))
    took = time.monotonic() - began
    done.set()
    watcher.join()
    if count < 64 << 20:
        raise RuntimeError(f"the stream ended after {count} bytes")
    return max(peak[0] - base, 0), took


def sync_microseconds(folder):
    times = []
    with (folder / "sync").open("wb", buffering=0) as file:
        for _ in range(200):
            began = time.perf_counter()
            file.write(b"x" * 400)
            os.fdatasync(file.fileno())
            times.append((time.perf_counter() - began) * 1e6)
    return statistics.median(times)


def numbers(text):
    return [int(one) for one in text.split(",")]


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default=HERE.parents[1] / "build/release/sworn",
                        type=pathlib.Path)
    parser.add_argument("--peers", default="haproxy,nginx,squid", type=lambda text: text.split(","))
    parser.add_argument("--connections", default="1,64,256", type=numbers)
    parser.add_argument("--bodies", default="1k,64k", type=lambda text: text.split(","))
    parser.add_argument("--rounds", default=3, type=int)
    parser.add_argument("--seconds", default=2, type=int)
    parser.add_argument("--profile", default=0, type=int, metavar="LINES",
                        help="print the hottest functions of Sworn at c=64")
    parser.add_argument("--folder", help="where the journal stands; not a tmpfs")
    parser.add_argument("--json", type=pathlib.Path, help="write every run to this file")
    options = parser.parse_args()
    if not 1 <= options.seconds <= SECONDS_MAX or not 1 <= options.rounds <= ROUNDS_MAX:
        parser.error(f"at most {SECONDS_MAX} seconds and {ROUNDS_MAX} rounds")
    if not all(1 <= one <= CONNECTIONS_MAX for one in options.connections):
        parser.error(f"1 to {CONNECTIONS_MAX} connections")
    for tool in ("wrk", "nginx"):
        if not shutil.which(tool):
            parser.error(f"{tool} is not installed")
    if not os.access(options.binary, os.X_OK):
        parser.error(f"{options.binary} is not there: cmake --build --preset release")
    return options


def main():
    options = parsed()
    note(f"load average before: {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory(prefix="sworn-bench-", dir=options.folder) as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        bench = Bench(options, folder)
        try:
            bench.start()
            bench.measure()
            bench.print_rates()
            bench.print_ratios()
            bench.print_journal()
            bench.print_memory()
            bench.profile()
        finally:
            bench.stop()
        if options.json:
            options.json.write_text(json.dumps(bench.runs, indent=1))
    noisy = sum(run["foreign"] > FOREIGN_MAX for run in bench.runs)
    print(f"\n{len(bench.runs)} runs, {noisy} of them with more than {FOREIGN_MAX:.0%} of the "
          "machine used by others")


if __name__ == "__main__":
    main()
