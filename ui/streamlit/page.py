"""A page of Streamlit's: what the browser asks goes into a pure function, what comes out is drawn.

The session holds nothing that cannot be lost: the browser's last request, which Streamlit keeps as the state of the
component, and what a panel asks the browser to do. Where there is no request, the address decides.
"""

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from ui.message.types import Data, sent
from ui.page.page import Answer, Page
from ui.page.request import Request, arrival, read_request
from ui.scenario.link import write_link
from ui.scenario.scenario import Scenario
from ui.serving import fairness
from ui.serving.log import TALLY
from ui.state.state import State
from ui.state.step import take_steps
from ui.streamlit import private
from ui.streamlit.component import mount, reported
from ui.streamlit.frame import settle
from ui.words import Words, best_language, languages

LOG = logging.getLogger("qkv_lab")
PARAMETER, LANGUAGE = "s", "l"  # of the address: a link, and without one a language
ASKED = "qkv_asked_{page}"  # what a panel of a page wants the browser to do
REPORTED = "qkv_reported_{page}"  # which of it the browser has reported, by its token
SESSION = "qkv_session"  # a name for this session, by which its use of the processor is counted


def request_of(page: Page) -> Request:
    """What the browser asks, or what the address of a page just opened says."""
    asked = read_request(reported(page.name))
    return asked or arrival(st.query_params.get(PARAMETER, ""), st.query_params.get(LANGUAGE, ""))


@dataclass(frozen=True)
class Desk:
    """What a panel may do: see the present state, and ask the browser to do acts."""

    page: Page

    @property
    def state(self) -> State:
        """The state of this moment, which may be newer than the one that the panel was drawn for.

        What the browser was asked for and has not done yet counts as done, so that a second press keeps the first.
        """
        request = request_of(self.page)
        state, _ = self.page.state_of(request)
        acts = [*request.acts, *on_its_way(self.page, request)]
        return take_steps(self.page, state, acts, request.undo, request.redo).state

    @property
    def waits(self) -> bool:
        """Whether the browser was asked for something that it has not done yet."""
        return bool(on_its_way(self.page, request_of(self.page)))

    def change(self, scenario: Scenario) -> None:
        self.do(["follow", write_link(scenario)])

    def do(self, *acts: list) -> None:
        """Acts that the browser does as if the learner had."""
        st.session_state[asked_key(self.page)] = {"token": secrets.token_hex(4), "acts": list(acts)}

    def say(self, key: str, **facts) -> None:
        """Why something was refused."""
        TALLY.refused(key)
        asked = {"token": secrets.token_hex(4), "acts": [], "refused": (key, facts)}
        st.session_state[asked_key(self.page)] = asked


def asked_key(page: Page) -> str:
    return ASKED.format(page=page.name)


def on_its_way(page: Page, request: Request) -> list[list]:
    """The acts that a panel asked the browser for, until it reports them."""
    asked = st.session_state.get(asked_key(page))
    if asked is None or asked["token"] == st.session_state.get(REPORTED.format(page=page.name)):
        return []
    return [] if all(act in request.acts for act in asked["acts"]) else asked["acts"]


def write_down_reported(page: Page, request: Request) -> None:
    """What the browser has reported once is not asked of it any more, whatever it reports later."""
    asked = st.session_state.get(asked_key(page))
    if asked is not None and not on_its_way(page, request):
        st.session_state[REPORTED.format(page=page.name)] = asked["token"]


def asked_for(page: Page, words: Words) -> dict | None:
    """What a panel asks for; the browser does it once, by its token."""
    asked = st.session_state.get(asked_key(page))
    if asked is None or "refused" not in asked:
        return asked
    key, facts = asked["refused"]
    return {"token": asked["token"], "acts": [], "sentence": words(key, **facts)}


def show(page: Page, title: str, draw_panel: Callable[[Desk, State, Words], None] | None = None) -> None:
    """Draws a page. What the browser asks afterwards runs `answer_request` alone.

    A whole run would have Streamlit look for all pages again, which takes as long as the answer. A server that began
    anew does not know the fragment, and drops what is asked of it: see `private.whole_page_on_reconnecting`.
    """
    settle()
    said: list[str] = []

    @st.fragment(**private.whole_page_on_reconnecting())
    def answer_request() -> None:
        session = st.session_state.setdefault(SESSION, secrets.token_hex(8))
        request = request_of(page)
        write_down_reported(page, request)
        with fairness.turn(session, opens=request.id == 0), TALLY.run():
            answer = page.respond(request, preferred_language(), fairness.Pace().goes_on)
            write_down(answer)
            if said != [answer.words(title)]:  # the language is another one
                said[:] = [answer.words(title)]
                st.set_page_config(page_title=said[0], page_icon="🔎", layout="wide")
            if draw_panel is not None:
                draw_panel(Desk(page), answer.now, answer.words)
            mount(page.name, sent(data_of(page, answer)))

    answer_request()


def write_down(answer: Answer) -> None:
    """For the log."""
    for fault in answer.faults:
        LOG.error("An act could not be done.", exc_info=fault)
    if answer.refused:
        TALLY.refused(answer.refused)
    TALLY.edited(len(answer.trail))


def data_of(page: Page, answer: Answer) -> Data:
    """What the browser gets."""
    data = answer.data()
    data.message.embedded = st.context.is_embedded or None
    data.asked = asked_for(page, answer.words)
    return data


def preferred_language() -> str:
    """The language where the state asks for none: the browser's own."""
    given = st.query_params.get(LANGUAGE, "")
    return given if given in languages() else best_language(st.context.locale)
