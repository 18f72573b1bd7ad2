"""Do two builds of riparian learn the same models?

``python benchmarks/same_models.py BEFORE AFTER`` takes the Python interpreters of two environments,
each with its own build. Every model with its defaults learns several streams in both, with and
without a memory limit. Predictions before each row was learned, their probabilities, the evidence
of all splits and the size of the tree must agree to the last bit.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

ROWS = 6_000
#: Trees that restructure keep their examples, and take much longer.
FEW_ROWS = 600
STREAMS = ("random_rbf", "agrawal", "led", "drifting", "sea")
LIMIT = "400KB"


def digests() -> dict[str, str]:
    """What each pair of model and stream gives, by its name."""
    import riparian as rp
    from riparian.models.registry import MODELS

    found = {}
    for name, model_class in sorted(MODELS.items()):
        few = model_class.__module__.startswith("riparian.models.restructuring")
        for stream in STREAMS:
            X, y = getattr(rp.streams, stream)(seed=7).take(FEW_ROWS if few else ROWS)
            for limit in (None, LIMIT):
                model = model_class()
                parameters = model.get_params(deep=False)
                if limit is not None:
                    if "max_bytes" not in parameters:
                        continue
                    model.set_params(max_bytes=limit)
                if "n_estimators" in parameters:
                    model.set_params(n_estimators=5)
                found[f"{name}, {stream}, max_bytes={limit}"] = digest(model, X, y)
    return found


def digest(model, X, y) -> str:
    """A digest of everything that a model says while it learns."""
    sums = hashlib.sha256()
    try:
        labels, probabilities = model.prequential(X, y, proba=True)
    except ValueError as error:  # a limit that is too low for this model
        return str(error).partition(":")[0]
    sums.update(labels.tobytes())
    sums.update(probabilities.tobytes())
    sums.update(model.predict_proba(X).tobytes())
    if hasattr(model, "splits"):
        sums.update(repr([tuple(vars(split).values()) for split in model.splits()]).encode())
    return f"{getattr(model, 'n_leaves_', 0)} leaves, {sums.hexdigest()}"


def main() -> int:
    if len(sys.argv) == 1:
        print(json.dumps(digests()))
        return 0
    before, after = (
        json.loads(subprocess.run([python, __file__], capture_output=True, check=True).stdout)
        for python in sys.argv[1:3]
    )
    both = sorted(before.keys() & after.keys())
    different = [name for name in both if before[name] != after[name]]
    for name in different:
        print(f"{name}\n    {before[name]}\n    {after[name]}")
    print(f"{len(both)} pairs of model and stream, {len(different)} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
