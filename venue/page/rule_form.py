"""Form for one alarm rule."""

from django import forms
from django.utils.translation import gettext_lazy as _

from venue.page.words import SEVERITIES


class RuleForm(forms.Form):
    """The editable fields of an alarm rule: whether it is enabled, severity, limit, hours, and time to escalation."""

    enabled = forms.BooleanField(label=_("Alarms"), required=False)
    severity = forms.ChoiceField(label=_("Severity"), choices=tuple(SEVERITIES.items()))
    figure = forms.IntegerField(
        label=_("Limit"),
        required=False,
        min_value=0,
        max_value=10**12,
        help_text=_("Seconds, degrees, percent, MB, hours or cents, as the rule counts."),
    )
    hours_from = forms.TimeField(label=_("Only from"), required=False, widget=forms.TimeInput(attrs={"type": "time"}))
    hours_to = forms.TimeField(label=_("Only to"), required=False, widget=forms.TimeInput(attrs={"type": "time"}))
    escalate_min = forms.IntegerField(
        label=_("Escalates after minutes"),
        required=False,
        min_value=1,
        max_value=10_080,
        help_text=_("Empty: never. An alarm that nobody has acknowledged by then goes to the next channels."),
    )
