from drivers.simulated.fault_model.rows import How, Row

ROWS = tuple(
    Row(n, How.NEXT, "", "", "", "")
    for n in [
        "falls_uncounted",
        "counts_without_fall",
        "jams",
        "runs_on",
        "falls_at_cut",
        "forgets_payout",
        "falls_after_stop",
        "pays_stray",
        "late_reply",
    ]
)
