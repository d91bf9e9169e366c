"""A learner without a browser: acts go in as the workbench reports them, messages come out of it."""

from ui.scenario.presets import load_preset
from ui.state import lab, session
from ui.words import Words


class Learner:
    """The Lab as one session sees it."""

    def __init__(self, preset_id):
        self.count = 0
        session.st.session_state.clear()
        session.st.session_state["scenario"] = load_preset(preset_id)

    def do(self, kind, *details):
        self.count += 1
        lab.on_acts([[self.count, kind, *details]])
        return self

    @property
    def scenario(self):
        return session.present()

    @property
    def trace(self):
        return session.trace()

    @property
    def message(self):
        return lab.lab_message(session.present(), Words())

    @property
    def sentence(self):
        return self.message.get("sentence", "")

    def values(self, key):
        """The numbers of a matrix as they are sent."""
        message = self.message
        keys = [matrix["key"] for matrix in message["new_outline"]["matrices"]]
        return message["values"][keys.index(key)]
