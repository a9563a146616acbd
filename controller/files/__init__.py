"""Files, whatever they hold: written so that a power cut leaves all or nothing, read with a bound."""
