"""To take along and to bring in: links, locks, uploads, downloads."""

import io
import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import (
    CLIPBOARD,
    arithmetic,
    at,
    cell,
    choices,
    choose,
    chosen,
    clipboard,
    close_menu,
    frame,
    go_to,
    grid,
    in_focus,
    open_example,
    open_lab,
    open_menu,
    open_panel,
    press,
    seen,
    type_into,
)
from ui.words import Words, languages


def state(page):
    """The part of an address that holds the state."""
    return "?" + page.url.partition("?")[2]


def upload(page, name, content):
    panel = open_panel(page, "Upload")
    panel.locator("input[type=file]").set_input_files({"name": name, "mimeType": "", "buffer": content})
    return panel


def test_the_address_holds_everything(lab, new_page, fresh_app_server):
    type_into(lab, "X, token p0, feature c0: 1", "7")
    choose(lab, "Mask", "Causal")
    choose(lab, "Decimals", "3")
    go_to(lab, "Softmax")
    at(lab, "weights, query p3, key p3").click()
    expect(arithmetic(lab)).to_contain_text("weights[p3, p3] = ")
    expect(chosen(lab)).to_have_count(1)
    expect(lab).to_have_url(re.compile(r"\?s=\w+"))
    board = ".qkv-bench .board"
    shown = lab.locator(board).inner_text()
    cold = new_page(server=fresh_app_server)  # a server that nobody has visited
    cold.goto(f"/lab{state(lab)}")
    for page in (lab, cold):
        if page is lab:
            page.reload()
        in_focus(page, "Softmax")
        expect(arithmetic(page)).to_contain_text("weights[p3, p3] = ")
        expect(page.locator(board)).to_have_text(shown, use_inner_text=True)
        expect(frame(page, "masked")).to_be_visible()
        expect(at(page, "Q, token p0, channel 0: 7")).to_be_visible()


def test_back_and_forward(lab):
    choose(lab, "Mask", "Causal")
    expect(frame(lab, "masked")).to_be_visible()
    choose(lab, "Scale", "Off")
    expect(frame(lab, "scaled")).to_have_count(0)
    lab.go_back()
    expect(frame(lab, "scaled")).to_be_visible()
    expect(frame(lab, "masked")).to_be_visible()
    lab.go_back()
    expect(frame(lab, "masked")).to_have_count(0)
    lab.go_forward()
    expect(frame(lab, "masked")).to_be_visible()


def test_a_broken_link_says_so_and_keeps_the_work(lab):
    lab.goto("/lab?s=1broken")
    expect(seen(lab, "This link is incomplete or was changed on its way.")).to_be_visible()
    expect(frame(lab, "output")).to_have_text("output 4×2")


def test_the_link_is_copied(new_page):
    page = open_lab(new_page(permissions=CLIPBOARD))
    type_into(page, "X, token p0, feature c0: 1", "7")
    expect(at(page, "Q, token p0, channel 0: 7")).to_be_visible()
    press(page, "Copy link")
    expect(page.get_by_role("status")).to_have_text("The link to exactly this state is in the clipboard.")
    link = clipboard(page)
    assert link == page.url
    assert "?s=" in link
    other = new_page()
    other.goto(link)
    expect(at(other, "Q, token p0, channel 0: 7")).to_be_visible()


def choose_many(page, panel, label, names):
    """Chooses one after another, each when the link has taken up the one before."""
    box = panel.get_by_role("combobox", name=label)
    link = panel.get_by_test_id("stCode").first
    for name in names:
        before = link.inner_text()
        box.fill(name)
        page.get_by_role("option", name=name, exact=True).click()
        expect(link).not_to_have_text(before)
    page.keyboard.press("Escape")  # closes the list, and not the panel
    for name in names:
        expect(panel.get_by_text(name, exact=True)).to_be_visible()


def test_a_teachers_link_locks_and_hides(real_lab, new_real_page):
    type_into(real_lab, "X, token p0, feature c0: 1", "7")
    expect(at(real_lab, "Q, token p0, channel 0: 7")).to_be_visible()
    panel = open_panel(real_lab, "Share")
    choose_many(real_lab, panel, "Locked: seen, but fixed", ["Heads", "Typing into all matrices", "Example"])
    choose_many(real_lab, panel, "Hidden: not there at all", ["Mask", "More", "Compare"])
    expect(choices(real_lab, "Mask")).to_be_visible()  # one's own page stays as it is
    pupil = new_real_page()
    pupil.goto(panel.get_by_test_id("stCode").first.inner_text().strip())
    expect(at(pupil, "Q, token p0, channel 0: 7")).to_be_visible()
    open_menu(pupil)
    expect(pupil.get_by_role("radiogroup", name="Heads").get_by_role("radio", name="2")).to_be_disabled()
    expect(pupil.get_by_role("combobox", name="Example")).to_be_disabled()
    expect(pupil.get_by_role("radiogroup", name="Scale").get_by_role("radio", name="Off")).to_be_enabled()
    for hidden in (
        pupil.get_by_role("radiogroup", name="Mask"),
        pupil.get_by_role("button", name=re.compile("^(More|Share).$")),
        pupil.get_by_role("button", name="Keep and compare"),
    ):
        expect(hidden).to_have_count(0)
    close_menu(pupil)
    at(pupil, "X, token p0, feature c0: 7").click()
    pupil.keyboard.type("9")
    pupil.keyboard.press("Enter")
    expect(cell(pupil, "X, token p0, feature c0: 7 (chosen, fixed by your teacher)")).to_be_visible()
    grid(pupil, "X").get_by_role("rowheader", name="p0").dblclick()
    expect(pupil.get_by_role("textbox")).to_have_count(0)


def test_a_csv_becomes_x_and_the_sizes_follow(real_lab):
    panel = upload(real_lab, "mine.csv", b"1;2,5;3;4\n5;6;7;8\n-1;0;1;1/2\n")
    expect(panel.get_by_role("combobox", name="Tensor")).to_have_value("mine (3×4)")
    panel.get_by_role("button", name="Use it").click()
    expect(at(real_lab, "X, token p0, feature c1: 2.50")).to_be_visible()
    expect(frame(real_lab, "weights")).to_have_text("weights 1×3×3")
    real_lab.get_by_role("button", name="Undo").click()
    expect(frame(real_lab, "X")).to_have_text("X 4×4")


def test_one_tensor_of_an_npz_is_chosen(real_lab):
    file = io.BytesIO()
    np.savez(file, first=np.zeros((2, 2)), second=np.full((4, 2), 3.0))
    panel = upload(real_lab, "two.npz", file.getvalue())
    panel.get_by_role("combobox", name="Tensor").click()
    real_lab.get_by_role("option", name="second (4×2)").click()
    expect(
        panel.locator(".st-key-lab_target_second")
    ).to_be_visible()  # the list of this tensor, not of the first
    panel.get_by_role("combobox", name="It becomes").click()
    real_lab.get_by_role("option", name="Wq", exact=True).click()
    panel.get_by_role("button", name="Use it").click()
    expect(at(real_lab, "Wq, feature c3, channel 1: 3")).to_be_visible()
    expect(at(real_lab, "Q, token p0, channel 0: 12")).to_be_visible()  # 3·(1 + 0 + 1 + 2)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.npz", b"PK\x03\x04 this is no archive", "This is not a whole npz file"),
        ("a.csv", b"1,2\n3,=cmd|' /C calc'!A0\n", "in row 2, column 2 is not a number that can be used here"),
        ("a.json", b'{"<img src=x>": "text"}', "holds something other than numbers in lists"),
    ],
)
def test_a_hostile_file_is_refused_and_the_board_stays(real_lab, name, content, sentence):
    panel = upload(real_lab, name, content)
    expect(panel.get_by_role("alert")).to_contain_text(sentence)
    expect(panel.get_by_role("alert")).to_contain_text("othing on the page was changed.")
    expect(panel.locator("img")).to_have_count(0)
    expect(panel.get_by_role("button", name="Use it")).to_have_count(0)
    expect(at(real_lab, "X, token p3, feature c0: 4")).to_be_visible()
    type_into(real_lab, "X, token p0, feature c0: 1", "7")
    expect(at(real_lab, "Q, token p0, channel 0: 7")).to_be_visible()


def test_files_can_be_taken_along(real_lab):
    type_into(real_lab, "X, token p0, feature c2: 1", "2")
    expect(at(real_lab, "Q, token p0, channel 1: 2")).to_be_visible()
    panel = open_panel(real_lab, "Download")
    taken = {}
    for label in ("NumPy script", "PyTorch script", "(.npz)", "(.json)", "(.csv)"):
        with real_lab.expect_download() as made:
            panel.get_by_role("button", name=label).click()
        taken[label] = made.value.path().read_bytes()
    assert b"np.testing.assert_allclose(output, expected" in taken["NumPy script"]
    assert b"torch.testing.assert_close" in taken["PyTorch script"]
    with np.load(io.BytesIO(taken["(.npz)"]), allow_pickle=False) as arrays:
        np.testing.assert_allclose(arrays["q"][0], [1, 2])
        np.testing.assert_allclose(arrays["weights"].sum(-1), 1)
    assert "weights" in json.dumps(json.loads(taken["(.json)"]))
    assert taken["(.csv)"].count(b"\n") > 50
    for script in ("NumPy script", "PyTorch script"):
        compile(taken[script], script, "exec")


def test_a_large_example_has_nothing_to_upload_into(real_lab):
    open_example(real_lab, "Textbook: 32 × 20 × 512, 8 heads")
    expect(open_panel(real_lab, "Upload").get_by_text("too large to be replaced")).to_be_visible()
    expect(open_panel(real_lab, "Download").get_by_role("button", name="(.npz)")).to_be_visible()
    real_lab.keyboard.press("Escape")
    expect(real_lab.locator(".st-key-lab_panel")).to_have_count(0)


@pytest.mark.parametrize("language", languages())
def test_a_refusal_is_shown_as_it_is_written(new_real_page, language):
    words, name = Words(language), ":smile: www.x.org **w**"
    page = open_lab(new_real_page(locale=language))
    panel = open_panel(page, words("panel.upload"))
    alert, field = panel.get_by_role("alert"), panel.locator("input[type=file]")
    field.set_input_files({"name": "a.csv", "mimeType": "", "buffer": b"1,2\n3,x\n"})
    expect(alert).to_contain_text(words("upload.cell", text="x", row=2, column=2))
    field.set_input_files({"name": "a.json", "mimeType": "", "buffer": json.dumps({name: "text"}).encode()})
    expect(alert).to_contain_text("**w**")
    expect(alert.locator("a")).to_have_count(0)
    assert alert.inner_text().replace("\u2060", "").strip() == words("upload.entry", name=name)
