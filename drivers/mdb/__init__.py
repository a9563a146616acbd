"""MDB drivers: coin changer and bill validator, through a bridge on a serial port."""
