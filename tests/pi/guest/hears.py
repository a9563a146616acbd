"""Within the emulated machine, as root: what is played on the first card of snd-aloop, heard on its other end.

`python3 hears.py SECONDS` prints the number of frames heard and the highest sample among them, of 32,767. It is the
system's libasound (alsa/pcm.h), without which the display would have no sound either.
"""

import array
import ctypes
import json
import sys
import time

PCM = b"hw:Loopback,1,0"
CAPTURE, S16, INTERLEAVED, CHANNELS, RATE, LATENCY_US = 1, 2, 3, 2, 44_100, 500_000
AT_ONCE = 4_410


def main(seconds: float) -> dict[str, int]:
    """Listen; raise `OSError` where nothing can be heard."""
    alsa = ctypes.CDLL("libasound.so.2")
    alsa.snd_pcm_readi.restype = ctypes.c_long
    alsa.snd_pcm_readi.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ulong]
    pcm = ctypes.c_void_p()
    opened = alsa.snd_pcm_open(ctypes.byref(pcm), PCM, CAPTURE, 0)
    if opened or (opened := alsa.snd_pcm_set_params(pcm, S16, INTERLEAVED, CHANNELS, RATE, 0, LATENCY_US)):
        raise OSError(-opened, f"{PCM.decode()} cannot be opened")
    samples = array.array("h", bytes(2 * CHANNELS * AT_ONCE))
    address, _ = samples.buffer_info()
    heard = highest = 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        read = alsa.snd_pcm_readi(pcm, address, AT_ONCE)
        if read < 0:
            alsa.snd_pcm_recover(pcm, int(read), 1)
            continue
        heard += read
        highest = max(highest, *map(abs, samples[: read * CHANNELS]), 0)
    return {"frames": heard, "highest": highest}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(float(sys.argv[1]))) + "\n")
