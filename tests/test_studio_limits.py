"""What strangers, crowds and slips can do to the studio: others are answered all the same, and nothing is left open."""

import asyncio
import contextlib
import json
import math
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the studio is not installed: pip install 'gated-xtfc[studio]'")
pytest.importorskip("uvicorn", reason="the studio is not installed: pip install 'gated-xtfc[studio]'")
pytest.importorskip("websockets", reason="the studio is not installed: pip install 'gated-xtfc[studio]'")

from websockets.exceptions import ConnectionClosed

import gated_xtfc as gx
from gated_xtfc.apps.studio.frames import unpack
from gated_xtfc.apps.studio.guard import COOKIE, Guard
from gated_xtfc.apps.studio.measurements import made
from gated_xtfc.apps.studio.statement import Located, number_in, problem_of
from gated_xtfc.apps.studio.turns import Place, Turns
from gated_xtfc.apps.studio.workers import Worker
from studio_process import LAYER, LONG, PATIENCE, SLOW, Studio, started

SEVERAL = 16  # connections that may wait


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    """One worker, and little patience with connections."""
    yield from started("--workers", "1", "--seconds", str(PATIENCE), connections=SEVERAL, connection_seconds=0.5)


def half_open(studio: Studio, said: bytes) -> socket.socket:
    one = socket.create_connection(("127.0.0.1", studio.port), timeout=PATIENCE)
    with contextlib.suppress(ConnectionError):
        one.sendall(said)
    return one


def ended(one: socket.socket) -> bool:
    """Waits for the end of a connection."""
    with contextlib.suppress(ConnectionError):
        while one.recv(65536):
            pass
    one.close()
    return True


@pytest.mark.parametrize(
    "said", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"\x16\x03\x01", b"GET / HTTP/1.1\r\nX: " + b"x" * 9_000]
)
def test_connections_that_say_nothing_whole_are_ended_and_others_are_answered(studio: Studio, said: bytes) -> None:
    many = [half_open(studio, said) for _ in range(3 * SEVERAL)]
    assert studio.get("/")[0] == 200
    assert all(map(ended, many))


@pytest.mark.skipif(os.name != "posix", reason="a process is halted by a signal")
def test_who_asked_before_a_crowd_came_is_answered_though_all_were_let_in_at_once(studio: Studio) -> None:
    os.kill(studio.process.pid, signal.SIGSTOP)  # as on a busy machine: it finds them all when it comes back
    try:
        honest = half_open(studio, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        many = [half_open(studio, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n") for _ in range(3 * SEVERAL)]
    finally:
        os.kill(studio.process.pid, signal.SIGCONT)
    assert honest.recv(65536).startswith(b"HTTP/1.1 200")
    assert all(map(ended, (honest, *many)))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the limit of another process is set as Linux does")
def test_where_no_more_files_may_be_open_the_oldest_connections_end_and_the_log_is_clean(tmp_path: Path) -> None:
    import resource

    with (tmp_path / "log").open("w") as log:
        for studio in started("--workers", "1", log=log):
            assert studio.get("/")[0] == 200
            taken = len(list(Path(f"/proc/{studio.process.pid}/fd").iterdir()))
            resource.prlimit(studio.process.pid, resource.RLIMIT_NOFILE, (taken + 10, taken + 10))
            many = [half_open(studio, b"GET / HTTP/1.1\r\n") for _ in range(40)]
            assert studio.get("/")[0] == 200
            for one in many:
                one.close()
    assert not (tmp_path / "log").read_text().strip()


def test_a_request_that_is_never_read_is_ended(studio: Studio) -> None:
    asked = b"GET /main.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    one = half_open(studio, asked * 2_000)
    assert studio.get("/")[0] == 200
    assert ended(one)


@pytest.mark.parametrize("size", [b"Content-Length: 1000000000", b"Transfer-Encoding: chunked", b"Content-Length: 1"])
@pytest.mark.parametrize("method", [b"POST", b"GET"])
def test_content_is_refused_at_once(studio: Studio, method: bytes, size: bytes) -> None:
    one = half_open(studio, method + b" / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + size + b"\r\n\r\n")
    answer = one.recv(65536)
    assert b" 413 " in answer.splitlines()[0]
    assert ended(one)


def test_a_page_stays_connected_for_longer_than_others(studio: Studio) -> None:
    with studio.connect() as page:
        assert ended(half_open(studio, b""))  # the time is over
        page.send(json.dumps({"kind": "solve", "id": 1, "tol": 1e-8, "statement": LAYER}))
        header, _ = unpack(page.recv(timeout=PATIENCE))  # type: ignore[arg-type]
        assert header["status"] == "converged"


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "//", "null", "http://127.0.0.1:99999x", "\x7f"])
def test_an_origin_that_is_no_address_is_refused(studio: Studio, origin: str) -> None:
    assert Guard("127.0.0.1").objection({"host": "127.0.0.1:8760", "origin": origin}) is not None
    if origin.isprintable():
        assert studio.get("/", Origin=origin)[0] == 403
        with studio.connect(origin=origin) as page, pytest.raises(ConnectionClosed) as closed:
            page.recv(timeout=PATIENCE)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4403


@pytest.mark.parametrize("cookie", [f"{COOKIE}=wrong", "=", "a b=c", "\x00=1", f'{COOKIE}="', f"{COOKIE}=\\400"])
def test_a_cookie_that_is_none_is_refused(cookie: str) -> None:
    objection = Guard("0.0.0.0", "secret").objection({"host": "127.0.0.1", "cookie": cookie})
    assert objection is not None
    assert "token" in objection


def test_endless_pages_do_not_keep_another_one_waiting(studio: Studio) -> None:
    with contextlib.ExitStack() as open_pages:
        endless = [open_pages.enter_context(studio.connect()) for _ in range(6)]
        for page in endless:
            page.send(json.dumps({"kind": "solve", "id": 1, "tol": 1e-8, "statement": LONG}))
        while "progress" not in unpack(endless[0].recv(timeout=PATIENCE))[0]:  # type: ignore[arg-type]
            pass  # the only worker is busy
        other = open_pages.enter_context(studio.connect())
        other.send(json.dumps({"kind": "solve", "id": 2, "tol": 1e-8, "statement": LAYER}))
        assert unpack(other.recv(timeout=PATIENCE))[0]["status"] == "converged"  # type: ignore[arg-type]
        for page in endless:  # they are at work still: none had to come to its end for this
            with contextlib.suppress(TimeoutError):
                while True:
                    assert "progress" in unpack(page.recv(timeout=0))[0]  # type: ignore[arg-type]


def test_what_gave_way_is_finished_when_nobody_waits_any_more() -> None:
    for studio in started("--workers", "1", "--seconds", str(PATIENCE), share=0.05):
        slow = {**LONG, "parameters": {"nu": 1e-3}}
        with studio.connect() as first, studio.connect() as second:
            first.send(json.dumps({"kind": "solve", "id": 1, "tol": 1e-8, "statement": slow}))
            second.send(json.dumps({"kind": "solve", "id": 2, "tol": 1e-8, "statement": LAYER}))
            for page, number in ((second, 2), (first, 1)):
                header = {"progress": True}
                while "progress" in header:
                    header = unpack(page.recv(timeout=PATIENCE))[0]  # type: ignore[arg-type]
                assert (header["id"], header["status"]) == (number, "converged")


@pytest.mark.parametrize(
    "said",
    [
        b"\x16\x03\x01",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n" + b"x" * 2**18,
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    ],
)
def test_what_strangers_send_does_not_reach_the_log(said: bytes, tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as log:
        for studio in started("--workers", "1", log=log):
            for _ in range(3):
                assert ended(half_open(studio, said))
            assert studio.get("/")[0] == 200
    assert not (tmp_path / "log").read_text().strip()


def test_shares_are_shorter_the_more_wait_and_grow_with_what_one_has_had() -> None:
    async def story(kept: int) -> list[float]:
        turns = Turns(1, share=1.0, kept=kept)
        assert turns.allowed(0.0) == 1.0
        await turns.take()
        waiting = [asyncio.create_task(turns.take()) for _ in range(9)]
        await asyncio.sleep(0)
        found = [turns.allowed(used) for used in (0.0, 0.1, 0.4, 3.0)]
        for one in waiting:
            one.cancel()
        await asyncio.wait(waiting)
        return found

    assert asyncio.run(story(0)) == [0.1, 0.1, 0.4, 1.0]
    assert asyncio.run(story(1)) == [0.1, 0.1, 0.4, 3.0]  # who has just come has a place of his own


def test_who_has_had_least_time_or_usually_takes_least_is_next_and_who_went_away_is_left_out() -> None:
    async def story() -> list[str]:
        turns, came, places = Turns(1, share=1.0), list[str](), list[Place]()

        async def visit(name: str, used: float, usual: float = 0.0) -> None:
            places.append(await turns.take(used, usual))
            came.append(name)

        await visit("first", 0.0)
        wanted = {"c": (2.0, 0.0), "gone": (1.0, 0.0), "b": (0.0, 0.5), "a": (0.0, 0.1)}
        others = {name: asyncio.create_task(visit(name, *times)) for name, times in wanted.items()}
        await asyncio.sleep(0)
        others["gone"].cancel()
        for _ in range(3):
            places[-1].give()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        await asyncio.wait(others.values())
        places[-1].give()
        await visit("last", 9.0)
        return came

    assert asyncio.run(story()) == ["first", "a", "b", "c", "last"]


def test_one_place_is_kept_for_those_who_have_just_come() -> None:
    async def story() -> None:
        turns = Turns(2, share=1e-3, kept=1)
        first, second = await turns.take(), await turns.take()
        quick = asyncio.create_task(turns.take())
        leaving = {asyncio.create_task(place.wanted()): place for place in (first, second)}
        done, staying = await asyncio.wait(leaving, return_when=asyncio.FIRST_COMPLETED)
        assert [leaving[one].slow for one in (*done, *staying)] == [False, True]
        leaving[done.pop()].give()
        place = await quick
        slow = asyncio.create_task(turns.take(5.0))
        await asyncio.sleep(0)
        place.give()
        await asyncio.sleep(0)
        assert not slow.done()  # the place that is free is not for the slow
        assert turns.places == 1
        leaving[staying.pop()].give()
        await slow

    asyncio.run(story())


def test_a_turn_that_comes_as_one_goes_away_is_not_lost() -> None:
    async def story() -> None:
        turns = Turns(1, share=1.0)
        place = await turns.take()
        waiting = asyncio.create_task(turns.take())
        await asyncio.sleep(0)
        place.give()
        waiting.cancel()
        await asyncio.wait([waiting])
        await asyncio.wait_for(turns.take(), PATIENCE)

    asyncio.run(story())


def test_a_job_that_is_dropped_ends_in_the_middle_of_a_step() -> None:
    """Seconds without a word of progress, after which the same process takes the next job."""
    fields = "uvwabc"  # waves, many of them in many fields: one fit that takes long on any machine
    heavy = {
        **SLOW,
        "equations": [
            f"eps**2*{u}'' + (1 + 0.5*sin(3*x))*{u} = cos(x) + {v}/10"
            for u, v in zip(fields, fields[1:] + fields[0], strict=True)
        ],
        "conditions": [f"{u}({end}) = {end}" for u in fields for end in (0, 1)],
        "parameters": {"eps": 1.3e-4},
    }

    async def story() -> None:
        worker = await Worker.started()
        try:
            assert (await worker.read())[0] == b"R"
            asked = asyncio.create_task(worker.ask({"kind": "solve", "statement": heavy, "job": 1}, silence))
            await asyncio.sleep(0.3)
            await worker.drop(1)
            assert await asyncio.wait_for(asked, PATIENCE) is None
            frame = await worker.ask({"kind": "solve", "statement": LAYER, "job": 2}, silence)
            assert frame is not None
            assert unpack(frame)[0]["status"] == "converged"
        finally:
            worker.kill()
            await worker.process.wait()

    async def silence(frame: bytes) -> None:
        pass

    asyncio.run(story())


@pytest.mark.parametrize("end", ["inf", "Infinity", "oo", "∞", " +inf"])
def test_an_infinite_end_becomes_no_parameter(end: str) -> None:
    problem, _ = problem_of({**LAYER, "domain": {"x": [0, end]}, "conditions": ["u(0) = 0", "u(inf) = 1"]})
    assert problem.axes[0].right == math.inf
    assert list(problem.parameters) == ["nu"]


@pytest.mark.parametrize("word", ["inf", "Infinity", "nan", "NaN"])
def test_what_is_no_number_becomes_no_parameter_of_an_equation(word: str) -> None:
    with pytest.raises(Located, match=f'"{word}" cannot be the name of a parameter') as told:
        problem_of({**LAYER, "equations": [f"u' - {word}*u'' = 0"]})
    assert told.value.field == "equation"


@pytest.mark.parametrize("end", ["-inf", "2*inf"])
def test_an_end_that_infinity_cannot_be_is_refused_where_it_stands(end: str) -> None:
    with pytest.raises(Located, match="inf") as told:
        problem_of({**LAYER, "domain": {"x": [0, end]}})
    assert told.value.field == "domain"


def test_a_number_must_be_finite() -> None:
    for value in (math.inf, math.nan, "1/0", "inf"):
        with pytest.raises(Located):
            number_in("tol", value, "the tolerance")


@pytest.mark.parametrize("noise", ["1e308", 1.7e308, math.inf])
def test_noise_beyond_all_numbers_is_refused(noise: object) -> None:
    solution = gx.solve(gx.Problem("u'' = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"]))
    with pytest.raises(Located, match="the noise") as told:
        made({"count": 500, "seed": 1, "noise": noise}, solution)  # type: ignore[arg-type]
    assert told.value.field == "data"


def test_a_count_beyond_all_numbers_is_refused() -> None:
    solution = gx.solve(gx.Problem("u'' = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"]))
    with pytest.raises(Located, match="the count"):
        made({"count": math.inf, "seed": 1, "noise": 0.1}, solution)  # type: ignore[arg-type]
