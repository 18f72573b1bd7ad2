"""From the bytes of messages to columns, by a schema that is decided once."""
