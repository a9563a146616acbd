"""What Macs, PCs, Linux and network storage leave in every folder that they have had open."""

from pathlib import Path

FILES = (".DS_Store", "._manifest.json", "._.DS_Store", "Thumbs.db", "desktop.ini", "Desktop.ini", ".apdisk")
FILES += (".localized", "Icon\r", ".com.apple.timemachine.donotpresent", ".~lock.meters.csv#", "~$meters.csv")
FILES += (".nfs00000001", "Thumbs.db:encryptable")
FOLDERS = (
    *("@eaDir", "#recycle", ".AppleDouble", ".Trash", "FOUND.000"),
    "System Volume Information",
    ".Trashes",
    ".fseventsd",
    ".Spotlight-V100",
    "$RECYCLE.BIN",
    ".Trash-1000",
    "lost+found",
    "__MACOSX",
)


def visited(folder: Path) -> None:
    """Macs and PCs have had this folder open."""
    for name in FILES:
        (folder / name).write_bytes(b"\x00\x05\x16\x07 a resource fork, or a list of icons")
    for name in FOLDERS:
        (folder / name).mkdir()
        (folder / name / "inside").write_text("anything")
