"""A model on the bench, and what the steps of a sequence need to know of it."""

from __future__ import annotations

import random

from tests.attack.random_rows import rows
from tests.attack.what_holds import contents, copy_of, is_a_whole_number_of_rows


class Dice(random.Random):
    def random_seed(self):
        return self.randrange(2**32)


class Bench:
    """A model, and what the steps need to know of it."""

    def __init__(self, kind, named, folder):
        self.kind, self.named, self.folder = kind, named, folder
        self.model = kind()

    def batch(self, seed, n):
        """Rows, every other time with a category or class that came in no batch before."""
        whole = self.kind.restructures
        batch = rows(seed, n // 3 if whole else n, self.named, whole)
        dice = Dice(seed)
        row = dice.randrange(1, len(batch))
        if self.named and dice.random() < 0.5:
            batch.X["colour"][row:] = f"colour {dice.randrange(30)}"
        if dice.random() < 0.3:
            batch.y[row] = f"label {dice.randrange(10)}"
        return batch

    def only_by_its_limit(self, error):
        """A good batch may be refused where its names do not fit below max_bytes."""
        if "max_bytes" not in self.kind.parameters:
            raise AssertionError(f"a good batch was refused: {error}") from error

    def refused(self, call, errors=(ValueError, TypeError)):
        """Asserts that a call raises and leaves the model as it was."""
        before = contents(self.model)
        try:
            call()
        except errors:
            assert contents(self.model) == before, "a refused batch changed the model"
        else:
            raise AssertionError("a bad batch was learned")

    def ended(self, call, batch):
        """Runs a call that may be ended by anything; checks what is left."""
        before = copy_of(self.model, self.kind)
        call()
        is_a_whole_number_of_rows(self.model, self.kind, before, batch)
