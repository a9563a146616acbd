"""The attendant's and technician's menus: pages as data, which a display or a terminal shows (service-menu.md)."""
