"""The launcher of the demo ends at a signal, however many come at once."""

import signal
import subprocess
import sys

LAUNCHER = """
import signal
from controller.features.demo.performance import ended_by_signals

for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
print("up", flush=True)
for _ in range(200):
    with ended_by_signals() as stopped:
        while not stopped.is_set():
            pass
"""


def test_many_signals_at_once_end_it() -> None:
    """`timeout` sends two; where the second interrupted the first's handler, the demo went on for ever."""
    with subprocess.Popen([sys.executable, "-c", LAUNCHER], stdout=subprocess.PIPE, text=True) as launcher:
        assert launcher.stdout is not None
        assert launcher.stdout.readline() == "up\n"
        while launcher.poll() is None:
            launcher.send_signal(signal.SIGTERM)
            launcher.send_signal(signal.SIGINT)
        assert launcher.returncode == 0
