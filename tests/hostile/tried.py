"""What becomes of a link, or of acts, on a page: refused with a sentence, or drawn. Anything else is a fault."""

import json
from contextlib import suppress
from functools import cache

from tests.student import LESSONS, lesson_page
from ui.files.upload import UploadError, read_tensor, tensors_in
from ui.message.types import sent
from ui.page.heads import HEADS
from ui.page.home import HOME
from ui.page.lab import LAB
from ui.page.request import arrival, is_act, read_request
from ui.scenario.link import MOST_CHARACTERS, LinkError, read_link, write_link

REFUSED, NOT_COMPUTED, DRAWN = "refused", "read, not computed", "drawn"
NOT_DONE, NOT_READ, READ = "read, an act refused", "listed, not read", "read"


@cache
def pages():
    """Every page there is."""
    return (LAB, HOME, HEADS, *map(lesson_page, LESSONS))


def answered(page, request):
    """The answer of a page; a fault of ours that it hid from the learner is raised here."""
    answer = page.respond(request, "en")
    for fault in answer.faults:
        raise fault
    json.dumps(sent(answer.data()), allow_nan=False)
    return answer


def try_link(link: str, page=LAB) -> str:
    """What became of a link."""
    refused = answered(page, arrival(link)).refused
    if not refused.startswith("link."):
        return NOT_COMPUTED if refused else DRAWN
    return REFUSED


def is_stable(link: str) -> bool:
    """Whether a link that can be read is written so that it is read the same."""
    try:
        again = write_link(read_link(link))
    except LinkError:
        return True
    return len(again) > MOST_CHARACTERS or write_link(read_link(again)) == again


def try_request(given: object, page=LAB) -> str:
    """What became of a request."""
    request = read_request(given)
    if request is None:
        return REFUSED
    refused = answered(page, request).refused
    return REFUSED if refused.startswith("link.") else NOT_DONE if refused else DRAWN


def try_file(name: str, content: bytes) -> str:
    """What became of a file."""
    try:
        tensors = tensors_in(name, content)
    except UploadError:
        return REFUSED
    became = NOT_READ
    for tensor in tensors:
        with suppress(UploadError):
            read_tensor(name, content, tensor.name)
            became = READ
    return became


def try_acts(page, state: dict, acts: list[list]) -> dict:
    """The state after some acts, which may be any that a request lets through."""
    history = [state["link"]]
    given = {"id": 1, "state": state, "acts": acts, "undo": history, "redo": history}
    if read_request(given) is None:
        given["acts"] = list(filter(is_act, acts))
    return answered(page, read_request(given)).state


@cache
def sections() -> list[tuple]:
    """Every section of the course: the page of its lesson, and its place there."""
    return [(page, place) for page in map(lesson_page, LESSONS) for place in range(len(page.sections))]
