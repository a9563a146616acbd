"""How dates are written where a language leaves room: days as 2026-11-22 in English."""
