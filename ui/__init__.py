"""The display process: draws what the supervisor sends and reports touches."""
