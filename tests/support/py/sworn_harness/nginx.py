"""A real server as upstream: nginx, clear and TLS, in a folder of its own."""

import os
import pathlib
import subprocess

from .broker import free_port
from .wait import eventually

CONFIG = """
{user}
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes 1;
events {{ worker_connections 256; }}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{clear};
        listen 127.0.0.1:{tls} ssl;
        ssl_certificate {cert};
        ssl_certificate_key {key};
        root {folder}/files;
        location /status/ {{
            rewrite ^/status/404 /missing break;
            return 200 "ok\\n";
        }}
        location = /refused {{ return 403 "refused\\n"; }}
        location = /broken {{ return 500 "broken\\n"; }}
        location = /authorization {{ return 200 "$http_authorization"; }}
    }}
}}
"""


class Nginx:
    """with Nginx(folder, pki.pair()) as web: … web.clear, web.tls are ports; web.files a folder."""

    def __init__(self, folder, pair):
        self.folder = pathlib.Path(folder)
        self.files = self.folder / "files"
        self.files.mkdir(parents=True)
        self.folder.chmod(0o755)
        self.clear, self.tls = free_port(), free_port()
        cert, key = pair
        config = self.folder / "nginx.conf"
        # A root master's workers would be www-data, who may not enter a private folder.
        user = "user root;" if os.geteuid() == 0 else ""
        config.write_text(CONFIG.format(user=user, folder=self.folder, clear=self.clear,
                                        tls=self.tls, cert=cert, key=key))
        self._process = subprocess.Popen(["nginx", "-c", str(config), "-p", str(self.folder)],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        eventually(lambda: (self.folder / "nginx.pid").exists() and
                   (self.folder / "nginx.pid").read_text().strip(), "nginx listens")
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(timeout=10)
