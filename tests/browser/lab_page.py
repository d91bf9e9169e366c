"""The Lab as a learner finds it: by role and label. Shared by the tests of the Lab."""

import json
import re

from playwright.sync_api import expect

from ui.scenario.presets import preset_ids
from ui.words import Words

WORDS = Words("en")
# What the page says about each example, by its title, in the order of the menu.
EXAMPLES = {WORDS(f"preset.{preset}.title"): WORDS(f"preset.{preset}.about") for preset in preset_ids()}
CLIPBOARD = ["clipboard-read", "clipboard-write"]  # permissions of a page whose clipboard a test reads
EXPLAINED = "Where this number comes from"


def open_lab(page, link=""):
    """Goes to the Lab and waits until it is there."""
    page.goto(f"/lab{link}")
    expect(grid(page, "output").or_(grid(page, "X")).first).to_be_visible()
    return page


def cell(page, name):
    """A cell by a part of its label, or by a pattern."""
    if isinstance(name, re.Pattern):
        return page.get_by_role("gridcell", name=name)
    # The same, but without asking hundreds of cells for their name, again and again.
    return page.locator(f"[role=gridcell][aria-label*={json.dumps(name, ensure_ascii=False)}]:visible")


def chosen(page):
    """The cell whose arithmetic is shown."""
    return page.locator("[role=gridcell][aria-selected=true]:visible")


def grid(page, name):
    """A matrix by its name, whatever its shape and formula."""
    return page.get_by_role("grid", name=re.compile(rf"^{re.escape(name)} \d"))


def type_into(page, name, text, then="Enter"):
    """Types over a cell, as in a spreadsheet."""
    cell(page, name).click()
    page.keyboard.type(text)
    page.keyboard.press(then)


def seen(page, text):
    """A text that is seen; what is only spoken says some of it again."""
    return page.get_by_text(text).and_(page.locator(":not(.heard, .heard *)"))


def steps(page):
    return page.get_by_role("navigation", name="Steps").get_by_role("listitem").get_by_role("button")


def go_to(page, title):
    """Presses a step of the rail and waits until it is in focus."""
    steps(page).filter(has_text=re.compile(f"^{title} ")).click()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()


def in_focus(page, title):
    expect(page.get_by_role("heading", name=title, exact=True, level=2)).to_be_visible()


def choose(page, group, option):
    page.get_by_role("radiogroup", name=group).get_by_role("radio", name=option, exact=True).click()


def open_example(page, title):
    """Chooses an example and waits until it is on the board."""
    page.get_by_role("combobox", name="Example").select_option(label=title)
    expect(page.get_by_text(EXAMPLES[title], exact=True)).to_be_visible()


def open_panel(page, name):
    """Opens one of the panels above the workbench and returns it."""
    page.get_by_role("button", name=re.compile(f"^{name}.$")).click()
    expect(page.get_by_role("button", name=re.compile(f"^{name}.$"), expanded=True)).to_be_visible()
    panel = page.locator(".st-key-lab_panel")
    expect(panel).to_be_visible()
    return panel


def set_number(place, name, number):
    """Fills one number of a panel or of the choices."""
    box = place.get_by_role("spinbutton", name=name).or_(place.get_by_role("textbox", name=name))
    box.fill(str(number))
    box.press("Enter")


def arithmetic(page):
    """Where the number of the chosen cell is worked out."""
    return page.locator(".qkv-bench .arithmetic")


def figure(page, of):
    """The Plotly figure of the step in focus."""
    return page.get_by_role("figure", name=re.compile(f"^Figure of {re.escape(of)} "))


def press_number(page, place, text, nth=0):
    """Clicks a number in a figure."""
    number = place.locator(".textpoint text", has_text=re.compile(f"^{re.escape(text)}$")).nth(nth)
    number.scroll_into_view_if_needed()
    box = box_of(number)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def box_of(place):
    """Where something is on the screen; of a figure, which may just be drawn anew."""
    expect(place).to_be_visible()
    box = {"width": 0}
    while not box["width"]:  # it was just taken away
        box = place.evaluate("(place) => place.getBoundingClientRect().toJSON()")
    return box


def paste(page, text):
    """A block from the clipboard, into the cell that has the focus."""
    page.evaluate(
        """(text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const given = { clipboardData, bubbles: true, composed: true };
            document.activeElement.dispatchEvent(new ClipboardEvent("paste", given));
        }""",
        text,
    )


def clipboard(page):
    return page.evaluate("navigator.clipboard.readText()")


def fits_the_width(page):
    """Nothing is wider than the screen."""
    return page.evaluate(
        """(parts) => [document.documentElement, ...document.querySelectorAll(parts)]
            .every((part) => part.scrollWidth <= part.clientWidth)""",
        ".stMain, .qkv-bench, .lesson, .lesson-stage, .floor, .telling-body",
    )
