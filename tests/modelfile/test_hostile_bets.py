"""Hostile files of trees whose alternates and options are bet on: refused by name, or they work."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import riparian as rp
from riparian.storage.modelfile import from_bytes, to_bytes
from tests.modelfile.mutations import STRANGE_DOUBLES, STRANGE_INTEGERS
from tests.modelfile.parts import Parts, as_array, set_value
from tests.modelfile.samples import betting_models, check_works, sample_models

RECIPES = ("HAT", "CVFDT", "EFDT", "HoeffdingOptionTree")
#: What a duel holds, in this order.
EACH = ("rows", "errors", "difference", "unequal", "ahead", "behind")
SAMPLES = {type(model).__name__: Parts(to_bytes(model)) for model in betting_models()}


def ill(recipe, array, place, value):
    bad = SAMPLES[recipe].copy()
    set_value(bad.arrays[array], place, value)
    return bad


def test_each_adaptation_has_open_bets():
    assert set(SAMPLES) == set(RECIPES)
    for parts in SAMPLES.values():
        duels = as_array(parts.arrays["duel_values"]).reshape(-1, len(EACH))
        assert len(duels) >= 2
        assert (duels[:, EACH.index("unequal")] > 0).all()


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("rows", 0.5, "impossible bets"),
        ("rows", -3.0, "impossible bets"),
        ("rows", math.nan, "not a number"),
        ("rows", 2.0**54, "not a number"),
        ("errors", -1.0, "impossible bets"),
        ("errors", 0.0, "impossible bets"),
        ("errors", 1e6, "impossible bets"),
        ("difference", 1e6, "impossible bets"),
        ("difference", 0.5, "impossible bets"),
        ("unequal", 0.0, "impossible bets"),
        ("unequal", 1e6, "impossible bets"),
        ("ahead", math.inf, "not a number"),
        ("ahead", 1e6, "impossible bets"),
        ("ahead", -1e6, "impossible bets"),
        ("behind", 1e6, "impossible bets"),
    ],
)
def test_bets_that_no_rows_can_lead_to_are_refused(recipe, name, value, message):
    bad = ill(recipe, "duel_values", EACH.index(name), value)
    with pytest.raises(rp.ModelFileError, match=re.escape(f"duel_born, row 0: {message}")):
        from_bytes(bad.data())


@pytest.mark.parametrize("recipe", RECIPES)
def test_bets_on_what_is_not_beside_a_node_are_refused(recipe):
    born = as_array(SAMPLES[recipe].arrays["duel_born"])
    for place, value, message in (
        (0, 2**60, "row 1: not in the order of birth"),
        (1, int(born[0]), "row 1: not in the order of birth"),
        (0, 0, "row 0: no such alternate"),
        (len(born) - 1, 2**62, "no such alternate"),
    ):
        with pytest.raises(rp.ModelFileError, match=f"duel_born.*{message}"):
            from_bytes(ill(recipe, "duel_born", place, value).data())


@pytest.mark.parametrize("recipe", RECIPES)
def test_bets_of_another_length_are_refused(recipe):
    for name in ("duel_born", "duel_values"):
        bad = SAMPLES[recipe].copy()
        dtype, shape, contents = bad.arrays[name]
        bad.arrays[name] = [dtype, [shape[0] - 1], contents[:-8]]
        with pytest.raises(rp.ModelFileError, match="duel_values"):
            from_bytes(bad.data())


@pytest.mark.parametrize("recipe", RECIPES)
def test_bets_in_a_tree_that_does_not_bet_are_refused(recipe):
    bad = SAMPLES[recipe].copy()
    del bad.header["parameters"]["adaptation"]["parameters"]["replace_by"]
    # EFDT has no alternates without bets.
    says = "an unknown role" if recipe == "EFDT" else "duel_born without bets"
    with pytest.raises(rp.ModelFileError, match=says):
        from_bytes(bad.data())


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_strange_number_in_the_bets_is_refused_or_works(recipe):
    parts = SAMPLES[recipe]
    refusals, worked = [], 0
    for name, strange in (("duel_values", STRANGE_DOUBLES), ("duel_born", STRANGE_INTEGERS)):
        for place, old in enumerate(as_array(parts.arrays[name]).tolist()):
            for value in [*strange, old + 1, old - 1, old + 2, -old]:
                bad = ill(recipe, name, place, value)
                try:
                    model = from_bytes(bad.data())
                except rp.ModelFileError as error:
                    refusals.append(str(error))
                    continue
                check_works(model, 40)
                worked += 1
    assert all("duel_born" in refusal for refusal in refusals)
    assert len(refusals) > 200
    assert worked > 10


@pytest.mark.parametrize("recipe", RECIPES)
def test_evidence_that_is_enough_decides_at_the_next_rows(recipe):
    """A saved tree has no such evidence, but a file may: the alternate wins or loses."""
    model = from_bytes(SAMPLES[recipe].data())
    duels = as_array(SAMPLES[recipe].arrays["duel_values"]).reshape(-1, len(EACH))
    most = float(duels[0, EACH.index("unequal")])
    for name, kinds in (("ahead", ["replaced"]), ("behind", ["dropped"])):
        decided = from_bytes(ill(recipe, "duel_values", EACH.index(name), 2.0 * most).data())
        before = model.change_counts()
        columns = {"a": np.zeros(30), "b": ["u"] * 30, "c": np.zeros(30)}
        decided.partial_fit(columns, ["a"] * 30)
        after = decided.change_counts()
        assert sum(after[kind] - before[kind] for kind in kinds) >= 1


@pytest.mark.parametrize("value", [2**31, 2**32 - 1])
def test_races_whose_number_would_overflow_are_refused(value):
    certified = next(m for m in sample_models() if type(m) is rp.CertifiedTree)
    bad = Parts(to_bytes(certified))
    for place in range(len(as_array(bad.arrays["checks"]))):
        set_value(bad.arrays["checks"], place, value)
    with pytest.raises(rp.ModelFileError, match="leaf, row 0: an impossible number of checks"):
        from_bytes(bad.data())
