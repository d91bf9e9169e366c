"""Ways in which what a learner does could be lost or done twice; each is tried and counted.

A short form of each is in the suite (test_nothing_is_lost.py), a long one in `make soak`.
"""

import random
import re
import socket
import threading
from contextlib import contextmanager, suppress

from playwright.sync_api import TimeoutError, expect

from tests.browser.lab_page import cell, link_of, open_lab

X = "X, token p0, feature c0:"  # the label of a cell begins so, its number follows
NEXT = "X, token p1, feature c0:"


def number_in(page, name=X):
    """The number of a cell, when the board is there."""
    label = cell(page, name).first.get_attribute("aria-label")
    return re.search(r": (\S+)", label)[1]


def has(page, number, name=X):
    expect(cell(page, f"{name} {number}")).to_be_visible()


def type_number(page, number, name=X):
    cell(page, name).first.click()
    page.keyboard.type(str(number))
    page.keyboard.press("Enter")


def settled(page):
    """All that was done is answered."""
    expect(page.locator(".qkv-bench[data-waiting='0']")).to_be_visible()


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def reload_right_after(page, times, rng, longest=0.3):
    """Types, every third time undoes it, and reloads after 0 to 300 ms; how often not that was shown."""
    open_lab(page)
    lost, before = 0, 1
    for turn in range(times):
        number = 2 + turn % 7  # never the same twice in a row
        undoes = turn % 3 == 2
        type_number(page, number)
        if undoes:
            press(page, "Undo")
        page.wait_for_timeout(1000 * longest * rng.random())
        page.reload()
        try:
            has(page, before if undoes else number)
            if undoes:
                press(page, "Redo")
                has(page, number)
        except AssertionError:
            lost += 1
        before = number
    return lost


def back_right_after(page, times, rng, longest=0.05):
    """Types and goes back within 50 ms: the number before must show, Forward brings the new one; faults."""
    faults = 0
    for turn in range(times):
        open_lab(page)
        type_number(page, 5)
        settled(page)
        type_number(page, 6 + turn % 3)
        page.wait_for_timeout(1000 * longest * rng.random())
        page.go_back()
        try:
            has(page, 5)
            settled(page)
            page.go_forward()
            has(page, 6 + turn % 3)
            settled(page)
            shown = page.url
            page.reload()
            has(page, 6 + turn % 3)
            assert page.url == shown
        except AssertionError:
            faults += 1
    return faults


def type_while_killed(page, server, times, rng):
    """Types eight numbers while the server is killed and started again at a random moment; how many are lost."""
    lost = 0
    for _ in range(times):
        open_lab(page)
        timer = threading.Timer(rng.uniform(0, 1.5), server.restart)
        timer.start()
        names = [f"X, token p{place // 4}, feature c{place % 4}:" for place in range(8)]
        numbers = dict(zip(names, rng.sample(range(10, 100), 8), strict=True))
        for name, number in numbers.items():
            type_number(page, number, name)
            page.wait_for_timeout(1000 * rng.uniform(0, 0.3))
        timer.join()
        lost += sum(not is_there(page, number, name) for name, number in numbers.items())
        lost += not goes_back_and_on(page, numbers)
    return lost


def goes_back_and_on(page, numbers):
    """One step back is one number back, for none was done twice; and on again."""
    (one, first), (other, second) = [*numbers.items()][-2:]
    try:
        press(page, "Undo")
        expect(cell(page, f"{other} {second}")).to_have_count(0)
        has(page, first, one)
        press(page, "Redo")
        has(page, second, other)
    except (AssertionError, TimeoutError):
        return False
    return True


def is_there(page, number, name=X):
    try:
        has(page, number, name)
    except AssertionError:
        return False
    return True


def begun_anew_before_the_first(page, server, times):
    """The server is killed and started again before anything is typed; how often what is typed then is lost."""
    lost = 0
    for turn in range(times):
        open_lab(page)
        server.restart()
        type_number(page, 2 + turn % 7)
        lost += not is_there(page, 2 + turn % 7)
    return lost


def one_link_in_two_tabs(open_page, times):
    """Each tab goes on by itself, whatever the other does, also after a reload; how often it did not."""
    lost = 0
    for _ in range(times):
        one, other = open_lab(open_page()), open_page()
        type_number(one, 7)
        settled(one)
        other.goto(one.url)
        try:
            has(other, 7)
            type_number(other, 8)
            settled(other)
            has(one, 7)
            type_number(one, 9, NEXT)
            settled(one)
            one.reload()
            has(one, 7)
            has(one, 9, NEXT)
            has(other, 8)
            expect(cell(other, f"{NEXT} 9")).to_have_count(0)
        except AssertionError:
            lost += 1
    return lost


def copied_right_after(page, times, rng, longest=0.05):
    """A tab is copied, with its storage, within 50 ms of a number: both have it, once; how often not."""
    lost = 0
    for turn in range(times):
        open_lab(page)
        type_number(page, 7)
        settled(page)
        type_number(page, 3 + turn % 3, NEXT)
        page.wait_for_timeout(1000 * longest * rng.random())
        with page.context.expect_page() as opened:
            page.evaluate("() => { window.open(location.href); }")
        for tab in (opened.value, page):
            numbers = {X: 7, NEXT: 3 + turn % 3}
            there = all(is_there(tab, number, name) for name, number in numbers.items())
            lost += not (there and goes_back_and_on(tab, numbers))
        opened.value.close()
    return lost


class Switch:
    """A door on loopback that leads to one of several servers; turning it cuts whoever is connected."""

    def __init__(self, ports):
        self.ports, self.at, self.open = ports, 0, []
        self.door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.door.getsockname()[1]}"
        threading.Thread(target=self.let_in, daemon=True).start()

    def let_in(self):
        with suppress(OSError):
            while True:
                visitor, _ = self.door.accept()
                inside = socket.create_connection(("127.0.0.1", self.ports[self.at]))
                self.open += [visitor, inside]
                for one, other in ((visitor, inside), (inside, visitor)):
                    threading.Thread(target=pass_on, args=(one, other), daemon=True).start()

    def turn(self):
        """From now on the next server answers; all connections are cut."""
        self.at = (self.at + 1) % len(self.ports)
        cut, self.open = self.open, []
        for one in cut:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def close(self):
        self.door.close()
        self.turn()


def pass_on(one, other):
    with suppress(OSError):
        while block := one.recv(65536):
            other.sendall(block)
    with suppress(OSError):
        other.shutdown(socket.SHUT_RDWR)


@contextmanager
def switch_between(*servers):
    switch = Switch([server.port for server in servers])
    try:
        yield switch
    finally:
        switch.close()


def another_server_between(page, switch, times, rng):
    """Turns to another server between two keys; how many numbers are lost."""
    page.goto(f"{switch.url}/lab{link_of('pixels_2x2')}")
    has(page, 1)
    lost = 0
    for turn in range(times):
        number = 2 + turn % 7
        type_number(page, number)
        page.wait_for_timeout(100 * rng.random())
        switch.turn()
        type_number(page, number + 1, NEXT)
        numbers = {X: number, NEXT: number + 1}
        lost += sum(not is_there(page, each, name) for name, each in numbers.items())
        lost += not goes_back_and_on(page, numbers)
    return lost


def seeded(seed):
    return random.Random(seed)
