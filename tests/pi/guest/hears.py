"""Within the emulated machine, as root: what is played on the first card of snd-aloop, heard on its other end.

`python3 hears.py SECONDS` prints the number of frames heard and the highest sample among them, of 32,767. It is the
system's libasound (alsa/pcm.h), without which the display would have no sound either. The card's far end has the
format that its near end was opened with.
"""

import array
import ctypes
import json
import sys
import time
from pathlib import Path

PCM = b"hw:Loopback,1,0"
PLAYED = Path("/proc/asound/Loopback/pcm0p/sub0/hw_params")
CAPTURE, INTERLEAVED, LATENCY_US = 1, 3, 500_000
FORMATS = {"S16_LE": (2, "h", 1.0), "S32_LE": (10, "i", 2.0**-16), "FLOAT_LE": (14, "f", 32_767.0)}
"""Each format's number in libasound, its array's type, and what makes a sample one of 16 bits."""
AT_ONCE = 4_410


def main(seconds: float) -> dict[str, int]:
    """Listen; raise `OSError` where nothing can be heard."""
    alsa = ctypes.CDLL("libasound.so.2")
    alsa.snd_pcm_readi.restype = ctypes.c_long
    alsa.snd_pcm_readi.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ulong]
    played = dict(line.split(": ", 1) for line in PLAYED.read_text(encoding="ascii").splitlines())
    number, kind, scale = FORMATS[played["format"]]
    channels, rate = int(played["channels"]), int(played["rate"].split()[0])
    pcm = ctypes.c_void_p()
    opened = alsa.snd_pcm_open(ctypes.byref(pcm), PCM, CAPTURE, 0)
    if opened or (opened := alsa.snd_pcm_set_params(pcm, number, INTERLEAVED, channels, rate, 0, LATENCY_US)):
        raise OSError(-opened, f"{PCM.decode()} cannot be opened")
    samples = array.array(kind, [0] * (channels * AT_ONCE))
    address, _ = samples.buffer_info()
    heard, highest = 0, 0.0
    # One that reads less than the whole buffer must start the card itself.
    alsa.snd_pcm_start(pcm)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        read = alsa.snd_pcm_readi(pcm, address, AT_ONCE)
        if read < 0:
            alsa.snd_pcm_recover(pcm, int(read), 1)
            alsa.snd_pcm_start(pcm)
            continue
        heard += read
        highest = max(highest, *map(abs, samples[: read * channels]), 0)
    return {"frames": heard, "highest": round(highest * scale)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(float(sys.argv[1]))) + "\n")
