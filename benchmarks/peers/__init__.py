"""The other side of each benchmark: MOA, River, and the least that any learner must do."""
