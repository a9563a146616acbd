"""The serial ports and their devices as findings, compared with cabinet.toml."""

from collections.abc import Iterator, Sequence

from controller.configuration.cabinet_toml import Config
from controller.features.doctor.ports import KINDS, PortFound, Wanted, same_port, wanted_devices
from controller.features.doctor.processes import supervisor
from controller.features.doctor.world import USB_PRINTERS, World
from controller.system.findings import Finding, fine, note, wrong
from drivers.probe import Device
from drivers.validator_protocols import has_parity

SUBJECT = "ports"
_BUSY = "end that program, then ask again"
_ERROR = "run `sudo cabinet doctor`, or mend what it says"


def port_findings(world: World, config: Config | None, ports: Sequence[PortFound]) -> Iterator[Finding]:
    """Report each device that cabinet.toml names, then everything else on the ports."""
    wanted = wanted_devices(config) if config is not None else []
    running = supervisor(world)
    for one in wanted:
        yield _expected(one, ports, world, running)
    if not ports:
        yield note(SUBJECT, "no serial port", "plug an adapter in (docs/wiring.md)")
    for port in ports:
        mine = [one for one in wanted if same_port(world, one.port, port.path)]
        yield from _port(port, mine, running)


def table_of(device: Device) -> str:
    """Return the table of cabinet.toml for a device, or "" if the cabinet cannot use it."""
    return next((key for key, kinds in KINDS.items() if device.kind.casefold() in kinds), "")


def table_lines(device: Device, path: str) -> str:
    """Return the entry of cabinet.toml for a found device, in one line; "" if the cabinet cannot use it."""
    key = table_of(device)
    if not key:
        return ""
    lines = [f"[{key}]", f'port = "{path}"']
    if key in {"bill_validator", "hopper"} or device.protocol == "mdb":
        lines.append(f'protocol = "{device.protocol}"')
    if has_parity(device.protocol):
        lines.append(f'parity = "{device.parity}"')
    if device.protocol == "cctalk":
        lines.append(f"address = {device.address}")
    if key == "ticket_printer":
        serial = f"baud = {device.baud}" if device.baud else 'link = "network"'
        lines.append('link = "usb"' if path.startswith(USB_PRINTERS) else serial)
    if key == "hopper":
        lines.append("coin_value_cents = the value of its coins")
    return "; ".join(lines)


def _expected(one: Wanted, ports: Sequence[PortFound], world: World, running: str | None) -> Finding:
    key = f"{one.key}.port"
    port = next((port for port in ports if same_port(world, one.port, port.path)), None)
    if port is None:
        return wrong(SUBJECT, f"there is no {one.port}", _elsewhere(one, ports) or "plug its adapter in", key=key)
    if not port.was_asked:
        return _not_asked(one.port, key, port, running)
    same = [device for device in port.heard.devices if one.is_it(device)]
    if not same:
        return _missing(one, port, ports)
    return _same(one, same)


def _not_asked(name: str, key: str, port: PortFound, running: str | None) -> Finding:
    """Report a port that cabinet.toml names and that was not probed."""
    if port.user and port.user == running:
        return fine(SUBJECT, f"{name}: in use by {port.user}", key=key)
    if port.user:
        return wrong(SUBJECT, f"{name} is in use by {port.user}", _BUSY, key=key)
    if port.error:
        return wrong(SUBJECT, port.error, _ERROR, key=key)
    return note(SUBJECT, f"{name} was not asked: {port.unasked}", key=key)


def _missing(one: Wanted, port: PortFound, ports: Sequence[PortFound]) -> Finding:
    key = f"{one.key}.port"
    others = [device for device in port.heard.devices if table_of(device) == one.key]
    if others:
        found, lines = others[0], table_lines(others[0], one.port)
        mend = f"write {lines}"
        wanted_protocol = f"cabinet.toml says {one.protocol}"
        key = f"{one.key}.protocol" if one.key != "ticket_printer" else key
        return wrong(SUBJECT, f"{one.port}: {found}; {wanted_protocol}", mend, key=key)
    if port.heard.devices:
        seen = ", ".join(map(str, port.heard.devices))
        mend = _elsewhere(one, ports) or "put the plugs into their right sockets"
        return wrong(SUBJECT, f"{one.port}: {seen} instead of a {one.protocol} {one.key}", mend, key=key)
    mend = _elsewhere(one, ports) or _silent(port)
    return wrong(SUBJECT, f"{one.port}: nobody answers{_traces(port)}", mend, key=key)


def _same(one: Wanted, same: Sequence[Device]) -> Finding:
    if one.scanned and len(same) > 1:
        where = ", ".join(str(device.address) for device in same)
        mend = f"take all but one away, or write the address of the right one into [{one.key}]"
        return wrong(SUBJECT, f"{one.port}: several answer, at addresses {where}", mend, key=f"{one.key}.address")
    if one.address is not None and all(device.address != one.address for device in same):
        found = same[0].address
        mend = f"write address = {found}, or set the device to {one.address}"
        return wrong(
            SUBJECT, f"{one.port}: answers at address {found}, not {one.address}", mend, key=f"{one.key}.address"
        )
    device = next((device for device in same if device.address == one.address), same[0])
    if one.serial and device.serial not in {None, one.serial}:
        mend = "put the right device back, or correct `serial`"
        found_serial = f"serial number {device.serial}, not {one.serial}"
        return wrong(SUBJECT, f"{one.port}: {found_serial}", mend, key=f"{one.key}.serial")
    return fine(SUBJECT, f"{one.port}: {device}", key=one.key)


def _elsewhere(one: Wanted, ports: Sequence[PortFound]) -> str:
    """Return the remedy if the device is on another port, or "" if it is on none."""
    for port in ports:
        for device in port.heard.devices:
            if table_of(device) == one.key:
                return f"it is at another port: write {table_lines(device, port.path)}"
    return ""


def _port(port: PortFound, wanted: Sequence[Wanted], running: str | None) -> Iterator[Finding]:
    """Report what is on a port but not expected by cabinet.toml."""
    if wanted:
        strangers = [one for one in port.heard.devices if not any(table_of(one) == known.key for known in wanted)]
        # A port without any expected device is reported together with what is there instead.
        if len(strangers) < len(port.heard.devices):
            yield from (_stranger(one, port) for one in strangers)
    elif port.user:
        yield (fine if port.user == running else note)(SUBJECT, f"{port.path}: in use by {port.user}")
    elif port.unasked:
        yield note(SUBJECT, f"{port.path}: not asked, {port.unasked}")
    elif port.error:
        yield wrong(SUBJECT, port.error, _ERROR)
    elif port.heard.devices:
        yield from (_stranger(one, port) for one in port.heard.devices)
    else:
        yield note(SUBJECT, f"{port.path}: nobody answers{_traces(port)}", _silent(port))


def _stranger(device: Device, port: PortFound) -> Finding:
    lines = table_lines(device, port.path)
    return note(SUBJECT, f"{port.path}: {device}", f"to use it write {lines}" if lines else "")


def _traces(port: PortFound) -> str:
    if port.heard.echo:
        return ", the line returns what is sent"
    if port.heard.noise:
        return f", bytes of no known protocol come: {port.heard.noise.hex(' ')}"
    return ""


def _silent(port: PortFound) -> str:
    if port.heard.echo:
        return "this is a ccTalk adapter: check the supply of its device and the data wire"
    if port.heard.noise:
        return "check the device's protocol switches, its rate and the ground between both supplies"
    return "check the device's supply, its cable, and RX and TX"
