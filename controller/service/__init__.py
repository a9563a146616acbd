"""The attendant's and technician's menus: pages as data, shown by the display or a terminal (service-menu.md)."""
