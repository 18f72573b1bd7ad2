"""The experiments of the papers behind riparian, and their data sets."""
