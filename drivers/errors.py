"""The errors that drivers raise.

DriverError (Exception)
├── PortError (OSError)           the port cannot be opened, or failed while in use
├── NoReplyError (TimeoutError)   the device did not answer within its time, after all retries
├── WireError (ValueError)        bytes that are no valid frame, or an answer that makes no sense
│   └── KeyLostError              an encrypted device was started anew and has lost its key
├── IdentityError (ValueError)    another device answers at this port than the configuration says
│   └── CurrencyError             it takes another currency than the cabinet is played in
├── SettingsError (ValueError)    a driver's settings cannot work
└── NotPulsedError                a hard meter was given no current at all: its pulse is still owed

A driver that raises is closed, reported as a fault and restarted with back-off by the supervisor.
"""


class DriverError(Exception):
    """Base class: communication with a device failed."""


class PortError(DriverError, OSError):
    """A port cannot be opened or failed while in use."""


class NoReplyError(DriverError, TimeoutError):
    """A device did not answer."""


class WireError(DriverError, ValueError):
    """Bytes that are no valid frame, or an answer that makes no sense."""


class KeyLostError(WireError):
    """An encrypted device has restarted and lost its key; it did not execute the command."""


class IdentityError(DriverError, ValueError):
    """Another device answers than the one that is configured."""


class CurrencyError(IdentityError):
    """A device takes another currency than the cabinet is played in."""


class SettingsError(DriverError, ValueError):
    """A driver's settings cannot work."""


class NotPulsedError(DriverError):
    """A hard meter was given no current at all: its pulse is still owed."""
