"""Coin changers and bill validators that speak MDB, through a bridge with a serial port."""
