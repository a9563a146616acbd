from drivers.simulated.bench.wheels import STEPS, WHEELS, Wheels, faces


def test_wheels_at_rest_show_the_figure() -> None:
    """A whole figure has every digit in its window, leading zeros too."""
    assert [turn / STEPS for turn in faces(1203 * STEPS)] == [0, 0, 0, 1, 2, 0, 3]


def test_a_wheel_is_taken_along_at_nine() -> None:
    """Half-way from 199 to 200 three wheels are between two digits, the others at rest."""
    assert [turn / STEPS for turn in faces(199 * STEPS + STEPS // 2)] == [0, 0, 0, 0, 1.5, 9.5, 9.5]


def test_wheels_run_over_at_their_end() -> None:
    """After its highest figure a meter starts at zero, as the real one does."""
    assert faces(10**WHEELS * STEPS) == (0,) * WHEELS


def test_first_figures_stand_at_once() -> None:
    """A bench that is opened late does not roll up from zero."""
    assert Wheels().roll({"coin_in": 500}, 10.0) == {"coin_in": 500 * STEPS}


def test_a_step_is_rolled_within_a_tenth_of_a_second() -> None:
    """One pulse turns the wheel gradually and has it at rest before the next can come."""
    wheels = Wheels()
    wheels.roll({"games": 5}, 0.0)
    half = wheels.roll({"games": 6}, 0.05)["games"]
    assert 5 * STEPS < half < 6 * STEPS
    assert wheels.roll({"games": 6}, 0.1)["games"] == 6 * STEPS


def test_a_far_figure_is_caught_up_and_not_passed() -> None:
    """Pulses given while the bench was away are rolled in quickly and end exactly."""
    wheels = Wheels()
    wheels.roll({"drop": 0}, 0.0)
    positions = [wheels.roll({"drop": 1000}, 0.1 * turn)["drop"] for turn in range(1, 41)]
    assert positions == sorted(positions)
    assert positions[-1] == 1000 * STEPS


def test_a_meter_never_turns_back() -> None:
    """A smaller figure is another cabinet's meter: it is shown at once."""
    wheels = Wheels()
    wheels.roll({"drop": 900}, 0.0)
    assert wheels.roll({"drop": 3}, 0.001) == {"drop": 3 * STEPS}
