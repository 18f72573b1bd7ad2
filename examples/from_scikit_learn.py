"""From scikit-learn code: the loop stays, the model changes.

Needs nothing but riparian: ``python examples/from_scikit_learn.py``.
"""

from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

import riparian as rp

X, y = make_classification(
    n_samples=60_000, n_features=12, n_informative=6, n_classes=3, random_state=0
)
X_train, y_train = X[:50_000], y[:50_000]
X_test, y_test = X[50_000:], y[50_000:]


def learn_in_batches(model, size=1_000):
    for start in range(0, len(y_train), size):
        rows = slice(start, start + size)
        model.partial_fit(X_train[rows], y_train[rows], classes=[0, 1, 2])
    return model


print("accuracy on rows that were not learned")
for model in (GaussianNB(), rp.VFDT(), rp.HoeffdingTree()):
    learn_in_batches(model)
    print(f"  {type(model).__name__:14} {model.score(X_test, y_test):.3f}")

# The size of the batches changes nothing, nor does learning all rows at once.
whole = rp.HoeffdingTree().partial_fit(X_train, y_train, classes=[0, 1, 2])
print("one batch gives the same tree:", whole.splits() == model.splits())

# A model has get_params and set_params, and can be cloned: scikit-learn's tools take it.
grid = {"grace_period": [50, 200], "impurity": ["entropy", "gini"]}
search = GridSearchCV(rp.HoeffdingTree(), grid, cv=3)
search.fit(X_train[:10_000], y_train[:10_000])
print("best parameters:", search.best_params_)

print("\nthe first splits, and why")
for split in model.splits()[:3]:
    print(f"  row {split.seen:,}: {split}")
