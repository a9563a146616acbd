"""Device drivers, wire protocols, and simulated devices."""
