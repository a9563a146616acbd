from drivers.simulated.fault_model.rows import How, Row

ROWS = tuple(
    Row(n, How.NEXT, "", "", "", "")
    for n in [
        "jam_on_the_way",
        "jam_in_stacker",
        "cassette_out_on_the_way",
        "returned_in_spite",
        "stacked_in_spite",
        "pulled_on_the_way",
        "pulled_after_credit",
        "jam_after_credit",
        "end_unreported",
        "reset_after_end",
        "start_stacks",
        "start_returns",
        "order_refused",
        "order_ignored",
        "unreadable",
    ]
)
