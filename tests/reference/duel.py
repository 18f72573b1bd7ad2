"""Bets between a node and its alternate (docs/certainty.md)."""

__all__ = ["Duel"]


class Duel:
    """Bets on the rows that a node and its alternate both predict; every difference is kept."""

    def __init__(self, wait: float) -> None:
        self.wait = wait
        self.pairs: list[tuple[float, float]] = []  # losses of the node and of the alternate
        self.ahead = self.behind = 1.0

    def bet(self, node: float, alternate: float) -> None:
        """Bet the mean of past differences over their mean square, at most 3/4."""
        if self.wait > 0:
            self.wait -= 1
            return
        past = [a - b for a, b in self.pairs]
        bet = min(0.75, abs(sum(past)) / (sum(d * d for d in past) + 8.0))
        if sum(past) > 0:
            self.ahead *= 1 + bet * (node - alternate)
        elif sum(past) < 0:
            self.behind *= 1 - bet * (node - alternate)
        self.pairs.append((node, alternate))

    @property
    def errors(self) -> tuple[float, float]:
        """The share of errors of both."""
        n = len(self.pairs)
        return sum(a for a, _ in self.pairs) / n, sum(b for _, b in self.pairs) / n
