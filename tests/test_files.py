"""The panel that brings files in: whatever the file, the page lives, says why, and keeps what it had."""

import io

import numpy as np
import pytest

from ui.files import export
from ui.scenario.link import read_link
from ui.scenario.presets import load_preset

from .test_pages import lab_tab


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def claiming(shape):
    """A .npz whose header claims a shape that its bytes do not have."""
    plain = npz(a=np.zeros((1000, 2)))
    return plain.replace(b"(1000, 2), }" + b" " * len(shape), f"{shape}, }}".encode().ljust(12 + len(shape)))


def opened(file_name, content, preset_id="pixels_2x2"):
    """The Lab with this file in its panel."""
    tab = lab_tab(load_preset(preset_id), panel="upload")
    tab.app.file_uploader(key="lab_file").set_value((file_name, content, "application/octet-stream"))
    return tab.run()


def used(tab):
    """The button of the panel was pressed, and what it asks for was done."""
    tab.app.button(key="lab_upload").click()
    tab.run()
    return tab.ask(*tab.sent["asked"]["acts"]) if "asked" in tab.sent else tab


def scenario_of(tab):
    return read_link(tab.sent["state"]["link"])


def said(tab):
    return " ".join(warning.value for warning in tab.app.warning).replace("\\", "")


def test_a_list_of_numbers_is_no_matrix():
    page = used(opened("a.json", b"[1, 2, 3]"))
    assert "“a” has the shape 3, but x needs 2–3 axes; here it has the shape 4, 4." in said(page)
    assert scenario_of(page).arrays == load_preset("pixels_2x2").arrays


@pytest.mark.parametrize(
    ("file_name", "content", "sentence"),
    [
        ("a.npz", npz(a=np.float64(0.5)), "“a” has 0 axes; 1 to 4 are needed."),
        ("a.json", b"3", "“a” has 0 axes; 1 to 4 are needed."),
        ("a.npz", claiming(f"({2**60}, 2)"), "“a” is longer than 8 MB when it is unpacked."),
        ("a.npz", npz(a=np.array(["word"])), "“a” holds str"),
        ("a.npz", npz(a=np.zeros((0, 3))), "“a” is empty: its shape is 0, 3."),
    ],
)
def test_what_cannot_be_used_is_not_offered(file_name, content, sentence):
    page = opened(file_name, content)
    assert sentence in said(page)
    assert not [button for button in page.app.button if button.key == "lab_upload"]


def test_every_tensor_of_an_export_can_be_chosen():
    trace = load_preset("pixels_2x2").trace()
    page = opened("attention.npz", export.as_npz(trace))
    for name in export.everything(trace):
        page.app.selectbox(key="lab_tensor").set_value(name)
        page.run()
        assert said(page) or used(page)


def test_all_that_match_are_loaded_at_once():
    arrays = {"x": np.eye(3, 5), "w_q": np.ones((5, 2)), "w_k": np.ones((5, 2)), "w_v": np.ones((5, 2))}
    page = opened("mine.npz", npz(**arrays))
    assert page.app.selectbox(key="lab_tensor").options[0] == "Load all 4: X, Wq, Wk, Wv"
    found = scenario_of(used(page))
    assert found.arrays == {name: array.tolist() for name, array in arrays.items()}


def test_the_matrix_of_its_name_is_chosen_and_transposed():
    weight = np.arange(8.0).reshape(2, 4)
    page = opened("a.npz", npz(**{"attn.k_proj.weight": weight}))
    assert page.app.selectbox(key="lab_target_attn.k_proj.weight").value == "w_k"
    assert "it is transposed" in " ".join(caption.value for caption in page.app.caption)
    assert scenario_of(used(page)).arrays["w_k"] == weight.T.tolist()


def test_a_matrix_that_does_not_fit_leaves_x_as_it_was():
    page = used(opened("a.npz", npz(w_q=np.ones((5, 6)))))
    assert "w_q has 5 along its in axis (shape (5, 6)), but 4 is needed" in page.message["sentence"]
    assert scenario_of(page).arrays == load_preset("pixels_2x2").arrays
