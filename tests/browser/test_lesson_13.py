"""Practice in a real browser: the worksheet on paper."""

import re

import pytest

from ui.course.exercise import LEVELS
from ui.course.worksheet import worksheet
from ui.words import Words, languages

SEEDS = (1, 2, 5, 17)
# What is wider or higher than its place, in print.
SPILLS = """() => [...document.querySelectorAll("section, li, .grids, .options, table")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
  .map((one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`)"""


@pytest.fixture(scope="module")
def paper(browser):
    """A page that is looked at as a printer sees it."""
    page = browser.new_page()
    page.emulate_media(media="print")
    yield page
    page.close()


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("level", LEVELS)
def test_a_worksheet_is_two_pages_and_nothing_is_cut_off(paper, level, language):
    for seed in SEEDS:
        paper.set_content(worksheet(seed, level, Words(language)))
        assert paper.evaluate(SPILLS) == []
        pdf = paper.pdf(prefer_css_page_size=True, print_background=True)
        assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 2
        [size] = set(re.findall(rb"/MediaBox\s*\[0 0 (\S+) (\S+)\]", pdf))
        assert [round(float(side)) for side in size] == [595, 842]  # points: A4


def test_a_page_that_spills_is_seen(paper):
    paper.set_content(worksheet(1, "easy", Words()))
    paper.add_style_tag(content="li { min-height: 90mm; }")
    assert paper.evaluate(SPILLS) != []
    pdf = paper.pdf(prefer_css_page_size=True, print_background=True)
    assert pdf.startswith(b"%PDF")
