"""The data that a user passes in: tables, labels, costs, uncertain values, and the schema."""
