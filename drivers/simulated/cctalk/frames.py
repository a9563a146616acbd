"""ccTalk frames with either checksum (part 1, sections 6 to 8; part 3, appendix 9)."""

from binascii import crc_hqx
from enum import IntEnum, StrEnum
from typing import Final, NamedTuple

from drivers.simulated.cctalk.encryption import FrameKey

HOST: Final = 1
EVERYBODY: Final = 0
"""The broadcast address."""

BYTE_GAP_S: Final = 0.050
"""The pause after which a receiver drops an incomplete frame."""

_BEFORE_DATA: Final = 4
_AROUND_DATA: Final = 5


class Framing(StrEnum):
    """The checksum of a frame.

    With `SIMPLE` all bytes add up to zero. With `CRC16` the source's byte is the low byte of CRC-16/XMODEM over the
    others, and the high byte is the last: such frames name no source.
    """

    SIMPLE = "simple"
    CRC16 = "crc16"


class Header(IntEnum):
    """The headers that simulated devices answer with or to, named as in part 2."""

    ACK = 0
    RESET = 1
    COMMS_STATUS = 2
    CLEAR_COMMS_STATUS = 3
    COMMS_REVISION = 4
    NAK = 5
    READ_BARCODE = 129
    ACCEPT_LIMIT = 135
    FIRMWARE_UPGRADE = 141
    CURRENCY_REVISION = 145
    STACKER_CYCLE = 147
    ERROR_COUNT_OF = 149
    ACCEPT_COUNT_OF = 150
    TEST_LAMPS = 151
    BILL_MODE_READ = 152
    BILL_MODE = 153
    ROUTE_BILL = 154
    BILL_POSITION = 155
    COUNTRY_SCALING = 156
    BILL_ID = 157
    READ_BILLS = 159
    CIPHER_KEY = 160
    PUMP_RNG = 161
    TEST_HOPPER = 163
    ENABLE_HOPPER = 164
    HOPPER_STATUS = 166
    DISPENSE = 167
    DISPENSE_COUNT = 168
    ADDRESS_MODE = 169
    BASE_YEAR = 170
    HOPPER_COIN = 171
    EMERGENCY_STOP = 172
    THERMISTOR = 173
    ALARM_COUNT = 176
    REQUEST_BANK = 178
    BANK = 179
    REQUEST_SECURITY = 180
    SECURITY = 181
    COIN_ID = 184
    COIN_ID_CHANGE = 185
    REQUEST_DEFAULT_PATH = 188
    DEFAULT_PATH = 189
    BUILD_CODE = 192
    FRAUD_COUNT = 193
    REJECT_COUNT = 194
    MODIFICATION_DATE = 195
    CREATION_DATE = 196
    CHECKSUM = 197
    READ_SORTER_PATH = 209
    SORTER_PATH = 210
    COIN_POSITION = 212
    OPTION_FLAGS = 213
    DATA_STORAGE = 216
    PAYOUT_LEVEL = 217
    ENTER_PIN = 218
    NEW_PIN = 219
    READ_SORTER_OVERRIDE = 221
    SORTER_OVERRIDE = 222
    ACCEPT_COUNT = 225
    INSERTION_COUNT = 226
    READ_MASTER_INHIBIT = 227
    MASTER_INHIBIT = 228
    READ_CREDIT = 229
    READ_INHIBITS = 230
    INHIBITS = 231
    SELF_CHECK = 232
    LATCH_OUTPUTS = 233
    OPTO_STATES = 236
    INPUT_LINES = 237
    TEST_OUTPUTS = 238
    OPERATE_MOTORS = 239
    TEST_SOLENOIDS = 240
    SOFTWARE_REVISION = 241
    SERIAL_NUMBER = 242
    DATABASE_VERSION = 243
    PRODUCT_CODE = 244
    CATEGORY = 245
    MANUFACTURER = 246
    VARIABLES = 247
    STATUS = 248
    POLLING_PRIORITY = 249
    ADDRESS_RANDOM = 250
    ADDRESS_CHANGE = 251
    ADDRESS_CLASH = 252
    ADDRESS_POLL = 253
    SIMPLE_POLL = 254


class Frame(NamedTuple):
    """One message; a `source` that was not on the wire is the host."""

    destination: int
    source: int
    header: int
    data: bytes = b""


def encode(frame: Frame, framing: Framing = Framing.SIMPLE, key: FrameKey | None = None) -> bytes:
    """Return the bytes of `frame`; under a `key` it has CRC-16, and only address and length are plain."""
    if key is not None:
        plain = encode(frame, Framing.CRC16)
        return plain[:2] + key.encipher(plain[2:])
    if framing is Framing.CRC16:
        head = bytes((frame.destination, len(frame.data)))
        tail = bytes((frame.header, *frame.data))
        low, high = crc_hqx(head + tail, 0).to_bytes(2, "little")
        return head + bytes((low,)) + tail + bytes((high,))
    body = bytes((frame.destination, len(frame.data), frame.source, frame.header, *frame.data))
    return body + bytes((-sum(body) & 0xFF,))


def decode(raw: bytes, framing: Framing, key: FrameKey | None = None) -> Frame | None:
    """Return the frame in `raw`, None if its checksum is wrong."""
    if key is not None:
        return decode(raw[:2] + key.decipher(raw[2:]), Framing.CRC16)
    data = raw[_BEFORE_DATA:-1]
    if framing is Framing.CRC16:
        right = crc_hqx(raw[:2] + raw[3:-1], 0) == raw[2] | raw[-1] << 8
        return Frame(raw[0], HOST, raw[3], data) if right else None
    return None if sum(raw) & 0xFF else Frame(raw[0], raw[2], raw[3], data)


class FrameReader:
    """Splits received bytes into frames for the device at `address`; skips other frames by length, unchecked.

    `spoilt` counts frames for it whose checksum was wrong.
    """

    def __init__(self, address: int, framing: Framing = Framing.SIMPLE) -> None:
        self.address = address
        self.framing = framing
        self.key: FrameKey | None = None
        self.spoilt = 0
        self._heard = bytearray()

    def feed(self, data: bytes) -> list[Frame]:
        """Return the valid frames for this device, or broadcast, that `data` completes."""
        self._heard += data
        frames = []
        while len(self._heard) > 1 and len(self._heard) >= (length := self._heard[1] + _AROUND_DATA):
            raw = bytes(self._heard[:length])
            del self._heard[:length]
            if raw[0] not in {self.address, EVERYBODY}:
                continue
            frame = decode(raw, self.framing, self.key)
            if frame is None:
                self.spoilt += 1
            else:
                frames.append(frame)
        return frames

    def drop(self) -> bool:
        """Drop an incomplete frame; return whether there was one."""
        begun = bool(self._heard)
        self._heard.clear()
        return begun
