"""Tests of controller.host_port."""
