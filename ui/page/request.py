"""What a browser asks: its state, and what was done since. Hostile until it is read."""

from dataclasses import dataclass, field

from ui.scenario.link import MOST_CHARACTERS

MOST_ACTS = 1000  # in one request
MOST_STEPS_BACK = 100  # links of undo or redo in one request
LARGEST_ID = 2**53  # a whole number that JavaScript has


@dataclass(frozen=True)
class Request:
    """One request of a browser; with id 0 none was made: a page is being opened."""

    id: int = 0
    state: dict = field(default_factory=dict)
    acts: list[list] = field(default_factory=list)  # [kind, *details] each
    undo: list[str] = field(default_factory=list)  # as many links as the acts may go back, the newest last
    redo: list[str] = field(default_factory=list)
    outline: str = ""  # the one that the browser has


def arrival(link: str, language: str = "") -> Request:
    """A page is opened with this link in its address, or without one in this language."""
    return Request(state={"link": link, "language": language})


def read_request(given: object) -> Request | None:
    """A request within bounds; None for what is none, so that the address decides."""
    match given:
        case {
            "id": int(number),
            "state": dict(state),
            "acts": list(acts),
            "undo": list(undo),
            "redo": list(redo),
            **others,
        }:
            outline = others.get("outline", "")
            fits = 0 < number < LARGEST_ID and not isinstance(number, bool) and len(acts) <= MOST_ACTS
            fits = fits and all(map(is_act, acts)) and all(map(is_history, (undo, redo)))
            if fits and isinstance(outline, str) and len(outline) <= 40:
                return Request(number, state, acts, undo, redo, outline)
    return None


def is_act(act: object) -> bool:
    return isinstance(act, list) and len(act) > 0 and isinstance(act[0], str)


def is_history(links: list) -> bool:
    return len(links) <= MOST_STEPS_BACK and all(
        isinstance(link, str) and len(link) <= MOST_CHARACTERS for link in links
    )
