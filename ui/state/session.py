"""The one place that knows the session and the address bar: what the learner has, and its history.

A page that was just opened, and one that Back or Forward leads to, trust the address bar; any other run
trusts the session, because the address may be on its way. Controls change the scenario in their callbacks,
before the page is drawn.
"""

import contextlib
import secrets
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx

from attention_core import AttentionError, Trace
from ui.scenario.link import MOST_CHARACTERS, MOST_KEPT, LinkError, read_link, write_link
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import ELSEWHERE, HERE, Locks, Scenario, ScenarioError
from ui.serving import fairness
from ui.serving.log import TALLY
from ui.words import best_language, languages

PARAMETER = "s"  # of the address
MOST_STEPS_BACK = 100
MOST_ACTS = 1000  # in one message


def first_example() -> Scenario:
    return load_preset(preset_ids()[0])


def current(
    page: str = "lab",
    opening: Callable[[], Scenario] = first_example,
    belongs: Callable[[Scenario], Scenario] = lambda scenario: scenario,
) -> Scenario:
    """The scenario of this run: the session's own, or the one the address bar asks for.

    `opening` is what a page shows when the address asks for nothing; `belongs` makes of a link's scenario one
    that the page can show.
    """
    stays = st.session_state.get("page") == page
    first_time = not stays and arrive(page, opening)
    if stays:
        write_address()
    link = st.query_params.get(PARAMETER, "")
    if link != st.session_state["link"]:
        if trusts_address():
            follow(link, opening, belongs)
        else:
            point_at(st.session_state["link"])  # the address is older than the work
    if first_time:
        st.session_state["undo"] = []  # there was nothing before
    st.session_state["links"][page] = st.session_state["link"]
    st.session_state["arrived"] = True  # last: a run that is broken off has not arrived
    return st.session_state["scenario"]


# What belongs to the page that the learner is on; the rest of the session is about all of them.
OF_A_PAGE = ("scenario", "link", "undo", "redo", "start", "sentence", "panel", "kept", "good")
OF_A_PAGE += ("whole_page", "unwritten", "arrived")


def arrive(page: str, opening: Callable[[], Scenario]) -> bool:
    """Another page: the one before is put aside as it is. Whether this one is seen for the first time."""
    aside = st.session_state.setdefault("aside", {})
    if "page" in st.session_state:
        own = {name: st.session_state.pop(name) for name in OF_A_PAGE if name in st.session_state}
        aside[st.session_state["page"]] = own
    st.session_state.setdefault("links", {})
    st.session_state["page"] = page
    if page in aside:
        st.session_state.update(aside.pop(page) | {"arrived": False})
        return False
    if "scenario" not in st.session_state:
        st.session_state.update(scenario=opening(), link="")
    return True


def trusts_address() -> bool:
    """Whether the address decides: a page is being opened, or the learner went back or forward.

    Back that is pressed while the connection is cut, or in the moment of an act, is not known as such.
    """
    return not st.session_state.get("arrived", False) or by_history()


def by_history() -> bool:
    """Whether Back or Forward asked for this run, so that its address is one the learner wants."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def language(page: str = "lab") -> str:
    """The learner's language, known before the page begins: the link's, the one chosen, or the browser's."""
    scenario, link = st.session_state.get("scenario"), st.query_params.get(PARAMETER, "")
    opens = st.session_state.get("page") != page
    if link and link != st.session_state.get("link") and (opens or trusts_address()):
        with contextlib.suppress(LinkError):
            scenario = read_link(link)
    asked_for = scenario.view.language if scenario else ""
    return asked_for or st.session_state.get("language", "") or best_language(st.context.locale)


def chosen_language() -> str:
    """The language that a link or the learner asked for; empty where the browser's is taken."""
    scenario = st.session_state.get("scenario")
    return st.session_state.get("language", "") or (scenario.view.language if scenario else "")


def choose_language(details: list) -> None:
    """Another language, with everything else as it is; the whole page is written anew."""
    match details:
        case [str(code)] if code in languages():
            st.session_state.update(language=code, whole_page=True)
            links = st.session_state.setdefault("links", {})
            for page, link in links.items():  # pages that were left are found in this language too
                with contextlib.suppress(LinkError):
                    links[page] = write_link(read_link(link).looking(language=code)) if link else ""
            if "scenario" in st.session_state:
                change(present().looking(language=code))


def page() -> str:
    """The page that the learner is on."""
    return st.session_state.get("page", "lab")


def present() -> Scenario:
    """The scenario of this moment, for callbacks: they run before the page is drawn anew."""
    return st.session_state["scenario"]


def trace() -> Trace:
    """The computation of the present scenario, computed once however often it is asked for."""
    return computed(present())


def computed(scenario: Scenario) -> Trace:
    known = st.session_state.get("computed")
    if known is None or not known[0].computes_as(scenario):
        known = st.session_state["computed"] = (scenario, scenario.trace())
    return known[1]


def refused(scenario: Scenario) -> tuple[str, dict] | None:
    """Why a scenario cannot be computed, as the key of a sentence and its facts."""
    try:
        computed(scenario)
    except (AttentionError, ScenarioError) as error:
        return reason_of(error)
    return None


def reason_of(error: AttentionError | ScenarioError) -> tuple[str, dict]:
    kind = "error" if isinstance(error, AttentionError) else "scenario"
    return f"{kind}.{error.code}", error.facts


def follow(
    link: str,
    opening: Callable[[], Scenario] = first_example,
    belongs: Callable[[Scenario], Scenario] = lambda it: it,
) -> None:
    """Takes over the state of a link; one that cannot be read leaves everything as it was."""
    try:
        scenario = belongs(read_link(link)) if link else opening()
        reason = refused(scenario)
    except LinkError as error:
        reason = (f"link.{error.code}", {})
    if reason:
        say(reason[0], **reason[1])
    else:
        keep(take_start(scenario))
    st.session_state["link"] = link  # after what it stands for


def take_start(scenario: Scenario) -> Scenario:
    """Remembers where a link says that its teacher started; the scenario carries that on, where it fits."""
    if scenario.start == HERE or (scenario.locks != Locks() and not scenario.start):
        return starting_here(scenario)
    if scenario.start != ELSEWHERE:  # else this session may still know it
        st.session_state["start"] = None
        with contextlib.suppress(LinkError):
            st.session_state["start"] = read_link(scenario.start) if scenario.start else None
    return scenario


def starting_here(scenario: Scenario) -> Scenario:
    """The scenario, which is from now on what "start over" returns to."""
    st.session_state["start"] = replace(scenario, start="", locks=Locks())
    link = write_link(start().looking(kept=""))
    return replace(scenario, start=link if len(link) <= MOST_KEPT else ELSEWHERE)


def start_from_here() -> None:
    """The present state becomes the start that is shared, and that "start over" returns to."""
    change(starting_here(present()))


def return_to_start() -> None:
    """Back to the state that was shared, as the present page shows it."""
    now, shared = present(), start()
    if shared is not None:
        shared = shared.looking(language=now.view.language)
        change(replace(shared, locks=now.locks, start=now.start))


def start() -> Scenario | None:
    """The state that a teacher shared, in a session that began with it."""
    return st.session_state.get("start")


def keep(scenario: Scenario) -> None:
    """Makes `scenario` the present one and remembers the one before."""
    before = st.session_state["scenario"]
    if before.view.moment != scenario.view.moment:
        st.session_state.update(undo=[], redo=[])  # of another moment of a lesson
        say_nothing()
    elif not (before.computes_as(scenario) and before.names == scenario.names):
        st.session_state.pop("sentence", None)  # what could not be done is over
        st.session_state.setdefault("undo", []).append(before)
        del st.session_state["undo"][:-MOST_STEPS_BACK]
        st.session_state["redo"] = []
    st.session_state["scenario"] = scenario


def change(scenario: Scenario) -> None:
    """A control changed something: computed first, kept only if it can be, then put into the address bar."""
    reason = refused(scenario)
    link = "" if reason else write_link(scenario)
    if len(link) > MOST_CHARACTERS and scenario.start:
        scenario = replace(scenario, start=ELSEWHERE)
        link = write_link(scenario)
    if reason:
        say(reason[0], **reason[1])
    elif len(link) > MOST_CHARACTERS:
        say("link.too_much")
    else:
        keep(scenario)
        point_at(link)


def point_at(link: str) -> None:
    """The address shall become this link, as soon as what it stands for has been sent."""
    st.session_state.update(link=link, unwritten=True)
    st.session_state.setdefault("links", {})[page()] = link


def write_address() -> None:
    """Puts the session's link into the address, where that is behind: the browser takes the numbers first."""
    if st.session_state.get("unwritten"):
        st.query_params[PARAMETER] = st.session_state["link"]
        st.session_state["unwritten"] = False  # last: a run may be broken off at every look at the session


def is_good() -> None:
    """The present scenario was drawn."""
    st.session_state["good"] = present()


def return_to_good() -> None:
    """Back to the last scenario that was drawn, or to the first example."""
    scenario = st.session_state.get("good") or first_example()
    st.session_state["scenario"] = scenario
    point_at(write_link(scenario))


def start_anew(scenario: Scenario) -> None:
    """Begins with `scenario`, of the same teacher; there is nothing to undo."""
    scenario = replace(scenario, start=present().start)
    st.session_state.update(scenario=scenario, undo=[], redo=[])
    say_nothing()
    point_at(write_link(scenario))


def go_back(stack: str) -> None:
    """Undo ("undo") or redo ("redo"); where the learner looks and what a teacher locked stay."""
    if st.session_state.get(stack):
        now, scenario = present(), st.session_state[stack].pop()
        compared_with = scenario.view.kept or (now.view.kept if scenario.preset == now.preset else "")
        scenario = replace(scenario, view=replace(now.view, kept=compared_with), locks=now.locks)
        scenario = replace(scenario, start=now.start)
        other = "redo" if stack == "undo" else "undo"
        st.session_state.setdefault(other, []).append(now)
        st.session_state["scenario"] = scenario
        point_at(write_link(scenario))


def can_go(stack: str) -> bool:
    return bool(st.session_state.get(stack))


def keep_for_comparing() -> None:
    """The present result is what later ones are compared with. It travels in the link where it fits."""
    st.session_state["kept"] = present()
    change(present().looking(kept=fitting_link(present(), present())))


def fitting_link(kept: Scenario, now: Scenario) -> str:
    """The link of what is kept, where it fits into the link of what is shown; else nothing."""
    link = write_link(replace(kept.looking(kept="", cell=()), start=""))
    room = MOST_CHARACTERS - len(write_link(now.looking(kept=""))) - 200
    return link if len(link) <= min(MOST_KEPT, room) else ""


def forget_kept() -> None:
    st.session_state.pop("kept", None)
    change(present().looking(kept=""))


class Kept(NamedTuple):
    """What the present result is compared with: its trace, or why it has none."""

    scenario: Scenario
    trace: Trace | None
    reason: tuple[str, dict] | None = None


def kept() -> Kept | None:
    """The result that was kept, if there is one."""
    link, scenario = present().view.kept, st.session_state.get("kept")
    known = st.session_state.get("computed_kept")
    if not link and scenario is None:
        return None
    if known is None or known[0] != (link, scenario):
        known = st.session_state["computed_kept"] = ((link, scenario), read_kept(link, scenario))
    return known[1]


def read_kept(link: str, scenario: Scenario | None) -> Kept | None:
    """What a link says that was kept, or without one the session; None for a link that cannot be read."""
    try:
        scenario = read_link(link) if link else scenario
        return Kept(scenario, scenario.trace())
    except LinkError:
        return None
    except (AttentionError, ScenarioError) as error:
        return Kept(scenario, None, reason_of(error))


def swap_kept() -> None:
    """The result that was kept becomes the present one, and the other way round."""
    other, now = kept(), present()
    if other is None:
        return
    view = replace(now.view, kept="", cell=())
    swapped = replace(other.scenario, view=view, locks=now.locks, start=now.start)
    change(swapped.looking(kept=fitting_link(now, swapped)))
    if present() is not now:
        st.session_state["kept"] = now


def link_of(page: str) -> str:
    """Where the learner left a page, or nothing."""
    return st.session_state.get("links", {}).get(page, "")


def query(page: str = "lab") -> dict[str, str]:
    """What a link to a page carries along, so that the learner finds it as it was left."""
    return {PARAMETER: link_of(page)} if link_of(page) else {}


def leave_for(page: str, link: str = "") -> None:
    """Another page shall be opened, when this run gets to it."""
    st.session_state["leave_for"] = (page, {PARAMETER: link} if link else {})


def leaving() -> tuple[str, dict[str, str]] | None:
    """The page that shall be opened, told once."""
    return st.session_state.pop("leave_for", None)


def notes(moment: str) -> dict:
    """What this session knows of a moment of the course."""
    return st.session_state.setdefault("notes", {}).setdefault(moment, {})


def forget_notes() -> None:
    st.session_state.pop("notes", None)


def experiments(moment: str) -> dict:
    """Long computations of a moment; those of any other are given up."""
    if st.session_state.get("experiments", ("",))[0] != moment:
        st.session_state["experiments"] = (moment, {})
    return st.session_state["experiments"][1]


def panel() -> str:
    """The panel that is open above the workbench, or nothing."""
    return st.session_state.get("panel", "")


def toggle_panel(name: str) -> None:
    """Opens a panel, or closes it; it stands outside the workbench, so the whole page has to run."""
    st.session_state["panel"] = "" if panel() == name else name
    st.session_state["whole_page"] = True


def wants_whole_page() -> bool:
    return st.session_state.get("whole_page", False)


def whole_page_runs() -> None:
    st.session_state.pop("whole_page", None)


def say(key: str, **facts) -> None:
    """Leaves a sentence for the page to show until the next change: why something was refused."""
    TALLY.refused(key)
    st.session_state["sentence"] = (key, facts)


def say_nothing() -> None:
    st.session_state.pop("sentence", None)


def sentence() -> tuple[str, dict] | None:
    return st.session_state.get("sentence")


def apply_acts(acts: object, handlers: dict[str, Callable]) -> None:
    """What the learner did on the workbench: [count, kind, *details] each, in order.

    The browser repeats acts until they are acknowledged, so that none is lost; each is applied once. A
    handler checks the details itself; what it does not take, it leaves.
    """
    if not isinstance(acts, list) or len(acts) > MOST_ACTS:
        return
    row = fairness.Row()
    for act in acts:
        match act:
            case [int(count), str(kind), *details] if count > acknowledged():
                if not row.goes_on():
                    return  # the browser says the rest again
                try:
                    if kind in handlers:
                        handlers[kind](details)
                except Exception:
                    st.session_state["acknowledged"] = count  # a fault is not met again and again
                    raise
                st.session_state["acknowledged"] = count
                TALLY.edited()


def to_the_end(action: Callable[[], None]) -> None:
    """Does something whole. Where another page is asked for, Streamlit breaks off at any look at the session.

    It is done again then, and the page turned afterwards: an act that is not acknowledged is done once.
    """
    try:
        action()
    except RerunException:
        action()
        raise


def own_id() -> str:
    """A name for this session, so that what was meant for an earlier one is not done twice."""
    return st.session_state.setdefault("own_id", secrets.token_hex(4))


def fingerprint() -> int:
    """Of the link of the present state: the browser compares it with its address (`static/acts.js`)."""
    return zlib.crc32(st.session_state.get("link", "").encode())


def hold(outline: object) -> None:
    """The browser says which outline it has, so that this run need not send it again."""
    st.session_state["holding"] = outline


def holding() -> object:
    """The outline that the browser says it has; only for the run that its message caused."""
    return st.session_state.pop("holding", None)


def acknowledged() -> int:
    return st.session_state.get("acknowledged", 0)
