"""Forests: trees that learn side by side and predict together."""
