"""What a learner does is never lost and never done twice, however soon they reload or the server dies.

The same with plain `streamlit run app.py` as with server.py. `make soak` does each of these for longer.
"""

import pytest

from tests.browser import losses
from tests.browser.lab_page import open_lab
from tests.browser.server import serve

SCRIPTS = ("server.py", "app.py")


@pytest.fixture(params=SCRIPTS, scope="module")
def server(request, tmp_path_factory):
    """For all tests below; some kill it and start it again."""
    with serve(tmp_path_factory.mktemp("killed"), request.param) as server:
        yield server


def test_reload_right_after_typing(new_page, server):
    assert losses.reload_right_after(new_page(server=server), 6, losses.seeded(1)) == 0


def test_back_right_after_typing(new_page, server):
    assert losses.back_right_after(new_page(server=server), 3, losses.seeded(2)) == 0


def test_typing_while_the_server_is_killed(new_page, server):
    page = new_page(server=server, expect_faults=True)
    assert losses.type_while_killed(page, server, 1, losses.seeded(3)) == 0


def test_another_server_between_two_keys(new_page, server, own_servers, tmp_path):
    other = own_servers.enter_context(serve(tmp_path, server.script))
    switch = own_servers.enter_context(losses.switch_between(server, other))
    page = new_page(server=server, expect_faults=True, base_url=switch.url, own=(switch.url,))
    assert losses.another_server_between(page, switch, 3, losses.seeded(4)) == 0


def test_a_server_that_begins_anew_before_the_first_number(new_page, server):
    page = new_page(server=server, expect_faults=True)
    assert losses.begun_anew_before_the_first(page, server, 1) == 0


def test_two_tabs_with_one_link_are_two(new_page):
    assert losses.one_link_in_two_tabs(new_page, 1) == 0


def test_a_number_is_on_its_way_until_its_address_is_written(new_page):
    """What `settled` waits for is said with the key, not when the page is drawn next."""
    page = open_lab(new_page())
    losses.type_number(page, 7)
    before = page.url
    waiting = page.evaluate("""() => {
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Delete", bubbles: true }));
        return document.querySelector(".qkv-bench").dataset.waiting;
    }""")
    assert int(waiting) > 0
    losses.settled(page)
    assert page.url != before


def test_a_tab_that_is_copied_right_after_typing(new_page):
    assert losses.copied_right_after(new_page(), 2, losses.seeded(5)) == 0


def test_a_tab_that_is_duplicated_in_the_middle_of_an_act(new_page):
    """Chromium copies the tab's storage: an act without an answer is in both, and each tab does it once."""
    one = open_lab(new_page())
    losses.type_number(one, 7)
    losses.settled(one)
    kept = one.evaluate("JSON.stringify({...sessionStorage})")
    other = new_page(fresh=True)
    other.add_init_script(
        f"""for (const [key, value] of Object.entries({kept})) {{
            const known = JSON.parse(value);
            if (key.endsWith(":lab") && !sessionStorage.getItem(key)) known.waiting = [["edit", "x", 1, 0, "9"]];
            sessionStorage.setItem(key, JSON.stringify(known));
        }}"""
    )
    other.goto(one.url)
    losses.has(other, 7)
    losses.has(other, 9, losses.NEXT)
    losses.settled(other)
    other.get_by_role("button", name="Undo").click()
    losses.has(other, 2, losses.NEXT)
    losses.has(other, 7)  # once: one step back undoes it
    losses.has(one, 7)
    losses.has(one, 2, losses.NEXT)
