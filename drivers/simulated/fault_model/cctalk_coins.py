from drivers.simulated.fault_model.rows import How, Row

ROWS = tuple(
    Row(n, How.NEXT, "", "", "", "")
    for n in [
        "credit_sensor_timeout",
        "second_close",
        "sensor_blinded",
        "credit_sequence_error",
        "too_fast",
        "too_slow",
        "swallowed",
        "pulled_after_credit",
        "stuck_in_sorter",
        "missorted",
        "buffer_overflow",
        "reset_after_credit",
        "kept_at_cut",
        "obeys_late",
        "stuck_in_mouth",
        "not_recognised",
        "late_reply",
    ]
)
