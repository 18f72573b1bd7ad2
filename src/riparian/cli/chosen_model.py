"""The model that the options of a command describe."""

from __future__ import annotations

from typing import Any

import typer

__all__ = ["chosen_model", "given_model"]


def given_model(
    model_in: str | None,
    recipe: str | None,
    parameters: dict[str, Any],
    assignments: list[str] | None,
    *,
    labels_as_text: bool,
) -> Any:
    """Return the model of ``--model-in``, or a new one as the other options say."""
    if model_in is None:
        return chosen_model(
            recipe or "StreamTree", parameters, assignments or [], labels_as_text=labels_as_text
        )
    if recipe is not None or parameters or assignments:
        raise typer.BadParameter(
            "the model in the file has its own parameters; leave out all options of the model",
            param_hint="--model-in",
        )
    import riparian

    return riparian.load(model_in)


def chosen_model(
    recipe: str,
    parameters: dict[str, Any],
    assignments: list[str],
    *,
    labels_as_text: bool,
) -> Any:
    """Return the model with the parameters of the options and of ``--set``."""
    from riparian.cli.parse_models import make_model, parse_assignments
    from riparian.errors import one_of
    from riparian.models.registry import MODELS

    try:
        found = MODELS[one_of("recipe", recipe, MODELS)]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--recipe") from None
    own = list(found().get_params(deep=False))
    for name in parameters:
        if name not in own:
            raise typer.BadParameter(
                _why_not(recipe, own, name), param_hint=f"--{name.replace('_', '-')}"
            )
    try:
        more = parse_assignments(recipe, own, assignments, labels_as_text=labels_as_text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--set") from None
    if twice := [name for name in more if name in parameters]:
        option = twice[0].replace("_", "-")
        raise typer.BadParameter(f"{twice[0]} is also set by --{option}", param_hint="--set")
    try:
        return make_model(found, {**parameters, **more})
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--set") from None


def _why_not(recipe: str, own: list[str], name: str) -> str:
    """Explain why a model does not accept an option, and how to set it."""
    from riparian.models.registry import RECIPES

    if recipe in RECIPES:
        return f"{recipe} fixes it; use --recipe HoeffdingTree to set it"
    if "estimator" in own:
        return (
            f"{recipe} has no such parameter, but its members have: "
            f"--set 'estimator=HoeffdingTree({name}=...)'"
        )
    return f"{recipe} has no such parameter"
