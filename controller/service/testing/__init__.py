"""T: the tests of the service menu, each a live page on the real drivers.

How to add one (T.n):

- A subclass of `trial.Trial` in a module here. `taken()` is an asynchronous context manager: it takes over just the
  devices that are tested, and gives them back on every way out. `lines()` returns what the page says now, from memory;
  it is asked again every `stand.TICK_S`, after each key and whenever `bench.changed()` is called. `run()` is the test's
  own background work, cancelled at the end. A `DriverError` out of any of them ends the test, and is told.
- What a row does is a `leaf.Drive`: an asynchronous function outside of any journal transaction, which returns what to
  tell. One runs at a time, beside the menu; leaving cancels it.
- `trial_leaf("T.n", "Title", Class)` in the module's `LEAVES`, which `section.py` gathers. Such a leaf wants the
  technician's key, PIN and the open main door.
- `Trial.bench` is a `bench.Bench`: `hardware` (real drivers; None where not fitted), `machine`, `clock`,
  `hold("lamps", "tower", "money")` (keeps the machine's hands off; given back with the machine's newest commands),
  `record(text)` (an event), `changed()`, `touched()` (somebody is at it), `leave()`, `device_lines(device)`.
- A `patient` test stays open untouched; any test does while a row's work goes on. Without `keys` the panel's four
  buttons are plain inputs, and touch alone moves the page. `key(...)` may take a key before the page does, `touch(...)`
  and `frames(...)` get what the display says; `picture`, `marks` and `sound` are what it is to show and play. The event
  of the test's end tells its `result`.

Nothing of a test stands in the journal but its events, so a start after a power cut knows nothing of it and commands
every device anew. While the menu is open the machine takes no money, and no hard meter is pulsed for the books
(`Machine.meters_held`).
"""
