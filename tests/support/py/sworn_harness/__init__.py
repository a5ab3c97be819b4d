"""What the end-to-end tests are made of: a broker, upstreams that keep every byte, raw callers."""

from .broker import Broker, free_port
from .caller import Answer, Caller, curl, send
from .nginx import Nginx
from .pki import Pki
from .suite import Suite, main
from .upstream import Connection, Upstream, response
from .wait import eventually

__all__ = [
    "Answer", "Broker", "Caller", "Connection", "Nginx", "Pki", "Suite", "Upstream", "curl",
    "eventually", "free_port", "main", "response", "send",
]
