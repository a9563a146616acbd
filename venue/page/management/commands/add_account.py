"""`python -m venue.page add_account NAME --role administrator`: the first account of a venue."""

import getpass
import sys
from argparse import ArgumentParser

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from venue.page.audit import record
from venue.page.models import Account
from venue.page.roles import Role


class Command(BaseCommand):
    """Creates an account."""

    help = "Create an account; its password is read from the terminal, or from the first line of the input."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the name and the role."""
        parser.add_argument("name")
        parser.add_argument("--role", choices=[role.name.lower() for role in Role], default="administrator")

    def handle(self, *_args: object, **options: str) -> None:
        """Create the account, unless its name is taken or its password breaks the rules."""
        name = options["name"]
        if Account.objects.filter(username=name).exists():
            raise CommandError(f"there is an account {name!r} already")
        prompt = "Password: "
        password = getpass.getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
        try:
            validate_password(password)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        Account.objects.add(name, password, Role[options["role"].upper()])
        record("the venue's machine", "account added", detail={"account": name, "role": options["role"]})
