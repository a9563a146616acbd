"""The SAS host protocol, machine side: frames, codecs, lines and the link (protocols.md §3, sas.md)."""
