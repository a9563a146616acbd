"""The chapters of the dossier: each module has a `CHAPTER`."""
