from drivers.simulated.fault_model.rows import How, Row

ROWS = tuple(
    Row(n, How.NEXT, "", "", "", "") for n in ["not_recognised", "swallowed", "pulse_lost", "pulse_added", "obeys_late"]
)
