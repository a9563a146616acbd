"""The display process: draws what the supervisor tells it and reports touches."""
