from drivers.simulated.fault_model.rows import How, Row

ROWS = tuple(
    Row(n, How.NEXT, "", "", "", "")
    for n in [
        "no_credit_kept",
        "deposit_unreported",
        "jams",
        "removed_after_credit",
        "reset_after_deposit",
        "double_arrival_keeps_one",
        "kept_at_cut",
        "obeys_late",
        "counted_early",
        "counted_late",
        "counted_never",
        "falls_uncounted",
        "counts_without_fall",
        "reset_in_payout",
        "breaks_off",
    ]
)
