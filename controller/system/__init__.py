"""The computer of the cabinet: its clock, temperature, network, versions, sockets and service manager."""
