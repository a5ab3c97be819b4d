"""Throw-away certificates from the openssl command: good ones and each kind of bad one."""

import pathlib
import subprocess


def openssl(*args):
    subprocess.run(["openssl", *map(str, args)], check=True, capture_output=True, timeout=60)


class Pki:
    """folder/ca.pem is what brokers trust. pair("name") gives (certificate, key) of a leaf."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.ca = self._authority("ca")
        self.stranger = self._authority("stranger")

    def _authority(self, name):
        key, cert = self.folder / f"{name}.key", self.folder / f"{name}.pem"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", key, "-out", cert, "-days", 30, "-subj", f"/CN=Sworn test {name}",
                "-addext", "basicConstraints=critical,CA:TRUE",
                "-addext", "keyUsage=critical,keyCertSign,cRLSign")
        key.chmod(0o600)
        return cert, key

    def pair(self, kind="good", host="api.example.test"):
        """Kinds: good, expired, not_yet_valid, wrong_host, untrusted."""
        stem = self.folder / f"{kind}-{host.replace('*', 'any')}"
        cert, key = stem.with_suffix(".pem"), stem.with_suffix(".key")
        if cert.exists():
            return cert, key
        name = "other.example.test" if kind == "wrong_host" else host
        ca_cert, ca_key = self.stranger if kind == "untrusted" else self.ca
        request, extensions = stem.with_suffix(".csr"), stem.with_suffix(".ext")
        openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        extensions.write_text(f"subjectAltName=DNS:{name}\nbasicConstraints=CA:FALSE\n"
                              "extendedKeyUsage=serverAuth\n")
        if kind in ("expired", "not_yet_valid"):
            self._sign_dated(request, extensions, cert, kind)
        else:
            openssl("x509", "-req", "-in", request, "-CA", ca_cert, "-CAkey", ca_key,
                    "-CAcreateserial", "-days", 10, "-extfile", extensions, "-out", cert)
        return cert, key

    def _sign_dated(self, request, extensions, cert, kind):
        # Only "openssl ca" takes both dates; it wants a small database.
        ca_cert, ca_key = self.ca
        base = self.folder / f"dated-{kind}"
        base.mkdir(exist_ok=True)
        (base / "index.txt").write_text("")
        (base / "serial").write_text("1000\n")
        config = base / "ca.cnf"
        config.write_text(
            "[ca]\ndefault_ca=d\n[d]\n"
            f"database={base}/index.txt\nserial={base}/serial\nnew_certs_dir={base}\n"
            "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
        start, end = (("20200101000000Z", "20200201000000Z") if kind == "expired"
                      else ("20460101000000Z", "20490101000000Z"))
        openssl("ca", "-batch", "-notext", "-config", config, "-cert", ca_cert, "-keyfile", ca_key,
                "-in", request, "-out", cert, "-startdate", start, "-enddate", end,
                "-extfile", extensions)
