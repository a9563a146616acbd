"""T: the device tests of the service menu, each a live page on the real drivers.

How to add one (T.n):

- Write a subclass of `device_test.DeviceTest` in a module here. `taken()` is an asynchronous context manager: it takes
  over the devices under test and returns them on every exit. `lines()` returns the page from memory; it is called
  every `live_pages.TICK_S`, after each key and after `context.changed()`. `run()` is the background task, cancelled at
  the end. A `DriverError` from any of them ends the test with a message.
- A row's action is a `page.DeviceAction`: an asynchronous function outside any journal transaction, which returns the
  message to show. One runs at a time, beside the menu; leaving the test cancels it.
- Add `device_test_page("T.n", "Title", Class)` to the module's `PAGES`, which `section.py` collects. The page needs the
  technician's key, PIN and the open main door.
- `DeviceTest.context` is a `context.TestContext`: `hardware` (real drivers; None where not fitted), `machine`, `clock`,
  `hold("lamps", "tower", "money")` (the machine's commands are held back and sent at the end), `record(text)` (an
  event), `changed()`, `touched()` (resets the idle timeout), `leave()`, `device_lines(device)`.
- A `patient` test has no idle timeout, nor has any test while an action runs. Without `keys` the panel's four buttons
  are plain inputs, and the page is operated by touch. `key(...)` may handle a key before the page does; `touch(...)`
  and `frames(...)` get the display's reports; `picture`, `marks` and `sound` are what it shows and plays. `result` is
  written into the event of the test's end.

A test leaves only events in the journal: a start after a power cut commands every device anew. While the menu is open
the machine takes no money and pulses no hard meter (`Conditions.meters_held`).
"""
