"""The dossier, one folder for a testing laboratory: `python -m tests.dossier`. A chapter is a module of `chapters`."""
