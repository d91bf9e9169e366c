"""How a Chromium is found, and what is done where there is none."""

import os
import subprocess
import sys

import pytest

from tests import debian
from tests.browser import chromium

OWN = "/cache/ms-playwright/chrome"  # where Playwright keeps the browser it downloads


class Machine:
    """A pretend machine: which browsers start on it, which installers work, and what was run on it."""

    def __init__(self, monkeypatch):
        self.commands = {}  # command name -> path
        self.starting = set()  # paths of browsers that start
        self.brings = {}  # installer ("apt-get" or "playwright") -> path of the browser it brings
        self.ran = []
        monkeypatch.delenv("QKV_CHROMIUM", raising=False)
        monkeypatch.setattr(chromium.shutil, "which", self.commands.get)
        monkeypatch.setattr(chromium.subprocess, "run", self.run)
        monkeypatch.setattr(chromium, "_playwrights_own", lambda: OWN if OWN in self.starting else None)
        self.be(monkeypatch, is_debian=True, root=True)

    def be(self, monkeypatch, *, is_debian, root):
        monkeypatch.setattr(debian, "is_debian", lambda: is_debian)
        monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000, raising=False)

    def run(self, command, **_):
        if command[1:] == ["--version"]:
            return subprocess.CompletedProcess(command, 0 if command[0] in self.starting else 1)
        self.ran.append(command)
        installer = "playwright" if "playwright" in command else command[0]
        if installer not in self.brings:
            return subprocess.CompletedProcess(command, 1)
        if "install" in command:
            self.add(self.brings[installer])
        return subprocess.CompletedProcess(command, 0)

    def add(self, path):
        self.commands[path.rsplit("/", 1)[-1]] = path
        self.starting.add(path)


@pytest.fixture
def machine(monkeypatch):
    return Machine(monkeypatch)


def test_the_chosen_browser_comes_first(machine, monkeypatch):
    machine.add("/usr/bin/chromium")
    machine.starting.add("/opt/mine")
    monkeypatch.setenv("QKV_CHROMIUM", "/opt/mine")
    assert chromium.find() == "/opt/mine"


def test_a_chosen_browser_that_does_not_start_is_an_error_and_not_passed_over(machine, monkeypatch):
    machine.add("/usr/bin/chromium")
    monkeypatch.setenv("QKV_CHROMIUM", "/opt/gone")
    with pytest.raises(FileNotFoundError, match="/opt/gone"):
        chromium.find()


def test_a_browser_on_the_path_is_used_and_nothing_is_installed(machine):
    machine.add("/usr/bin/google-chrome")
    assert chromium.ensure() == "/usr/bin/google-chrome"
    assert machine.ran == []


def test_a_command_that_does_not_start_is_passed_over(machine):
    machine.commands["chromium"] = "/usr/bin/chromium"  # there, but it does not start
    machine.add("/usr/bin/google-chrome")
    assert chromium.find() == "/usr/bin/google-chrome"


def test_a_mac_app_is_found(machine):
    machine.starting.add(chromium.MAC_APPS[0])
    assert chromium.find() == chromium.MAC_APPS[0]


def test_playwrights_own_browser_is_the_last_choice(machine):
    machine.starting.add(OWN)
    assert chromium.find() == OWN
    machine.add("/usr/bin/chromium")
    assert chromium.find() == "/usr/bin/chromium"


def test_without_any_browser_nothing_is_found(machine):
    assert chromium.find() is None


def test_root_on_debian_installs_the_packages(machine):
    machine.commands["apt-get"] = "/usr/bin/apt-get"
    machine.brings["apt-get"] = "/usr/bin/chromium"
    assert chromium.ensure() == "/usr/bin/chromium"
    update, install = machine.ran
    assert update[:2] == ["apt-get", "update"]
    assert install[:2] == ["apt-get", "install"]
    assert set(install) > {"-y", "--no-install-recommends", "chromium", "fonts-dejavu-core", "fonts-noto-cjk"}


@pytest.mark.parametrize(("is_debian", "root"), [(True, False), (False, True)])
def test_anyone_else_downloads_playwrights(machine, monkeypatch, is_debian, root):
    machine.be(monkeypatch, is_debian=is_debian, root=root)
    machine.commands["apt-get"] = "/usr/bin/apt-get"
    machine.brings = {"apt-get": "/usr/bin/chromium", "playwright": OWN}
    assert chromium.ensure() == OWN
    assert machine.ran == [[sys.executable, "-m", "playwright", "install", "chromium"]]


def test_when_debian_fails_the_download_is_tried(machine):
    machine.commands["apt-get"] = "/usr/bin/apt-get"
    machine.brings["playwright"] = OWN
    assert chromium.ensure() == OWN


def test_when_everything_fails_there_is_none(machine):
    machine.commands["apt-get"] = "/usr/bin/apt-get"
    assert chromium.ensure() is None
    assert [command[0] for command in machine.ran] == ["apt-get", sys.executable]


@pytest.mark.parametrize(
    ("os_release", "is_debian"),
    [
        ("ID=debian\n", True),
        ('NAME="Raspbian"\nID=raspbian\nID_LIKE=debian\n', True),
        ("ID=ubuntu\nID_LIKE=debian\n", False),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', False),
        ("ID=fedora\n", False),
    ],
)
def test_debian_is_told_from_its_relatives(tmp_path, os_release, is_debian):
    file = tmp_path / "os-release"
    file.write_text(os_release, encoding="utf-8")
    assert debian.is_debian(file) is is_debian


def test_where_there_is_no_os_release_it_is_not_debian(tmp_path):
    assert debian.is_debian(tmp_path / "os-release") is False


@pytest.mark.parametrize(("root", "sandbox"), [(True, False), (False, True)])
def test_only_root_goes_without_the_sandbox(machine, monkeypatch, root, sandbox):
    machine.be(monkeypatch, is_debian=True, root=root)
    assert chromium.launch_options("/usr/bin/chromium")["chromium_sandbox"] is sandbox


def test_the_script_prints_where_the_browser_is(machine, capsys):
    machine.add("/usr/bin/chromium")
    chromium.main()
    assert capsys.readouterr().out == "Chromium: /usr/bin/chromium\n"


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32", "other"])
def test_the_script_fails_and_says_what_to_install(machine, monkeypatch, platform):
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(SystemExit, match=r"The browser tests need a Chromium\. Install .+QKV_CHROMIUM"):
        chromium.main()


def test_the_script_fails_when_the_chosen_browser_does_not_start(machine, monkeypatch):
    monkeypatch.setenv("QKV_CHROMIUM", "/opt/gone")
    with pytest.raises(SystemExit, match="/opt/gone"):
        chromium.main()
