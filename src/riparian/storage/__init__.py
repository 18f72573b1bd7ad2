"""Model files and other output files."""
