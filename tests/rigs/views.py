"""Changes a `View` by the names of its parts' fields: `changed(view, credit_cents=500, focus="spin")`."""

from collections import defaultdict

import msgspec

from ui.protocol.messages import View

PART_OF = {
    field: part.name
    for part in msgspec.structs.fields(View)
    if isinstance(part.type, type) and issubclass(part.type, msgspec.Struct)
    for field in part.type.__struct_fields__
}
"""The part of a view that each field lies in; the view's own fields lie in none."""


def changed(view: View, **changes: object) -> View:
    """Return `view` with these fields changed, whether they are its own or a part's; an unknown one is a TypeError."""
    own: dict[str, object] = {}
    parts: defaultdict[str, dict[str, object]] = defaultdict(dict)
    for field, value in changes.items():
        (parts[PART_OF[field]] if field in PART_OF else own)[field] = value
    own |= {part: msgspec.structs.replace(getattr(view, part), **fields) for part, fields in parts.items()}
    return msgspec.structs.replace(view, **own)
