"""The Lab: change any number, walk the steps, open any cell."""

from ui.board import matrices as board
from ui.board.comparing import compared, read_kept
from ui.board.matrices import shown_places
from ui.board.stages import board_names, steps_by_stage
from ui.heads.origin import origin_lines
from ui.message.assemble import assemble
from ui.message.types import May, Message
from ui.page.page import Page
from ui.predict.guesses import shown_guesses
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import Scenario
from ui.state.lab import HANDLERS, allowed, shown_panels
from ui.state.state import State, kept_link, start_of
from ui.words import Words


class LabPage(Page):
    name = "lab"

    def __init__(self):
        super().__init__()
        self.handlers |= HANDLERS

    def opening(self) -> Scenario:
        return load_preset(preset_ids()[0])

    def content(self, state: State, words: Words) -> Message:
        scenario, locks = state.scenario, state.scenario.locks
        trace = scenario.trace()
        shown, names = shown_places(scenario, trace), board_names(trace)
        found = assemble(scenario, names, shown, words)
        found.lines = origin_lines(scenario, words) or found.lines
        found.view.step = found.view.step or next(iter(steps_by_stage(trace)))
        found.panels = [
            (name, words(f"panel.{name}"), allowed(name, locks) == "locked")
            for name in shown_panels(scenario)
        ]
        found.panel = state.panel
        found.to_home = words("lab.to_home")
        found.may = May(
            rename=not (scenario.is_fixed or scenario.is_large),
            predict=allowed("predict", locks),
            compare=allowed("compare", locks),
            restart=start_of(state) is not None,
        )
        drawn = board.drawn_matrices(trace, names, shown)
        if scenario.view.predict:
            found.guesses, found.notes, found.score = shown_guesses(state, drawn, words)
        kept = read_kept(kept_link(state)) if kept_link(state) else None
        if kept is not None:
            found.compare = compared(scenario, trace, kept, drawn, words)
        return found


LAB = LabPage()
