"""The studio's server as it is started: who gets in, what is answered, what happens to what takes too long or dies."""

import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the studio is not installed: pip install 'gated-xtfc[studio]'")
pytest.importorskip("uvicorn", reason="the studio is not installed: pip install 'gated-xtfc[studio]'")
websockets = pytest.importorskip("websockets", reason="the studio is not installed: pip install 'gated-xtfc[studio]'")

from websockets.exceptions import ConnectionClosed  # noqa: E402
from websockets.sync.client import ClientConnection  # noqa: E402

from gated_xtfc.apps import studio_command  # noqa: E402
from gated_xtfc.apps.arguments import parse  # noqa: E402
from gated_xtfc.apps.cli import main  # noqa: E402
from gated_xtfc.apps.studio.frames import unpack  # noqa: E402
from gated_xtfc.apps.studio.limits import LIMITS  # noqa: E402
from studio_process import LAYER, LONG, PATIENCE, SLOW, Studio, started  # noqa: E402


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    yield from started("--workers", "2", "--seconds", str(PATIENCE))


def ask(socket: ClientConnection, kind: str, name: Any = 1, **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    send(socket, kind, name, **more)
    return answer(socket)


def send(socket: ClientConnection, kind: str, name: Any = 1, **more: Any) -> None:
    socket.send(json.dumps({"tol": 1e-8, **more, "kind": kind, "id": name}))


def answer(socket: ClientConnection) -> tuple[dict[str, Any], dict[str, Any]]:
    """The next answer that is no progress."""
    while True:
        frame = socket.recv(timeout=PATIENCE)
        header, arrays = (json.loads(frame), {}) if isinstance(frame, str) else unpack(frame)
        if "progress" not in header:
            return header, arrays


def test_every_answer_has_the_headers_that_keep_strangers_out(studio: Studio) -> None:
    for path in ("/", "/main.js", "/nothing"):
        _, headers, _ = studio.get(path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_every_file_that_the_page_names_is_there_and_none_is_elsewhere(studio: Studio) -> None:
    page = studio.get("/")[2].decode()
    for name in re.findall(r'(?:src|href)="([^"#]+)"', page):
        assert re.fullmatch(r"[\w.]+", name)
        assert studio.get(f"/{name}")[0] == 200


@pytest.mark.parametrize(
    "path", ["/../server.py", "/%2e%2e/server.py", "/..%2fserver.py", "//etc/passwd", "/page/index.html", "/worker.py"]
)
def test_no_other_file_can_be_read(studio: Studio, path: str) -> None:
    assert studio.get(path)[0] == 404


def test_a_foreign_host_and_a_foreign_origin_are_refused(studio: Studio) -> None:
    assert studio.get("/", Host="evil.example")[0] == 403
    assert studio.get("/", Origin="http://evil.example")[0] == 403
    with studio.connect(origin="http://evil.example") as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=PATIENCE)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4403


def test_a_problem_is_solved(studio: Studio) -> None:
    with studio.connect() as socket:
        header, arrays = ask(socket, "solve", 7, statement=LAYER)
    assert (header["id"], header["kind"], header["status"]) == (7, "solve", "converged")
    assert arrays["u:u"][-1] == pytest.approx(1.0)


def test_bad_input_gets_its_sentence_and_the_next_message_its_answer(studio: Studio) -> None:
    with studio.connect() as socket:
        header, _ = ask(socket, "solve", statement={**LAYER, "equations": ["u' = "]})
        assert header["wrong"]["field"] == "equation"
        assert ask(socket, "solve", 2, statement=LAYER)[0]["status"] == "converged"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"kind": "solve"}', '{"kind": "rm", "id": 1}', "[" * 100_000])
def test_what_is_no_message_is_refused_and_the_connection_stays(studio: Studio, text: str) -> None:
    with studio.connect() as socket:
        socket.send(text)
        assert answer(socket)[0]["kind"] == "refused"
        assert ask(socket, "solve", statement=LAYER)[0]["status"] == "converged"


def test_a_message_that_is_too_long_ends_its_connection_and_no_other(studio: Studio) -> None:
    with studio.connect() as other:
        with studio.connect() as socket:
            socket.send("x" * (LIMITS.message + 1))
            with pytest.raises(ConnectionClosed):
                socket.recv(timeout=PATIENCE)
        assert ask(other, "solve", statement=LAYER)[0]["status"] == "converged"


def test_of_many_positions_the_last_is_answered_and_most_others_are_dropped(studio: Studio) -> None:
    with studio.connect() as socket:
        for k in range(200):
            send(socket, "solve", k, statement={**LAYER, "parameters": {"nu": 10 ** (-1 - 7 * k / 199)}})
        answered = []
        while not answered or answered[-1] != 199:
            header, _ = answer(socket)
            answered.append(header["id"])
    assert answered == sorted(answered)
    assert len(answered) < 200
    assert header["parameters"]["nu"] == pytest.approx(1e-8)


def test_two_pages_do_not_disturb_one_another(studio: Studio) -> None:
    with studio.connect() as first, studio.connect() as second:
        for k in range(20):
            send(first, "solve", k, statement=LAYER)
            send(second, "solve", k, statement={**LAYER, "parameters": {"nu": 1e-3}})
        for socket, nu in ((first, 1e-2), (second, 1e-3)):
            while (found := answer(socket)[0])["id"] != 19:
                assert found["parameters"]["nu"] == nu


def test_a_solve_can_be_stopped_and_the_next_one_is_answered(studio: Studio) -> None:
    with studio.connect() as socket:
        send(socket, "solve", 1, statement=LONG)
        time.sleep(0.3)
        header, _ = ask(socket, "stop", 2, what="solve")
        assert (header["id"], header["stopped"]) == (1, "stopped, as you asked")
        assert ask(socket, "solve", 3, statement=LAYER)[0]["status"] == "converged"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children of a process are read from /proc")
def test_a_worker_that_is_killed_in_the_middle_costs_no_answer(studio: Studio) -> None:
    with studio.connect() as socket:
        send(socket, "solve", 1, statement=SLOW)
        time.sleep(0.15)
        for pid in studio.workers():
            os.kill(pid, signal.SIGKILL)
        header, _ = answer(socket)
    assert header["id"] == 1
    assert "status" in header


def test_what_takes_longer_than_allowed_is_ended_and_says_so() -> None:
    # time enough for a layer on a busy machine, and far too little for what is long
    for studio in started("--workers", "1", "--seconds", "2"):
        with studio.connect() as socket:
            header, _ = ask(socket, "solve", statement=LONG)
            assert "longer than the 2 s" in header["stopped"]
            assert ask(socket, "solve", 2, statement=LAYER)[0]["status"] == "converged"


def test_for_others_a_token_is_printed_and_needed() -> None:
    for studio in started("--workers", "1", "--host", "0.0.0.0"):
        token = studio.address.partition("?token=")[2]
        assert len(token) >= 32
        assert studio.get("/")[0] == 403
        assert studio.get("/?token=wrong")[0] == 403
        status, headers, _ = studio.get(f"/?token={token}")
        assert (status, headers["location"]) == (303, "/")
        assert "httponly" in headers["set-cookie"].lower()
        cookie = headers["set-cookie"].partition(";")[0]
        assert studio.get("/", Cookie=cookie)[0] == 200
        with studio.connect() as socket, pytest.raises(ConnectionClosed):
            socket.recv(timeout=PATIENCE)
        with studio.connect(Cookie=cookie) as socket:
            assert ask(socket, "solve", statement=LAYER)[0]["status"] == "converged"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--port", "70000"], "--port is 70000"),
        (["--seconds", "0"], "--seconds is 0"),
        (["--workers", "0"], "--workers is 0"),
        (["--host", "no such host"], "--host"),
    ],
)
def test_bad_options_are_answered_in_a_sentence(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["studio", "--no-browser", *options]) == 2
    assert words in capsys.readouterr().err


def test_a_port_that_is_taken_is_named() -> None:
    with studio_command.listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"port {port}"):
            studio_command.listening("127.0.0.1", port)


def test_without_the_web_libraries_it_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "gated_xtfc.apps.studio.server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ValueError, match=r"pip install '.*\[studio\]'"):
        studio_command.run(parse("studio", ["--no-browser"]))
