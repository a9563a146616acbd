"""Acceptors of coins and notes that give pulses."""
