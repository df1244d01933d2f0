"""The studio's page in a real browser. `make test-browser` runs these; screenshots are kept in out/studio."""

import contextlib
import importlib.util
import json
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gated_xtfc as gx
from gated_xtfc.problem.file import from_mapping
from studio_browser import (
    CONTRAST,
    MARKS,
    MISSING,
    PATIENCE,
    SHOTS,
    Opening,
    blue,
    browser,
    choose,
    figure,
    opened,
    painted,
    saved,
    settled,
    studio,
)

pytestmark = MARKS
if not MISSING:
    from playwright.sync_api import Page, expect

    from studio_process import Studio, started


def test_it_opens_on_a_solved_layer_with_the_slider_focused_and_asks_no_other_host(opened: Opening) -> None:
    page = opened()
    settled(page)
    assert page.input_value("#equation") == "u' - nu*u'' = 0"
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "nu"
    assert blue(page) > 300
    page.screenshot(path=SHOTS / "opens.png")


def test_an_equation_that_is_typed_is_solved_and_drawn(opened: Opening) -> None:
    page = opened()
    page.fill("#equation", "")
    page.type("#equation", "eps^2*u'' - u = -1")
    page.fill("#conditions", "u(0) = 0\nu(1) = 0")
    expect(page.locator("#parameters .name")).to_have_text(["eps"])
    settled(page)
    page.fill("#value-eps", "1e-3")
    expect(page.locator("#gates button")).to_contain_text(["0.0006", "0.0006"])
    page.click("#tab-take")
    table = saved(page, "#save-csv").decode().splitlines()
    assert table[0] == "x,u"
    for line in table[1::50]:
        x, u = (float(cell) for cell in line.split(","))
        assert u == pytest.approx(gx.solve(PLATEAU)(x), abs=1e-7)
    assert blue(page) > 300
    page.screenshot(path=SHOTS / "typed.png")


PLATEAU = None if MISSING else gx.Problem("eps^2*u'' - u = -1", {"x": (0, 1)}, ["u(0)=0", "u(1)=0"], eps=1e-3)


def test_the_curve_and_the_figures_follow_the_slider_from_1e_1_to_1e_8(opened: Opening) -> None:
    page = opened()
    page.fill("#value-nu", "0.1")
    page.wait_for_timeout(400)
    box = page.locator(".slider").bounding_box()
    assert box is not None
    middle, before = box["y"] + box["height"] / 2, painted(page)
    page.mouse.move(box["x"] + box["width"] * 7 / 8, middle)
    page.mouse.down()
    seen = set()
    for k in range(60):
        page.mouse.move(box["x"] + box["width"] * (7 / 8 - (k + 1) / 60 * 0.9), middle)
        page.wait_for_timeout(16)
        seen.add(figure(page, "neurons"))
    page.mouse.up()
    assert page.input_value("#value-nu") == "1e-8"
    expect(page.locator("#gates")).to_contain_text("thickness 6e-09")
    settled(page)
    assert len(seen) > 3
    assert painted(page) != before
    assert float(figure(page, "true error")) < 1e-8
    page.screenshot(path=SHOTS / "dragged.png")
    page.keyboard.press("x")
    page.screenshot(path=SHOTS / "gated.png")


def test_a_bad_equation_gets_its_sentence_the_picture_stays_and_it_recovers(opened: Opening) -> None:
    page = opened()
    settled(page)
    before = painted(page)
    page.fill("#equation", "u' - nu*u'' == 0")
    expect(page.locator("#equation-error")).to_contain_text("write a single '='")
    assert page.get_attribute("#equation", "aria-invalid") == "true"
    assert painted(page) == before
    page.screenshot(path=SHOTS / "wrong.png")
    page.fill("#equation", "u' - nu*u'' = 0")
    expect(page.locator("#equation-error")).to_be_empty()
    settled(page)
    assert page.get_attribute("#equation", "aria-invalid") is None


@pytest.mark.parametrize(
    ("field", "text", "place"),
    [
        ("#conditions", "u(0) = 0", "#conditions-error"),
        ("#left", "2", "#domain-error"),
        ("#tol", "-1", "#tol-error"),
        ("#value-nu", "1/", '[id="parameter:nu-error"]'),
    ],
)
def test_each_field_gets_its_own_sentence(opened: Opening, field: str, text: str, place: str) -> None:
    page = opened()
    page.fill(field, text)
    expect(page.locator(place)).not_to_be_empty()


def test_a_link_brings_everything_back(opened: Opening) -> None:
    page = opened()
    choose(page, "coupled_reaction")
    page.fill("#tol", "1e-6")
    page.check('input[name="axis"][value="xi"]', force=True)
    page.wait_for_timeout(800)
    settled(page)
    page.click("#tab-take")
    link = page.input_value("#link")
    again = opened("#" + link.partition("#")[2])
    settled(again)
    for name in ("equation", "left", "right", "coordinate", "conditions", "tol", "exact", "value-eps", "value-mu"):
        assert again.input_value(f"#{name}") == page.input_value(f"#{name}")
    assert again.is_checked('input[name="axis"][value="xi"]')
    assert [figure(again, name) for name in ("neurons", "error estimate")] == [
        figure(page, name) for name in ("neurons", "error estimate")
    ]
    page.reload()
    settled(page)
    assert page.input_value("#tol") == "1e-6"


@pytest.mark.parametrize("fragment", ["#rubbish", "#" + "A" * 5000, "#eyJzdHVkaW8iOjF9"])
def test_a_link_that_cannot_be_read_does_no_harm(opened: Opening, fragment: str, studio: "Studio") -> None:
    page = opened("")
    page.goto("about:blank")
    page.goto(f"{studio.address}{fragment}")
    expect(page.locator("#equation")).to_be_visible()
    page.fill("#equation", "u' - nu*u'' = 0")
    page.fill("#conditions", "u(0) = 0\nu(1) = 1")
    settled(page)


def test_what_a_link_holds_is_never_run(opened: Opening) -> None:
    page = opened()
    evil = "<img src=x onerror=window.ran=1>"
    state = {
        "studio": 1, "equation": f"u' = {evil}", "conditions": evil, "family": evil, "parameters": {evil: {"value": 1}},
    }  # fmt: skip
    page.evaluate("state => { location.hash = btoa(JSON.stringify(state)); }", state)
    expect(page.locator("#status")).to_have_text("not solved")
    assert page.evaluate("window.ran") is None


def test_gallery_families_are_solved_and_say_what_to_look_at(opened: Opening) -> None:
    page = opened()
    for family in ("airy", "twin_scales", "free_boundary"):
        choose(page, family)
        assert len(page.inner_text("#look")) > 30
        assert figure(page, "true error")
    assert figure(page, "lam")
    page.click("#open-gallery")
    page.screenshot(path=SHOTS / "gallery.png")


def test_a_long_solve_says_so_and_can_be_stopped(opened: Opening) -> None:
    page = opened()
    choose(page, "burgers_shock")
    before = painted(page)
    page.fill("#value-nu", "1e-7")
    expect(page.locator("#busy")).to_be_visible()
    expect(page.locator("#busy-words")).to_contain_text("solving")
    page.screenshot(path=SHOTS / "busy.png")
    page.click("#stop")
    expect(page.locator("#message")).to_contain_text("as you asked")
    expect(page.locator("#busy")).to_be_hidden()
    assert painted(page) == before


def test_other_solvers_are_compared_on_demand(opened: Opening) -> None:
    page = opened()
    page.click("#tab-compare")
    page.click("#run-compare")
    expect(page.locator("#compare-result tbody tr")).to_have_count(3, timeout=PATIENCE)
    assert "solve_bvp" in page.inner_text("#compare-result")
    page.screenshot(path=SHOTS / "compare.png", full_page=True)


@pytest.mark.skipif(not MISSING and "infer" not in gx.__all__, reason="this version does not infer")
def test_data_lead_to_a_posterior_and_a_band(opened: Opening) -> None:
    page = opened()
    page.click("#tab-data")
    page.click("#noisy button")
    expect(page.locator("#data-words")).to_contain_text("40 values of u")
    page.click("#run-infer")
    expect(page.locator('[data-found="nu"]')).to_be_visible(timeout=PATIENCE)
    mean, std = (float(cell) for cell in page.locator('[data-found="nu"] td').all_inner_texts()[:2])
    assert abs(mean - 0.01) < 4 * std
    expect(page.locator('[data-curve="band"]')).to_be_visible()
    page.screenshot(path=SHOTS / "posterior.png", full_page=True)


def test_a_csv_that_is_dropped_is_drawn_and_a_bad_one_is_refused(opened: Opening, tmp_path: Path) -> None:
    page = opened()
    page.click("#tab-data")
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("x, u\n0.5, 0.01\n0.99; 0.4\n1\t0.98\n")
    bad.write_text("x,u\n0.5,one\n")
    page.set_input_files("#csv", good)
    expect(page.locator("#data-words")).to_contain_text("3 measurements")
    expect(page.locator('[data-curve="data"]')).to_be_visible()
    page.set_input_files("#csv", bad)
    expect(page.locator("#data-error")).to_contain_text("line 2")


def test_what_is_taken_away_is_what_is_shown(opened: Opening) -> None:
    page = opened()
    choose(page, "twin_layers")
    page.click("#tab-take")
    expect(page.locator("#text")).to_contain_text("equation")
    problem = from_mapping(tomllib.loads(page.inner_text("#text")))
    assert dict(problem.parameters) == {"nu": float(page.input_value("#value-nu"))}
    page.check('input[name="text"][value="python"]', force=True)
    expect(page.locator("#text")).to_contain_text("gx.Problem")
    assert b"<svg" in saved(page, "#save-svg")
    assert saved(page, "#save-png").startswith(b"\x89PNG")
    page.screenshot(path=SHOTS / "take_away.png", full_page=True)


def test_two_tabs_show_two_problems_at_once(opened: Opening) -> None:
    first, second = opened(), opened()
    for k in range(5):
        first.fill("#value-nu", f"1e-{k + 2}")
        second.fill("#value-nu", f"3e-{k + 2}")
    expect(first.locator("#gates")).to_contain_text("thickness 6e-07")
    expect(second.locator("#gates")).to_contain_text("thickness 1.8e-06")


def test_a_server_that_goes_is_missed_and_found_again_when_it_comes_back(opened: Opening) -> None:
    server = started("--workers", "1")
    studio = next(server)
    page = opened(at=studio)
    settled(page)
    before = painted(page)
    server.close()
    expect(page.locator("#connection")).to_contain_text("not there")
    assert painted(page) == before
    page.screenshot(path=SHOTS / "alone.png")
    page.fill("#value-nu", "1e-5")  # while nobody listens
    with contextlib.closing(started("--workers", "1", port=studio.port)) as again:
        next(again)
        expect(page.locator("#connection")).to_be_hidden(timeout=PATIENCE)
        expect(page.locator("#gates")).to_contain_text("thickness 6e-06")
        page.close()


def test_the_keyboard_alone_suffices(opened: Opening) -> None:
    page = opened()
    settled(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("PageDown")
    expect(page.locator("#value-nu")).not_to_have_value("0.01")
    page.keyboard.press("x")
    assert page.is_checked('input[name="axis"][value="xi"]')
    before = painted(page)
    page.keyboard.press("+")
    page.wait_for_timeout(200)
    assert painted(page) != before
    page.keyboard.press("g")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#look b")).to_contain_text("twin layers")
    page.keyboard.press("e")
    assert page.evaluate("document.activeElement.id") == "equation"
    page.keyboard.press("Control+a")
    page.keyboard.type("u'' = x + g")  # letters typed into a field are no shortcuts
    assert page.input_value("#equation") == "u'' = x + g"
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id"))
    assert {"conditions", "tol", "zoom-reset", "tab-accuracy", "derivative"} <= reached


def test_dragging_across_the_picture_zooms_and_a_double_click_takes_it_back(opened: Opening) -> None:
    page = opened()
    settled(page)
    before = painted(page)
    box = page.locator("#main-plot .u-over").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.9 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.99 * box["width"], middle, steps=4)
    page.mouse.up()
    page.wait_for_timeout(200)
    page.mouse.move(box["x"] + 0.5 * box["width"], middle)
    assert re.search(r"x = (0\.9|1)", page.inner_text("#readout"))
    assert painted(page) != before
    page.mouse.dblclick(box["x"] + 0.5 * box["width"], middle)
    page.wait_for_timeout(200)
    page.mouse.move(box["x"] + 0.501 * box["width"], middle)
    assert re.search(r"x = 0\.(49|50)", page.inner_text("#readout"))


def test_every_control_has_a_name(opened: Opening) -> None:
    page = opened()
    page.click("#tab-data")
    names = page.evaluate(
        """() => [...document.querySelectorAll('input, select, textarea, button')]
          .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length))
          .map((one) => one.outerHTML)"""
    )
    assert names == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_has_the_contrast_that_the_guidelines_ask_for(opened: Opening, theme: str) -> None:
    page = opened(color_scheme=theme)
    settled(page)
    page.fill("#tol", "-1")
    expect(page.locator("#tol-error")).not_to_be_empty()
    page.screenshot(path=SHOTS / f"{theme}.png", full_page=True)
    poor = page.evaluate(CONTRAST)
    assert poor == [], json.dumps(poor, indent=1)


@pytest.mark.parametrize("width", [360, 700, 1000])
def test_a_narrow_window_needs_no_sideways_scrolling(opened: Opening, width: int) -> None:
    page = opened(viewport={"width": width, "height": 800})
    settled(page)
    for tab in ("accuracy", "compare", "data", "take"):
        page.click(f"#tab-{tab}")
        page.wait_for_timeout(150)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click("#tab-accuracy")
    page.screenshot(path=SHOTS / f"width_{width}.png", full_page=True)


def test_a_constant_is_drawn_as_a_level_line(opened: Opening) -> None:
    page = opened()
    page.fill("#equation", "u'' = 0")
    page.fill("#conditions", "u(0) = 3\nu(1) = 3")
    expect(page.locator("#parameters .name")).to_have_count(0)
    settled(page)
    rows = page.evaluate(
        """() => {
          const canvas = document.querySelector('#main-plot canvas');
          const {data, width} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          const rows = new Set();
          for (let k = 0; k < data.length; k += 4)
            if (Math.abs(data[k] - 11) + Math.abs(data[k + 1] - 95) + Math.abs(data[k + 2] - 158) < 24)
              rows.add(Math.floor(k / 4 / width));
          return rows.size;
        }"""
    )
    assert 0 < rows <= 6  # the thickness of the line, and no more


def test_sliders_of_names_that_are_gone_vanish_even_where_the_rest_cannot_be_read(opened: Opening) -> None:
    page = opened()
    expect(page.locator("#parameters .name")).to_have_text(["nu"])
    page.fill("#equation", "u'' = u +")
    expect(page.locator("#equation-error")).not_to_be_empty()
    expect(page.locator("#parameters .name")).to_have_count(0)
    page.fill("#equation", "a*u' - eps*u'' = 1")
    expect(page.locator("#parameters .name")).to_have_text(["a", "eps"])
    settled(page)
    assert (page.input_value("#value-a"), page.input_value("#value-eps")) == ("1", "0.01")


def test_labels_of_the_axis_are_all_different(opened: Opening) -> None:
    page = opened()
    found = page.evaluate(
        """async () => {
          const { overX } = await import("./ticks.js");
          const labels = [];
          for (const step of [0.25, 0.025, 2.5e-4, 2.5e-7, 2e-9, 5e-10])
            for (const first of [0, 1 / 3, 1 - 8 * step])
              labels.push(overX(Array.from({ length: 9 }, (_, k) => first + k * step), step, [0, 1 / 3, 1]));
          return labels;
        }"""
    )
    for labels in found:
        assert len(set(labels)) == len(labels), labels
