"""Star Quarry's words for the player, looked up through `ui.text`."""

SYMBOLS = {
    "comet": "Comet",
    "foreman": "Foreman",
    "robot": "Robot",
    "rocket": "Rocket",
    "drill": "Drill",
    "crystal": "Crystal",
    "ruby": "Ruby",
    "emerald": "Emerald",
    "sapphire": "Sapphire",
    "topaz": "Topaz",
    "amber": "Amber",
    "beacon": "Beacon",
}
"""What the player calls each symbol, in the order of the paytable."""

COMET_NOTE = "Wild, on reels {first} to {last}: stands for all but Beacon"
BEACON_NOTE = "{least} or more also bring {spins} free spins"
FOOT = "What each way pays at your bet  ·  Beacons pay anywhere"
