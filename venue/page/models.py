"""Tables that only the page uses: accounts with their settings, and alarm channels.

Data about cabinets and money is in the schema `venue`; the page reads it and changes it by calling functions.
"""

from typing import ClassVar

from django.contrib.auth.models import AbstractBaseUser, UserManager
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from venue.page.roles import Role

ROLES = (
    (Role.VIEWER.value, _("Viewer")),
    (Role.CASHIER.value, _("Cashier")),
    (Role.OPERATOR.value, _("Operator")),
    (Role.ADMINISTRATOR.value, _("Administrator")),
)
THEMES = (("", _("As the device")), ("light", _("Light")), ("dark", _("Dark")))
LANGUAGES = (("", _("As the browser")), ("en", "English"), ("de", "Deutsch"))


class Accounts(UserManager["Account"]):
    """Creates accounts."""

    def add(self, username: str, password: str | None, role: Role, name: str = "") -> "Account":
        """Create an account; without a password nobody can log in to it."""
        account = self.model(username=self.model.normalize_username(username), role=int(role), name=name)
        account.set_password(password)
        account.save(using=self._db)
        return account


class Account(AbstractBaseUser):
    """A person who logs in: name, password, one of four roles, language and colours."""

    username = models.CharField(_("Name"), max_length=60, unique=True, validators=[UnicodeUsernameValidator()])
    name = models.CharField(_("Full name"), max_length=120, blank=True)
    role = models.PositiveSmallIntegerField(_("Role"), choices=ROLES, default=Role.VIEWER.value)
    is_active = models.BooleanField(_("May log in"), default=True)
    language = models.CharField(_("Language"), max_length=2, choices=LANGUAGES, blank=True, default="")
    theme = models.CharField(_("Colours"), max_length=5, choices=THEMES, blank=True, default="")
    must_change = models.BooleanField(default=False)
    made_at = models.DateTimeField(auto_now_add=True)

    objects = Accounts()

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        """Orders accounts by name."""

        ordering: ClassVar[list[str]] = ["username"]

    def __str__(self) -> str:
        return self.username

    def is_verified(self) -> bool:
        """Whether this session has passed the second factor; django-otp's middleware replaces this method."""
        return False

    def may(self, role: Role) -> bool:
        """Whether this account has at least `role`."""
        return self.role >= role


class Channel(models.Model):
    """A destination for alarms: an Apprise URL such as `mailtos://` or `json://`."""

    name = models.CharField(_("Name"), max_length=60, unique=True)
    address = models.CharField(_("Address"), max_length=500)
    severity = models.CharField(
        _("From severity"),
        max_length=8,
        default="warning",
        choices=(("info", _("Info")), ("warning", _("Warning")), ("critical", _("Critical"))),
    )
    escalation = models.PositiveSmallIntegerField(
        _("When"), default=0, choices=((0, _("At once")), (1, _("When nobody has acknowledged it")))
    )
    language = models.CharField(_("Language"), max_length=2, default="en", choices=LANGUAGES[1:])
    enabled = models.BooleanField(_("In use"), default=True)

    class Meta:
        """Orders channels by name."""

        ordering: ClassVar[list[str]] = ["name"]

    def __str__(self) -> str:
        return self.name
