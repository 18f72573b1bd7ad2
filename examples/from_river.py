"""From River code: a riparian tree in River's pipelines, evaluation and ensembles.

Needs River, ``pip install '.[river]'``: ``python examples/from_river.py``.
"""

from river import ensemble, evaluate, metrics, preprocessing
from river.datasets import synth

import riparian as rp


def stream():
    return synth.SEA(seed=1, noise=0.05).take(10_000)


# A tree works in a pipeline and in the evaluation as it is.
tree = rp.HoeffdingTree()
model = preprocessing.StandardScaler() | tree
print(evaluate.progressive_val_score(stream(), model, metrics.Accuracy()))
print(f"{tree.n_leaves_} leaves; the first split was")
print(f"  {tree.splits()[0]}")

# One example at a time, by hand.
by_hand = rp.HoeffdingTree()
metric = metrics.Accuracy()
for x, y in stream():
    predicted = by_hand.predict_one(x)
    if predicted is not None:  # before the first example there is no prediction
        metric.update(y, predicted)
    by_hand.learn_one(x, y)
print(f"by hand, without the scaler: {metric}")

# An ensemble of River clones the tree.
bagged = ensemble.BaggingClassifier(rp.HoeffdingTree(grace_period=100), n_models=5, seed=1)
print("bagged:", evaluate.progressive_val_score(stream(), bagged, metrics.Accuracy()))
