"""Forms for login and accounts."""

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.contrib.auth.password_validation import password_validators_help_text_html, validate_password
from django.utils.translation import gettext_lazy as _

from venue.page.models import Account

if TYPE_CHECKING:
    _AccountForm = forms.ModelForm[Account]
else:
    _AccountForm = forms.ModelForm


class TokenForm(forms.Form):
    """The second factor: the six digits of an authenticator, or a backup code."""

    token = forms.CharField(
        label=_("Code"),
        max_length=16,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "autofocus": True}),
    )

    def clean_token(self) -> str:
        """Remove the spaces that authenticators show in a code, and lower its case."""
        return str(self.cleaned_data["token"]).replace(" ", "").lower()


class LooksForm(_AccountForm):
    """The language and colours that an account chooses for itself."""

    class Meta:
        """The fields that an account changes for itself."""

        model = Account
        fields: ClassVar[list[str]] = ["language", "theme"]


class AccountForm(_AccountForm):
    """An account in the administrator's view; the password changes only if one is typed.

    The user name of an existing account cannot change: under a new name the same person could approve an action that
    they proposed.
    """

    password = forms.CharField(
        label=_("First password"),
        required=False,
        strip=False,
        help_text=password_validators_help_text_html,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    class Meta:
        """The fields that an administrator changes."""

        model = Account
        fields: ClassVar[list[str]] = ["username", "name", "role", "is_active"]
        # Keep the browser from filling in the administrator's own names.
        widgets: ClassVar[dict[str, forms.Widget]] = {
            name: forms.TextInput(attrs={"autocomplete": "off"}) for name in ("username", "name")
        }

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.fields["username"].disabled = self.instance.pk is not None

    def clean_password(self) -> str:
        """Require a password for a new account, and check it against the password rules."""
        password = str(self.cleaned_data.get("password") or "")
        if password:
            validate_password(password, self.instance)
        elif self.instance.pk is None:
            raise forms.ValidationError(_("A new account needs a first password."))
        return password

    def save(self, commit: bool = True) -> Account:  # noqa: FBT001, FBT002 - Django's own signature
        """Store the account; a new password must be changed at the next login."""
        account = super().save(commit=False)
        if self.cleaned_data["password"]:
            account.set_password(self.cleaned_data["password"])
            account.must_change = True
        if commit:
            account.save()
        return account
