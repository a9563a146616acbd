from drivers.simulated.fault_model.rows import How, Row

ROWS = tuple(
    Row(n, How.NEXT, "", "", "", "")
    for n in [
        "falls_uncounted",
        "counts_without_fall",
        "jams",
        "breaks_off",
        "runs_on",
        "held_in_bezel",
        "back_reported",
        "falls_at_start",
        "boxed_at_start",
        "moves_to_box",
    ]
)
