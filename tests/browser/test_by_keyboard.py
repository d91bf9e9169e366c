"""By keyboard alone: all of the Lab, and a whole lesson in Korean, from first to last section."""

import re

from playwright.sync_api import expect

from tests.browser.keyboard import choose_radio, press_on, reach, type_over, walk_to
from tests.browser.lab_page import MENU, arithmetic, cell, frame, in_focus
from ui.words import Words


def no_mouse(page):
    """Where the mouse would be, nothing happens: a test that uses it by mistake fails."""
    page.evaluate(
        """() => {
            for (const kind of ["pointerdown", "mousedown", "touchstart"]) {
                document.addEventListener(kind, () => (window.usedMouse = true), true);
            }
        }"""
    )


def used_no_mouse(page):
    assert page.evaluate("window.usedMouse") is None


def test_all_of_the_lab(lab):
    press = lab.keyboard.press
    no_mouse(lab)
    menu = lab.get_by_role("button", name=MENU)
    press_on(lab, menu)
    masks = lab.get_by_role("radiogroup", name="Mask")
    choose_radio(lab, masks, masks.get_by_role("radio", name="Causal"))
    expect(frame(lab, "masked")).to_be_visible()
    press("ArrowLeft")
    expect(frame(lab, "masked")).to_have_count(0)
    press("Escape")
    expect(menu).to_be_focused()
    reach(lab, lab.get_by_role("button", name="Next step"))
    for _ in range(4):
        press("Enter")
    in_focus(lab, "Scores")
    press("ArrowRight")
    in_focus(lab, "Scale")
    press("ArrowLeft")
    in_focus(lab, "Scores")
    press("e")  # X beside the step
    type_over(lab, cell(lab, "X, token p0, feature c0"), "3")
    expect(cell(lab, "Q, token p0, channel 0: 3")).to_be_visible()
    press("Control+z")
    expect(cell(lab, "Q, token p0, channel 0: 1")).to_be_visible()
    press("Control+y")
    expect(cell(lab, "Q, token p0, channel 0: 3")).to_be_visible()
    walk_to(lab, cell(lab, "scores, query p0, key p3"))
    press("Enter")
    expect(arithmetic(lab)).to_contain_text("= 3·1 + 1·4 = 7")
    press_on(lab, arithmetic(lab).get_by_role("button", name="Q[p0, 0]", exact=True))
    expect(cell(lab, "Q, token p0, channel 0: 3 (chosen)")).to_be_visible()
    press_on(lab, arithmetic(lab).get_by_role("button", name="X[p0, c0]", exact=True))
    expect(cell(lab, "X, token p0, feature c0: 3 (chosen, type to change)")).to_be_visible()
    press_on(lab, frame(lab, "scores"))
    press_on(lab, menu)
    press_on(lab, lab.get_by_role("button", name="Predict this step"))
    press("Escape")
    expect(cell(lab, "scores, query p0, key p3: to be predicted")).to_be_visible()
    type_over(lab, cell(lab, "scores, query p0, key p3"), "7")
    expect(cell(lab, "scores, query p0, key p3: 7, right")).to_be_visible()
    press_on(lab, menu)
    press_on(lab, lab.get_by_role("button", name="End predicting"))
    press_on(lab, lab.get_by_role("button", name="Keep and compare"))
    press("Escape")
    type_over(lab, cell(lab, "X, token p0, feature c0: 3"), "9")
    expect(lab.get_by_role("heading", name="Changed since you kept it")).to_be_visible()
    expect(cell(lab, "Q, token p0, channel 0: 9 (6 more")).to_be_visible()
    press_on(lab, lab.get_by_role("button", name="Heatmap", exact=True))
    press_on(lab, lab.locator(".meaning > .figure + .numbers summary, .meaning .numbers summary").first)
    expect(lab.get_by_role("table", name="scores", exact=True)).to_be_visible()
    press_on(lab, menu)
    press_on(lab, lab.get_by_role("button", name="End comparing"))
    press_on(lab, lab.get_by_role("button", name="Copy link"))
    expect(lab.get_by_role("status")).to_have_text("The link to exactly this state is in the clipboard.")
    share = lab.get_by_role("button", name=re.compile("^Share.$"))
    press_on(lab, share)
    expect(share).to_have_attribute("aria-expanded", "true")
    press("Escape")
    expect(share).to_have_attribute("aria-expanded", "false")
    expect(share).to_be_focused()
    used_no_mouse(lab)


class Student:
    """A student of lesson 3 who has a keyboard and reads Korean."""

    def __init__(self, page):
        self.page = page
        self.words = Words("ko")

    def answer(self, text):
        reach(self.page, self.page.get_by_role("textbox", name=self.words("bench.your_answer")))
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")
        self.is_right()

    def pick(self, option):
        """Presses a possible answer, by its place."""
        press_on(self.page, self.page.locator(".ask .option").nth(option), " ")
        self.is_right()

    def is_right(self):
        expect(self.page.locator(".reply")).to_contain_text(self.words("bench.answer_right"))

    def done(self, number):
        expect(self.page.locator(".section").nth(number - 1)).to_have_class(re.compile(r"\bdone\b"))
        expect(self.page.locator(".lesson .why h3")).to_have_text(self.words("bench.why"))

    def go_on(self, number):
        press_on(
            self.page, self.page.get_by_role("button", name=self.words("bench.section_next"), exact=True)
        )
        expect(self.page.locator(".telling h2")).to_have_text(re.compile(rf"^{number}\. "))
        expect(self.page.locator(".telling h2")).to_be_focused()

    def cell(self, matrix, row, column):
        one = self.page.locator(
            f"figure.matrix:has(.name:text('{matrix}')) td[data-row='{row}'][data-column='{column}']"
        )
        return one.first

    def matrix(self, name):
        return self.words(f"name.{name}")


def test_a_whole_lesson_in_korean(new_page):
    page = new_page(locale="ko-KR")
    page.goto("/several_heads")
    expect(page.locator(".section")).to_have_count(6)
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    no_mouse(page)
    student = Student(page)
    student.answer("32, 8, 20, 64")
    walk_to(page, student.cell(student.matrix("weights"), 0, 0))
    page.keyboard.press("Enter")
    student.done(1)
    student.go_on(2)
    student.pick(page_option(page, "cat"))
    walk_to(page, student.cell(f"{student.matrix('weights')}, {Words('ko')('axis.head')} 1", 1, 2))
    page.keyboard.press("Enter")
    student.done(2)
    student.go_on(3)
    student.pick(1)
    heads = page.locator("[data-choice=n_heads]")
    choose_radio(page, heads, heads.get_by_role("radio", name="1", exact=True))
    student.done(3)
    student.go_on(4)
    student.pick(0)
    knob = page.locator(".knobs [role=radiogroup]")
    choose_radio(page, knob, knob.get_by_role("radio").nth(1))
    student.done(4)
    student.go_on(5)
    student.answer("4x4")
    type_over(page, student.cell(student.matrix("w_o"), 0, 2), "1")
    student.done(5)
    student.go_on(6)
    student.pick(0)
    press_on(page, page.locator(".knobs input[type=range]").nth(1), "ArrowRight")
    student.done(6)
    press_on(page, page.locator(".way.next"))  # on to the next lesson
    expect(page).not_to_have_url(re.compile("several_heads"))
    expect(page.locator(".section").first).to_be_visible()
    used_no_mouse(page)


def page_option(page, text):
    """The place of a possible answer that says something."""
    texts = page.locator(".ask .option").all_inner_texts()
    return next(place for place, one in enumerate(texts) if text in one)
