"""`python -m venue.page COMMAND`: Django's commands and the page's own, such as `run_alarms`."""

import os
import sys

from django.core.management import execute_from_command_line

from venue.page import config


def main() -> None:
    """Run the command given on the command line; exit with a message if the configuration is wrong."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "venue.page.settings"
    try:
        config.secret(config.from_environment())
    except config.ConfigError as error:
        sys.exit(f"venue page: {error}")
    execute_from_command_line([f"{sys.executable} -m venue.page", *sys.argv[1:]])


if __name__ == "__main__":
    main()
