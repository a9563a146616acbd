"""The events of the set-up guide."""

from controller.journal.event_catalogue import EventKind


class GuideEvent(EventKind):
    """What the set-up guide logs."""

    GUIDE_STEP = "service_menu", "Set-up guide, step done by the {who}: {step}"
