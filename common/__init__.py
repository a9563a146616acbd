"""What every other folder may use: the words of an error, and JSON of a sender that is not trusted."""
