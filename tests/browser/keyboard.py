"""The app by keyboard alone: Tab until something has the focus, arrows from cell to cell."""

from playwright.sync_api import expect

IS_FOCUSED = "(place) => place === document.activeElement"
MOST_TABS = 150


def reach(page, place, key="Tab"):
    """Presses Tab until something has the focus; behind the last one the first comes again."""
    expect(place).to_be_visible()
    for _ in range(MOST_TABS):
        if place.evaluate(IS_FOCUSED):
            return place
        page.keyboard.press(key)
    raise AssertionError("the Tab key never came there")


def press_on(page, place, key="Enter"):
    reach(page, place)
    page.keyboard.press(key)


def walk_to(page, cell):
    """Comes into the grid of a cell by Tab, and to the cell by arrows."""
    own = cell.evaluate("(one) => [one.dataset.row, one.dataset.column].map(Number)")
    reach(page, cell.locator("xpath=ancestor::table").locator("[tabindex='0']"))
    stop = page.evaluate(
        "[document.activeElement.dataset.row, document.activeElement.dataset.column].map(Number)"
    )
    for (less, more), before, wanted in zip(
        (("ArrowUp", "ArrowDown"), ("ArrowLeft", "ArrowRight")), stop, own, strict=True
    ):
        for _ in range(abs(wanted - before)):
            page.keyboard.press(more if wanted > before else less)
    expect(cell).to_be_focused()
    return cell


def type_over(page, cell, text):
    walk_to(page, cell)
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def choose_radio(page, group, option):
    """Comes into a group of radio buttons by Tab, and to one of them by arrows."""
    reach(page, group.locator("[role=radio][tabindex='0']"))
    for _ in range(group.get_by_role("radio").count()):
        if option.evaluate(IS_FOCUSED):
            return
        page.keyboard.press("ArrowRight")
    expect(option).to_be_focused()
