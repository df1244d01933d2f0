"""`gated-xtfc studio`: a socket, a guard, the page's address; then it serves until Ctrl+C."""

import os
import secrets
import socket
import sys
from argparse import Namespace
from dataclasses import replace

from gated_xtfc.apps.studio.guard import Guard, loopback
from gated_xtfc.apps.studio.limits import LIMITS
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.extras import install

FIRST, TRIED = 8760, 40  # ports


def run(arguments: Namespace) -> int:
    try:
        from gated_xtfc.apps.studio.server import serve
    except ImportError as error:
        missing = f"the studio needs {error.name or 'more packages'}"
        raise InputError(f"{missing}: get them with {install('studio')}") from None
    seconds = arguments.seconds if arguments.seconds is not None else LIMITS.seconds
    if not 0.1 <= seconds <= 3600:
        raise InputError(f"--seconds is {seconds:g}: give a number between 0.1 and 3600")
    workers = arguments.workers if arguments.workers is not None else min(max(os.cpu_count() or 2, 2), 4)
    if not 1 <= workers <= 64:
        raise InputError(f"--workers is {workers}: give a whole number between 1 and 64")
    guard = Guard(arguments.host, None if loopback(arguments.host) else secrets.token_urlsafe(24))
    with listening(arguments.host, arguments.port) as place:
        address = address_of(arguments.host, place.getsockname()[1], guard.token)
        print(f"the studio is at {address}   (Ctrl+C ends it)", flush=True)  # noqa: T201
        if not arguments.no_browser:
            show(address)
        try:
            serve(place, guard, workers, replace(LIMITS, seconds=seconds))
        except KeyboardInterrupt:  # the way to end it
            sys.stderr.write("\n")
    return 0


def listening(host: str, port: int | None) -> socket.socket:
    """A socket on this port; without one, on the first that is free."""
    if port is not None and not 0 <= port <= 65535:
        raise InputError(f"--port is {port}: give a number between 0 and 65535")
    for candidate in (port,) if port is not None else range(FIRST, FIRST + TRIED):
        try:
            family, _, _, _, place = socket.getaddrinfo(host, candidate, type=socket.SOCK_STREAM)[0]
        except (OSError, UnicodeError):
            raise InputError(
                f"--host {quoted(host)} is no address of this machine: leave it out, or try 0.0.0.0"
            ) from None
        one = socket.socket(family)
        # a studio that was just ended leaves its port busy for a while otherwise
        if os.name == "posix":
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind(place)
            one.listen(128)
            return one
        except OSError as error:
            one.close()
            reason = error.strerror or str(error)
    asked = f"port {port}" if port is not None else f"any port from {FIRST} to {FIRST + TRIED - 1}"
    raise InputError(f"cannot listen on {host}, {asked}: {reason}; give another one with --port")


def address_of(host: str, port: int, token: str | None) -> str:
    shown = socket.gethostname() if host in ("0.0.0.0", "::") else host
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")


def show(address: str) -> None:
    import webbrowser  # slow to import

    webbrowser.open(address)
