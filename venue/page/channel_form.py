"""Form for a channel that alarms are sent to."""

from typing import TYPE_CHECKING, ClassVar

from apprise import Apprise
from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from venue.page.models import Channel

REFUSED = ("file", "syslog", "dbus", "glib", "gnome", "kde", "macosx", "windows", "exec", "config")
"""Address schemes that act on the venue's own machine instead of sending a message."""


if TYPE_CHECKING:
    _ChannelForm = forms.ModelForm[Channel]
else:
    _ChannelForm = forms.ModelForm


class ChannelForm(_ChannelForm):
    """A channel; its address is checked by Apprise."""

    class Meta:
        """The fields of a channel."""

        model = Channel
        fields: ClassVar[list[str]] = ["name", "address", "severity", "escalation", "language", "enabled"]
        help_texts: ClassVar[dict[str, object]] = {
            "address": _("Apprise's form: mailtos://name:password@mail.example, jsons://host/path, matrixs://…")
        }

    def clean_address(self) -> str:
        """Refuse an address that Apprise does not know or whose scheme is in `REFUSED`."""
        address = str(self.cleaned_data["address"]).strip()
        kind = address.partition("://")[0].lower()
        if kind in REFUSED or not Apprise().add(address):
            raise forms.ValidationError(gettext("This is not an address that messages can be sent to."))
        return address
