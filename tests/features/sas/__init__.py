"""Tests of controller.features.sas."""
