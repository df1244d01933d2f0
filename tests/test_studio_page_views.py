"""The page's other pictures in a real browser: rectangles, fronts in time, spectra, branches; links, and a phone."""

import json
from pathlib import Path
from typing import Any

import pytest

from studio_browser import (
    CONTRAST,
    MARKS,
    MISSING,
    SHOTS,
    Opening,
    blue,
    browser,
    choose,
    figure,
    opened,
    painted,
    settled,
    studio,
)

pytestmark = MARKS
if not MISSING:
    from playwright.sync_api import expect

KINDS = ["square_plateau", "merging_fronts", "mathieu_spectrum", "bratu_branch"]


def colours(page: Any, plot: str) -> int:
    """How many different ones are in a picture."""
    return int(
        page.evaluate(
            """(plot) => {
              const canvas = document.querySelector(`#${plot} canvas`);
              const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
              const found = new Set();
              for (let k = 0; k < data.length; k += 4) found.add(data[k] * 65536 + data[k + 1] * 256 + data[k + 2]);
              return found.size;
            }""",
            plot,
        )
    )


def test_a_rectangle_is_an_image_that_follows_the_slider_and_opens_along_the_gated_coordinates(opened: Opening) -> None:
    page = opened("?problem=square_plateau")
    settled(page)
    assert page.is_visible("#surface-plot")
    assert not page.is_visible("#main-plot")
    over = colours(page, "surface-plot")
    page.check('input[name="axis"][value="xi"]', force=True)
    page.wait_for_timeout(300)
    assert colours(page, "surface-plot") > over > 20
    page.screenshot(path=SHOTS / "rectangle.png")
    before = figure(page, "error estimate")
    page.fill("#value-eps", "1e-6")
    expect(page.locator('[data-figure="error estimate"]')).not_to_have_text(before)
    settled(page)


def test_a_second_coordinate_is_added_and_left_out_again(opened: Opening) -> None:
    page = opened()
    page.click("#add-second")
    assert page.input_value("#coordinate2") == "y"
    page.fill("#equation", "-0.01*(u_xx + u_yy) + u = x")
    page.fill("#conditions", "u = 0 on boundary")
    page.wait_for_selector("#surface-plot", state="visible")
    settled(page)
    page.click("#add-second")
    page.fill("#equation", "-0.01*u'' + u = x")
    page.fill("#conditions", "u(0) = 0\nu(1) = 0")
    page.wait_for_selector("#main-plot", state="visible")
    settled(page)


def test_a_front_moves_with_the_time_and_plays(opened: Opening) -> None:
    page = opened("?problem=travelling_front")
    settled(page)
    page.fill("#time", "0")
    start = painted(page)
    assert page.inner_text("#gates").startswith("front at 0.2,")
    page.fill("#time", "60")
    assert painted(page) != start
    assert page.inner_text("#time-value") == "t = 0.5"
    page.screenshot(path=SHOTS / "front.png")
    page.click("#play")
    expect(page.locator("#time-value")).not_to_have_text("t = 0.5")
    page.click("#play")
    assert page.inner_text("#play") == "Play"


def test_an_eigenvalue_that_is_chosen_shows_its_mode_and_moves_with_the_slider(opened: Opening) -> None:
    page = opened("?problem=mathieu_spectrum")
    settled(page)
    rows = page.locator("#eigenvalues button")
    assert rows.count() == 8
    first = painted(page)
    rows.nth(4).click()
    assert painted(page) != first
    value = rows.nth(4).text_content()
    page.screenshot(path=SHOTS / "spectrum.png")
    page.fill("#value-q", "10")
    expect(rows.nth(4)).not_to_have_text(value or "")
    assert rows.nth(4).get_attribute("aria-pressed") == "true"


def test_a_branch_is_drawn_and_a_click_on_it_shows_the_solution_there(opened: Opening) -> None:
    page = opened("?problem=bratu_branch")
    settled(page)
    assert "fold" in page.inner_text("#point-words")
    shown = painted(page)
    box = page.locator("#diagram-plot .u-over").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.12 * box["width"], box["y"] + 0.9 * box["height"])  # the cool end
    assert painted(page) != shown
    assert "fold" not in page.inner_text("#point-words")
    page.screenshot(path=SHOTS / "branch.png")


def test_a_name_for_the_eigenvalue_is_taken_from_the_equation(opened: Opening) -> None:
    page = opened()
    page.fill("#equation", "u'' + lam*u = 0")
    page.fill("#conditions", "u(0) = 0\nu(1) = 0")
    page.select_option("#verb", "eigen")
    settled(page)
    assert page.input_value("#unknown") == "lam"
    assert page.locator("#eigenvalues .value").first.inner_text().startswith("9.8696")


def test_a_file_becomes_a_function_of_the_equation(opened: Opening, tmp_path: Path) -> None:
    page = opened()
    page.fill("#equation", "u'' = load(x)")
    page.fill("#conditions", "u(0) = 0\nu(1) = 0")
    page.click("#more summary")
    (tmp_path / "load.csv").write_text("x;y\n0;0\n0.5;1\n1;0\n")
    page.set_input_files("#table-file", tmp_path / "load.csv")
    settled(page)
    assert page.locator("#tables input").input_value() == "load"
    page.wait_for_timeout(700)
    again = opened("#" + page.url.partition("#")[2])
    settled(again)
    page.locator("#tables button").click()
    expect(page.locator("#equation-error")).not_to_be_empty()


def test_a_link_holds_data_and_zoom(opened: Opening) -> None:
    page = opened()
    page.click("#tab-data")
    page.click("#noisy button")
    page.wait_for_selector("#drop-data", state="visible")
    page.click("#zoom-in")
    page.wait_for_timeout(700)
    link = page.url
    again = opened("#" + link.partition("#")[2])
    settled(again)
    again.click("#tab-data")
    assert again.inner_text("#data-words").startswith("40 measurements")
    assert painted(again) == painted(page)
    by_query = opened("?problem=" + link.partition("#")[2])
    settled(by_query)
    by_query.click("#tab-data")
    assert painted(by_query) == painted(page)


def test_a_link_to_a_name_that_is_none_opens_the_first_problem(opened: Opening) -> None:
    page = opened("?problem=nothing_like_that")
    settled(page)
    assert blue(page) > 300


@pytest.mark.parametrize("name", ["burgers_shock", *KINDS])
def test_on_a_phone_the_picture_stays_in_view_beside_the_slider(opened: Opening, name: str) -> None:
    page = opened(f"?problem={name}", viewport={"width": 390, "height": 800})
    settled(page)
    page.evaluate("document.querySelector('#parameters .slider').scrollIntoView({ block: 'end' })")
    page.wait_for_timeout(200)
    stage, slider = page.locator("#stage").bounding_box(), page.locator("#parameters .slider").first.bounding_box()
    assert stage is not None
    assert slider is not None
    assert 0 <= stage["y"] < stage["y"] + stage["height"] < slider["y"] < 800
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.screenshot(path=SHOTS / f"phone_{name}.png")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", KINDS)
def test_the_words_of_every_picture_have_contrast(opened: Opening, name: str, theme: str) -> None:
    page = opened(f"?problem={name}", color_scheme=theme)
    settled(page)
    page.screenshot(path=SHOTS / f"{name}_{theme}.png", full_page=True)
    poor = page.evaluate(CONTRAST)
    assert poor == [], json.dumps(poor, indent=1)


def test_the_solution_zero_is_a_level_line_with_labels_that_differ(opened: Opening) -> None:
    page = opened()
    page.fill("#equation", "u'' = 0")
    page.fill("#conditions", "u(0) = 0\nu(1) = 0")
    settled(page)
    found = page.evaluate(
        """async () => {
          const { levels } = await import("./ticks.js"), all = [];
          for (const step of [0.2, 0.25, 2.5e-7, 5e-13, 2e7])
            for (const first of [-4 * step, 1, 1e-3 - step])
              all.push(levels(null, Array.from({ length: 9 }, (_, k) => first + k * step)));
          return all;
        }"""
    )
    for labels in found:
        assert len(set(labels)) == len(labels), labels
