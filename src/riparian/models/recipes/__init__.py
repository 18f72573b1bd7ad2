"""Published algorithms, and the default tree: each is a choice on the axes of one engine."""
