"""The computer that the cabinet runs on: its clock, heat, network, storage, sockets and service manager."""
