"""Tests of controller.features.doctor."""
