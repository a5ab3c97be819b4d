"""The servers of a benchmark, each a process of its own on a free loopback port: an nginx upstream,
well-known proxies that add the same header, and Sworn. None of them writes an access log."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.request

from sworn_harness.broker import free_port
from sworn_harness.wait import eventually

SECRET = "benchmark-secret-0001"
USER = "user root;" if os.geteuid() == 0 else ""

NGINX = """
{user}
worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log crit;
worker_rlimit_nofile 16384;
events {{ worker_connections 8192; }}
http {{
    access_log off; tcp_nodelay on; sendfile on; open_file_cache max=16;
    keepalive_timeout 3600s; keepalive_requests 1000000000;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {server}
}}
"""
UPSTREAM = """
    default_type application/octet-stream;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        root {folder}/files;
        location = /authorized {{
            if ($http_authorization = "Bearer {secret}") {{ return 200 "yes"; }}
            return 403 "no";
        }}
    }}
"""
# A reverse proxy: with a target from a variable nginx keeps no upstream connection.
REVERSE = """
    upstream up {{ server 127.0.0.1:{upstream}; keepalive 512; keepalive_requests 1000000000; }}
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location / {{
            proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_set_header Authorization "Bearer {secret}";
            proxy_buffer_size 16k; proxy_buffers 8 64k; proxy_max_temp_file_size 0;
        }}
    }}
"""
HAPROXY = """
global
    nbthread 1
    maxconn 8192
defaults
    mode http
    timeout connect 5s
    timeout client 1h
    timeout server 1h
    timeout http-keep-alive 1h
frontend front
    bind 127.0.0.1:{port} backlog 4096
    http-request set-dst url_ip
    http-request set-dst-port url_port
    http-request set-uri %[pathq]
    http-request set-header Authorization "Bearer {secret}"
    default_backend back
backend back
    http-reuse always
    server any 0.0.0.0:0
"""
SQUID = """
http_port 127.0.0.1:{port}
acl everybody src all
http_access allow everybody
request_header_access Authorization deny everybody
request_header_add Authorization "Bearer {secret}" everybody
cache deny everybody
cache_mem 8 MB
access_log none
cache_log {folder}/cache.log
cache_store_log none
pid_filename {folder}/squid.pid
coredump_dir {folder}
max_filedescriptors 16384
client_idle_pconn_timeout 1 hour
server_idle_pconn_timeout 1 hour
workers 1
shutdown_lifetime 1 second
visible_hostname bench
"""


class Server:
    """One process with its children: their CPU time and memory, until stop()."""

    def __init__(self, name, port, command, folder, env=None):
        self.name, self.port, self.folder = name, port, folder
        log = (folder / "stderr.log").open("ab")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                        env={**os.environ, **(env or {})})
        log.close()

    def listening(self):
        if self.process.poll() is not None:
            text = (self.folder / "stderr.log").read_text(errors="replace")[-2000:]
            raise RuntimeError(f"{self.name} ended with {self.process.returncode}:\n{text}")
        with socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(timeout=10)

    def pids(self):
        found, at = [self.process.pid], 0
        while at < len(found):
            path = pathlib.Path(f"/proc/{found[at]}/task/{found[at]}/children")
            found += [int(pid) for pid in path.read_text().split()] if path.exists() else []
            at += 1
        return found

    def cpu_seconds(self):
        """Scheduled time of all threads that live."""
        total = 0
        for pid in self.pids():
            for task in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"):
                total += int(task.read_text().split()[0])
        return total / 1e9

    def rss_kib(self):
        total = 0
        for pid in self.pids():
            for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    total += int(line.split()[1])
        return total


def fresh(folder, name):
    place = folder / name
    place.mkdir(parents=True)
    place.chmod(0o755)
    return place


def start(name, port, command, place, env=None):
    server = Server(name, port, command, place, env)
    try:
        eventually(server.listening, f"{name} listens")
    except BaseException:
        server.stop()
        raise
    return server


def nginx(name, folder, server, **values):
    place, port = fresh(folder, name), free_port()
    text = server.format(folder=place, port=port, secret=SECRET, **values)
    config = place / "nginx.conf"
    config.write_text(NGINX.format(user=USER, folder=place, server=text))
    return start(name, port, ["nginx", "-c", str(config), "-p", str(place)], place)


def upstream(folder):
    server = nginx("upstream", folder, UPSTREAM)
    files = fresh(server.folder, "files")
    for name, size in (("1k", 1 << 10), ("64k", 64 << 10), ("64m", 64 << 20)):
        (files / name).write_bytes(b"x" * size)
    return server


def reverse(folder, up):
    return nginx("nginx", folder, REVERSE, upstream=up.port)


def haproxy(folder, _):
    place, port = fresh(folder, "haproxy"), free_port()
    config = place / "haproxy.cfg"
    config.write_text(HAPROXY.format(port=port, secret=SECRET))
    return start("haproxy", port, ["haproxy", "-f", str(config), "-db"], place)


def squid(folder, _):
    place, port = fresh(folder, "squid"), free_port()
    place.chmod(0o777)
    config = place / "squid.conf"
    config.write_text(SQUID.format(port=port, secret=SECRET, folder=place))
    return start("squid", port, ["squid", "-N", "-f", str(config)], place)


class Sworn(Server):
    """The broker, as configured by default but for its log level."""

    def __init__(self, folder, up, binary):
        place = fresh(folder, "sworn")
        self.metrics_port = free_port()
        port = free_port()
        config = place / "sworn.yaml"
        # JSON is YAML.
        config.write_text(json.dumps({
            "data_dir": str(place / "data"),
            "listen": {"proxy": [f"127.0.0.1:{port}"],
                       "metrics": f"127.0.0.1:{self.metrics_port}"},
            "network": {"allow_private": ["127.0.0.0/8"]},
            "credentials": [{"id": "key", "source": {"env": "SWORN_BENCH_KEY"},
                             "inject": {"header": "Authorization", "format": "Bearer {secret}"}}],
            "routes": [{"id": "bench", "match": {"host": "127.0.0.1", "port": up.port},
                        "upstream": {"scheme": "http", "port": up.port}, "credential": "key"}],
        }))
        began = time.monotonic()
        super().__init__("sworn", port, [str(binary), "serve", "--config", str(config),
                                         "--log-level", "warn"], place, {"SWORN_BENCH_KEY": SECRET})
        try:
            eventually(self.ready, "sworn is ready")
        except BaseException:
            self.stop()
            raise
        self.start_seconds = time.monotonic() - began

    def ready(self):
        if self.process.poll() is not None:
            return self.listening()
        return urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/readyz").status == 200

    def counters(self):
        """Every sample without labels, by name."""
        text = urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics").read()
        pairs = (line.split() for line in text.decode().splitlines() if line[:1] not in "#")
        return {pair[0]: float(pair[1]) for pair in pairs if len(pair) == 2 and "{" not in pair[0]}


PROXIES = {"haproxy": haproxy, "nginx": reverse, "squid": squid}


def proxies(names):
    """The peers of `names` that are installed, as {name: start(folder, upstream)}."""
    return {name: PROXIES[name] for name in names if name in PROXIES and shutil.which(name)}
