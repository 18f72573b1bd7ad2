"""Splits with confidence: what each split test does with noise, and what it promises.

``python examples/splits_with_confidence.py``; docs/splits.md has the reasons.
"""

import textwrap

import numpy as np

import riparian as rp

# Labels that have nothing to do with the features: every split is wrong.
X = np.random.default_rng(0).normal(size=(100_000, 5))
y = np.random.default_rng(1).integers(0, 2, size=100_000)
for model in (rp.VFDT(), rp.VFDT(tau=0), rp.MisclassificationTree(), rp.CTree()):
    model.partial_fit(X, y)
    print(f"noise, {model}: {len(model.splits())} splits")

# A stream with something to find: who competed at the first split, and by how much it was won.
tree = rp.VFDT()
print(rp.evaluate.prequential(tree, rp.streams.drifting(), rows=20_000))
first = tree.splits()[0]
print(f"{first}; decided by the {first.reason}")
for place, candidate in enumerate(first.candidates, start=1):
    print(f"  {place}. {candidate.cut}: {candidate.gain:.4f}")

# What follows from the bound, in words.
for model in (tree, rp.CTree(bound="confidence", tau=0.05)):
    if model is not tree:
        model.partial_fit(*rp.streams.sea(seed=1).take(200_000))
    print(textwrap.fill(f"{type(model).__name__}: {model.guarantee()}", 80))
