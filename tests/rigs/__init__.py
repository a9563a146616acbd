"""What tests build on: machines, cabinets, books, devices and clocks."""
