"""The app as a room reaches it: replicas behind nginx, with its headers. A breach of its policy fails."""

import json

import pytest
from playwright.sync_api import expect

from tests import nginx
from tests.browser.lab_page import at, cell, open_lab, open_panel, show, type_into
from tests.browser.server import serve_class


@pytest.fixture
def room(own_servers, tmp_path):
    nginx.require()
    return own_servers.enter_context(serve_class(tmp_path, 2))


def test_pages_figures_and_files_live_with_the_policy(new_page, room):
    page = new_page(server=room)
    page.goto("/")
    expect(page.locator(".shares .most")).to_contain_text("0.66")
    open_lab(page)
    type_into(page, "X, token p0, feature c0: 1", "7")
    expect(at(page, "Q, token p0, channel 0: 7")).to_be_visible()
    show(page, "weights")
    expect(page.locator(".meaning .js-plotly-plot text").first).to_be_visible()
    given = {"name": "x.csv", "mimeType": "", "buffer": b"5,6,7,8\n1,0,0,1\n0,1,0,1\n"}
    panel = open_panel(page, "Upload")
    panel.locator("input[type=file]").set_input_files(given)
    panel.get_by_role("button", name="Use it").click()
    expect(at(page, "X, token p0, feature c0: 5")).to_be_visible()
    panel = open_panel(page, "Download")
    with page.expect_download() as download:
        panel.get_by_role("button", name="(.json)").click()
    assert json.loads(download.value.path().read_text(encoding="utf-8"))
    page.goto("/projection")
    expect(cell(page, "X, token p0, feature c0")).to_be_visible()
