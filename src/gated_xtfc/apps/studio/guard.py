"""Who may talk to the studio: known Host names only, no foreign Origin, and beyond this machine a token.

Pages of strangers cannot reach it: their Origin differs, and a name of theirs that points here is not a known Host.
"""

import hmac
import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

COOKIE = "gated_xtfc_studio"
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Guard:
    host: str  # where the studio listens
    token: str | None = None

    def objection(self, headers: Mapping[str, str], socket_wanted: bool = False) -> str | None:
        """Why a request is refused, None where it is not; `socket_wanted`: by a page, which then says its Origin."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self.knows(name_of(host)):
            return f"the name {name_of(host)!r} is not one under which the studio listens"
        if origin is None and socket_wanted:
            return "a connection must say its Origin"
        if origin is not None and place_of(origin) != host:
            return "the studio answers its own page only"
        if self.token is not None and not self.proven(headers):
            return "a token is needed: open the address that gated-xtfc studio printed"
        return None

    def knows(self, name: str) -> bool:
        if loopback(self.host):
            return name == "localhost" or loopback(name)
        if name in (self.host, socket.gethostname(), socket.getfqdn(), "localhost"):
            return True
        # a number cannot be made to point elsewhere, which a name can
        return self.host in ("0.0.0.0", "::") and is_address(name)

    def proven(self, headers: Mapping[str, str]) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:  # one that no browser sends
            return False
        return found is not None and self.is_token(found.value)

    def is_token(self, given: str) -> bool:
        return self.token is not None and hmac.compare_digest(given.encode(), self.token.encode())


def name_of(host: str) -> str:
    """The Host header without its port: ports may be forwarded, names may not."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def place_of(origin: str) -> str | None:
    """Host and port of an Origin; None where it is no address, which is nobody's."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def loopback(name: str) -> bool:
    return name == "localhost" or (is_address(name) and ipaddress.ip_address(name).is_loopback)


def is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
