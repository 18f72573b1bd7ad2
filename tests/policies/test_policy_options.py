"""Policies as the command line reads them."""

from __future__ import annotations

import pytest

from riparian.cli import model_options as options
from riparian.leaves import LinearUnits
from riparian.policies import parse, resolve
from tests.policies.every_policy import (
    every,
    refused,
    tree,
    variants,
)


@every
def test_a_policy_is_parsed_as_the_help_writes_it(cls):
    assert resolve(cls.axis, parse(cls.axis, cls.name)) in (cls(), (cls(),))
    written = options.policy_text(cls.declared)
    assert written in options.options()[cls.axis][1]
    found = parse(cls.axis, written)
    assert found == (cls() if "(" in written else cls.name)


@every
def test_parameters_stand_in_parentheses(cls):
    words = {True: "true", False: "FALSE", None: "none"}
    for policy in variants(cls):
        values = {k: v for k, v in policy.get_params().items() if not callable(v)}
        texts = [f"{k}={words[v] if isinstance(v, bool | None) else v}" for k, v in values.items()]
        for text in (f"{cls.name}({','.join(texts)})", f" {cls.name} ( {' , '.join(texts)} ) "):
            assert parse(cls.axis, text) == cls(**values)
            assert options.read_policy(cls.axis, text) == cls(**values)


def test_leaves_are_separated_by_commas():
    wanted = ("majority", LinearUnits(step=0.003, meta_step=0.5), "naive-bayes")
    text = "majority, linear-units(step=0.003, meta_step=0.5) ,naive-bayes"
    assert parse("leaf", text) == wanted
    assert options.read_policy("leaf", "majority, naive-bayes") == ("majority", "naive-bayes")


@pytest.mark.parametrize(
    ("axis", "text", "message"),
    [
        ("bound", "hoefding", "bound must be one of .*did you mean 'hoeffding'"),
        ("bound", "hoefding(c=1)", "bound must be one of .*did you mean 'hoeffding'"),
        ("bound", "confidence-practical(d=1)", "a parameter of confidence-practical must be one o"),
        ("bound", "hoeffding(c=1)", "bound: a parameter of hoeffding must be"),
        (
            "bound",
            "confidence-practical(0.1)",
            r"must have the form confidence-practical\(parameter=value\)",
        ),
        ("bound", "confidence-practical(c=1,c=2)", "is given twice"),
        ("bound", "confidence-practical(c=1", "bound must be a name, or a name with parameters"),
        ("bound", "confidence-practical(c=(1))", "bound must be a name, or a name with parameters"),
        ("bound", "confidence-practical(c=1)x", "bound must be a name, or a name with parameters"),
        ("bound", "(c=1)", "bound must be a name, or a name with parameters"),
        ("bound", "", "bound must be a name, or a name with parameters"),
        ("bound", "hoeffding,normal", "bound must be one policy, got 'hoeffding,normal'"),
        ("leaf", "majority,,naive-bayes", "leaf must be a name, or a name with parameters"),
        ("leaf", "majority,naive", "leaf must be one of .*'naive-bayes'"),
    ],
)
def test_what_cannot_be_parsed_is_refused(axis, text, message):
    with pytest.raises(ValueError, match=message):
        parse(axis, text)


def test_a_value_is_read_but_not_run():
    assert parse("bound", "confidence-practical(c=__import__)").c == "__import__"
    refused(tree(parse("adaptation", "window(hook=len)")), "adaptation__hook must be callable")
