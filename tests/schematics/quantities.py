"""How a part's value is written in a picture and on the page."""


def ohms(value: float) -> str:
    """Return a resistance such as `390 Ω`, `4.7 kΩ`."""
    return f"{value / 1000:g} kΩ" if value >= 1000 else f"{value:g} Ω"


def farads(value: float) -> str:
    """Return a capacitance such as `100 nF`, `4.7 µF`."""
    return f"{value * 1e6:g} µF" if value >= 1e-6 else f"{value * 1e9:g} nF"
