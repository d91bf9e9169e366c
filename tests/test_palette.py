"""Colours that mean something stay apart for eyes without one kind of cone; numbers are read on every shade.

The colours are read from where they are used: the theme, the style sheet, the scripts.
"""

import itertools
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from tests.colours import EYES, as_seen, contrast, distance_of_labs, far_apart, lightness, over, rgb
from ui.figures.style import HEAD_SHARE, HEADS, SHARE, SIGNED

ROOT = Path(__file__).parents[1]
THEMES = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
CSS = (ROOT / "static" / "workbench.css").read_text("utf-8")
LENS = (ROOT / "static" / "board" / "lens.js").read_text("utf-8")

APART = 10  # CIEDE2000: told apart at a glance, also as a thin line
TEXT, NOT_TEXT = 4.5, 3  # contrast that WCAG 2.2 AA asks for
IDENTITIES = {"Q": "blue", "K": "orange", "V": "green", "chosen": "violet"}
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
ALL_EYES = pytest.mark.parametrize("eye", EYES)
STRENGTHS = np.linspace(0, 1, 21)


def css_colour(name):
    return rgb(re.search(rf"--{name}: (#\w+);", CSS)[1])


def css_share():
    """How much of its hue the strongest cell of the board has."""
    return float(re.search(r"calc\(var\(--strength\) \* ([\d.]+)\)", CSS)[1])


def figure_scale(scale):
    """The ends of a colour scale of a figure: (colour, opacity) each."""
    ends = [re.fullmatch(r"rgba\(([\d., ]+)\)", colour)[1] for _, colour in scale]
    numbers = [[float(number) for number in end.split(",")] for end in ends]
    return [(np.array(red_green_blue) / 255, opacity) for *red_green_blue, opacity in numbers]


def theme(scheme, name):
    return rgb(THEMES[scheme][name])


def shades(scheme, hue, most):
    """What a cell looks like from 0 to its strongest."""
    return [over(hue, strength * most, theme(scheme, "backgroundColor")) for strength in STRENGTHS]


def all_scales():
    """Name, hue and strength of every scale on which numbers are shaded."""
    found = {name: (css_colour(name), css_share()) for name in ("positive", "negative", "share")}
    (low, low_share), *_, (high, high_share) = figure_scale(SIGNED)
    found |= {"figure negative": (low, low_share), "figure positive": (high, high_share)}
    return found | {"figure share": figure_scale(SHARE)[-1]}


# The measure itself


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [  # from the data that Sharma, Wu and Dalal published to check implementations
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (61, -5, 29), 22.8977),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_distance_is_that_of_the_standard(one, other, expected):
    assert distance_of_labs(one, other) == pytest.approx(expected, abs=1e-4)


@ALL_EYES
def test_an_eye_sees_grey_as_grey_and_nothing_new(eye):
    for grey in (0.0, 0.3, 1.0):
        assert as_seen(np.full(3, grey), eye) == pytest.approx(np.full(3, grey), abs=1e-4)


def test_the_simulation_shows_what_is_known():
    red, green = rgb("#c00000"), rgb("#5a5a00")
    assert far_apart(red, green) > 30
    assert far_apart(as_seen(red, "deuteranopia"), as_seen(green, "deuteranopia")) < 15
    violet, blue = rgb("#7a4fb8"), rgb("#0072b2")  # the colours of chosen and Q before this test
    assert far_apart(as_seen(violet, "deuteranopia"), as_seen(blue, "deuteranopia")) < 2


# Identities


@SCHEMES
@ALL_EYES
@pytest.mark.parametrize("kind", ["Color", "TextColor"])
def test_q_k_v_and_what_is_chosen_stay_apart(scheme, eye, kind):
    seen = {name: as_seen(theme(scheme, f"{hue}{kind}"), eye) for name, hue in IDENTITIES.items()}
    for one, other in itertools.combinations(seen, 2):
        assert far_apart(seen[one], seen[other]) >= APART, (one, other)


@SCHEMES
def test_names_in_their_colour_are_read(scheme):
    for hue in (*IDENTITIES.values(), "gray"):
        for ground in ("backgroundColor", "secondaryBackgroundColor"):
            assert contrast(theme(scheme, f"{hue}TextColor"), theme(scheme, ground)) >= TEXT, (hue, ground)


@SCHEMES
def test_marks_and_borders_are_seen(scheme):
    ground, ink = theme(scheme, "backgroundColor"), theme(scheme, "textColor")
    for hue in IDENTITIES.values():
        assert contrast(theme(scheme, f"{hue}Color"), ground) >= NOT_TEXT, hue
    strong = int(re.search(r"--strong: color-mix\(in srgb, var\(--st-text-color\) (\d+)%", CSS)[1]) / 100
    assert contrast(over(ink, strong, ground), ground) >= NOT_TEXT


@SCHEMES
def test_the_frame_of_a_chosen_cell_and_the_focus_are_seen_on_every_shade(scheme):
    for name, (hue, most) in all_scales().items():
        for shade in shades(scheme, hue, most):
            assert contrast(theme(scheme, "violetColor"), shade) >= NOT_TEXT, name


# Scales


@SCHEMES
@ALL_EYES
@pytest.mark.parametrize("where", ["", "figure "])
def test_positive_and_negative_stay_apart(scheme, eye, where):
    (up, up_share), (down, down_share) = (all_scales()[f"{where}{name}"] for name in ("positive", "negative"))
    pairs = list(zip(shades(scheme, up, up_share), shades(scheme, down, down_share), strict=True))
    distances = [far_apart(as_seen(one, eye), as_seen(other, eye)) for one, other in pairs]
    assert all(distance >= APART for distance in distances[5:])  # from a quarter of the strongest


@SCHEMES
@ALL_EYES
@pytest.mark.parametrize("name", ["share", "figure share", "positive", "negative"])
def test_a_stronger_number_is_further_from_the_page_in_lightness(scheme, eye, name):
    found = [lightness(as_seen(shade, eye)) for shade in shades(scheme, *all_scales()[name])]
    steps = np.diff(found) if scheme == "dark" else -np.diff(found)
    assert np.all(steps > 0)
    assert abs(found[-1] - found[0]) >= 20


@SCHEMES
def test_a_number_is_read_on_every_shade(scheme):
    for name, (hue, most) in all_scales().items():
        for shade in shades(scheme, hue, most):
            assert contrast(theme(scheme, "textColor"), shade) >= TEXT, name


def test_board_picture_and_figure_have_the_same_hues():
    board = {name: tuple(np.round(css_colour(name) * 255)) for name in ("positive", "negative", "share")}
    for hue in board.values():
        wanted = ", ?".join(str(int(part)) for part in hue)
        assert re.search(rf"rgba\({wanted},", str([SIGNED, SHARE]))
        assert re.search(rf"\[{wanted}\]", LENS)


# Heads


def heads():
    return [rgb(hue) for hue in HEADS]


@SCHEMES
def test_numbers_are_read_on_the_hue_of_every_head(scheme):
    for hue in heads():
        ground = over(hue, HEAD_SHARE, theme(scheme, "backgroundColor"))
        assert contrast(theme(scheme, "textColor"), ground) >= TEXT


@SCHEMES
@ALL_EYES
def test_heads_next_to_each_other_stay_apart(scheme, eye):
    seen = [as_seen(over(hue, HEAD_SHARE, theme(scheme, "backgroundColor")), eye) for hue in heads()]
    for one, other in itertools.pairwise(seen):
        assert far_apart(one, other) >= 4  # a hint: they are named, and their lines are of different kinds


@SCHEMES
def test_the_line_of_every_head_is_seen_and_of_its_own_kind(scheme):
    mixed = int(re.search(r"--edge: color-mix\(in srgb, var\(--line\) (\d+)%", CSS)[1]) / 100
    lines = re.findall(r'\[data-head="(\d)"\] \{ --line: (#\w+); \}', CSS)
    assert len(lines) == 4
    for head, hue in lines:
        edge = over(rgb(hue), mixed, theme(scheme, "textColor"))
        assert contrast(edge, theme(scheme, "backgroundColor")) >= NOT_TEXT, head
    assert set(re.findall(r"--kind: (\w+);", CSS)) == {"solid", "dashed", "dotted", "double"}
