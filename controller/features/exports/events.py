"""The events of exports."""

from controller.journal.event_catalogue import EventKind


class ExportEvent(EventKind):
    """What exports log."""

    EXPORT = "export", "Exported for the {who} to the stick {stick}: {name}"
    DIAGNOSTICS = "diagnostics", "Diagnostics for the {who} on the stick {stick}: {name}"
