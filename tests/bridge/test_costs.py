"""A tree that answers by costs answers so wherever it goes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import columns, run_code, session

COSTS = {(0, 1): 3.0, (1, 0): 0.5, (2, 3): 7.0, (3, 0): 2.0}


@pytest.mark.parametrize("language", ["python", "c", "sql"])
def test_programs_choose_the_cheapest_class(made, tmp_path, language):
    model = made.model("both", costs=COSTS)
    frame = made.asked[:3000]
    assert (model.predict(frame) != model.predict_proba(frame).argmax(axis=1)).mean() > 0.05
    labels, shares = run_code(language, model, frame, tmp_path)
    np.testing.assert_array_equal(labels, model.predict(frame).astype(object))
    np.testing.assert_array_equal(shares, model.predict_proba(frame))


def test_onnx_chooses_the_cheapest_class(made):
    model = made.model("both", costs=COSTS)
    labels, shares = session(model).run(None, columns(made.asked, made.NAMES, np.float64))
    np.testing.assert_array_equal(labels, model.predict(made.asked))
    np.testing.assert_allclose(shares, model.predict_proba(made.asked), rtol=0, atol=6e-8)


def test_scikit_learn_has_no_costs(made):
    with pytest.raises(ValueError, match="to_sklearn cannot express costs"):
        made.model("both", costs=COSTS).to_sklearn()
