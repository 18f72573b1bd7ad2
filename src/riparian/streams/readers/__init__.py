"""Files as streams, one file for each format."""
