"""The Lab as a learner finds it: by role and label. Shared by the tests of the Lab."""

import json
import re

from playwright.sync_api import expect

from ui.scenario.link import write_link
from ui.scenario.presets import load_preset, preset_ids
from ui.words import Words, languages

WORDS = Words("en")
# What the page says about each example, by its title, in the order of the menu.
EXAMPLES = {WORDS(f"preset.{preset}.title"): WORDS(f"preset.{preset}.about") for preset in preset_ids()}
CLIPBOARD = ["clipboard-read", "clipboard-write"]  # permissions of a page whose clipboard a test reads
EXPLAINED = "Where this number comes from"
# What opens the menu, in any language.
MENU = re.compile("|".join(f"^{re.escape(Words(language)('bench.menu'))}$" for language in languages()))
# Which frame shows a matrix that has none of its own.
SHOWN_WITH = {"may look": "masked", "mask": "masked", "kept": "weights after dropout"}
SHOWN_WITH |= dict.fromkeys(("K by head", "V by head"), "Q by head") | {"V shared out": "K shared out"}
GIVEN = re.compile(r"^(W|b|γ|β|memory)")  # what stands beside X


def link_of(preset):
    return f"?s={write_link(load_preset(preset))}"


def open_lab(page, link=None):
    """Goes to the Lab and waits until it is there; with the 2×2 pixels, if no link is given."""
    page.goto(f"/lab{link_of('pixels_2x2') if link is None else link}")
    expect(page.locator(".film .frame").first).to_be_visible()
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


def show(page, name):
    """Walks to the step at which a matrix stands, unless it is on the stage."""
    place = grid(page, name).first
    if not place.is_visible():
        frame(page, "X" if GIVEN.match(name) else SHOWN_WITH.get(name, name)).click()
        tab = page.get_by_role("group", name="Which matrix").get_by_role("button", name=name, exact=True)
        if SHOWN_WITH.get(name) in ("Q by head", "K shared out"):
            tab.click()
    expect(place).to_be_visible()
    return place


def at(page, name):
    """A cell by its label, at a step at which its matrix stands."""
    show(page, name.partition(",")[0])
    return cell(page, name)


def type_into(page, name, text, then="Enter"):
    """Types over a cell, as in a spreadsheet."""
    at(page, name).click()
    page.keyboard.type(text)
    page.keyboard.press(then)


def seen(page, text):
    """A text that is seen; what is only spoken says some of it again."""
    return page.get_by_text(text).and_(page.locator(":not(.heard, .heard *)"))


def frames(page):
    """The frames of the filmstrip."""
    return page.get_by_role("navigation", name="Steps").get_by_role("listitem").get_by_role("button")


def frame(page, name):
    """The frame of a matrix, by its name."""
    return frames(page).and_(page.get_by_role("button", name=re.compile(f": {re.escape(name)}, [^,]*$")))


def go_to(page, title):
    """Presses a frame of a step and waits until the step is on the stage."""
    frames(page).and_(page.get_by_role("button", name=re.compile(f"^{title}: "))).last.click()
    in_focus(page, title)


def in_focus(page, title):
    expect(page.get_by_role("heading", name=title, exact=True, level=2)).to_be_visible()


def menu_button(page):
    """The ⋯ of the header, in every language."""
    return page.locator(".lab-head > button[aria-expanded]")


def open_menu(page):
    """Opens what stands behind ⋯, unless it is open."""
    more = menu_button(page)
    if more.get_attribute("aria-expanded") == "false":
        more.click()
    return page.locator(".lab-head .menu")


def close_menu(page):
    """By its own button, so that nothing else is pressed."""
    more = menu_button(page)
    if more.count() and more.get_attribute("aria-expanded") == "true":
        more.click()


def press(page, name):
    """Presses one of the things to do in the menu, and closes it."""
    open_menu(page).get_by_role("button", name=name, exact=True).click()
    close_menu(page)


def choices(page, name):
    """A group of choices, wherever it stands: in the header, at its own step or in the menu."""
    group = page.get_by_role("radiogroup", name=name, exact=True)
    if not page.locator(".lesson").count() and not group.is_visible():
        open_menu(page)
    return group


def choose(page, name, option):
    choices(page, name).get_by_role("radio", name=option, exact=True).click()
    close_menu(page)


def choose_in(panel, name, option):
    """The same in a panel."""
    panel.get_by_role("radiogroup", name=name).get_by_role("radio", name=option, exact=True).click()


def choose_language(page, language):
    """In the menu, and waits until the page is in it."""
    open_menu(page).locator(".language-choice select").select_option(language)
    expect(page.locator("html")).to_have_attribute("lang", language)
    close_menu(page)


def open_example(page, title):
    """Chooses an example and waits until it is on the board."""
    page.get_by_role("combobox", name="Example").select_option(label=title)
    expect(page.locator(".about")).to_have_text(EXAMPLES[title])


def open_panel(page, name):
    """Opens one of the panels and returns it; Share stands in the header, the others in the menu, which closes."""
    if name != "Share" and not page.locator(".lesson").count():
        open_menu(page)
    opener = opener_of(page, name)
    opener.click()
    expect(opener).to_have_attribute("aria-expanded", "true")
    panel = page.locator(".st-key-lab_panel")
    expect(panel).to_be_visible()
    return panel


def opener_of(page, name):
    """What opens a panel, in sight or in the closed menu."""
    return page.get_by_role("button", name=re.compile(f"^{re.escape(name)}.$"), include_hidden=True)


def set_number(place, name, number):
    """Fills one number of a panel or of the choices."""
    box = place.get_by_role("spinbutton", name=name, exact=True).or_(
        place.get_by_role("textbox", name=name, exact=True)
    )
    box.fill(str(number))
    box.press("Enter")


def arithmetic(page):
    """Where the number of the chosen cell is worked out."""
    return page.locator(".qkv-bench .arithmetic")


def view(page, name):
    """What is shown of the step: Meaning, Heatmap or Shapes."""
    views = page.get_by_role("group", name="What to show of this step")
    views.get_by_role("button", name=name, exact=True).click()
    expect(views.get_by_role("button", name=name, exact=True)).to_have_attribute("aria-pressed", "true")


def figure(page, of):
    """All heads of a step as heatmaps."""
    return page.get_by_role("figure", name=re.compile(rf"^Heatmap of {re.escape(of)}\.( |$)"))


def picture(page):
    """What the step means: a figure of Plotly's or one drawn at once."""
    return page.locator(".qkv-bench .meaning > :is(.figure, .drawn):visible")


def press_number(page, place, text, nth=0):
    """Clicks a number in a figure."""
    number = place.locator(".textpoint text", has_text=re.compile(f"^{re.escape(text)}$")).nth(nth)
    expect(number).to_be_visible()
    page.wait_for_function("(host) => host.drawn === host.turn", arg=place.element_handle())  # it stays so
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
