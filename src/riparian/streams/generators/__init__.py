"""Streams made from a seed, as in the literature."""
