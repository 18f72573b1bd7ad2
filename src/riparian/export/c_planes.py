"""Export of trees of hyperplanes to C99, with the math library."""

from __future__ import annotations

from riparian.export.c_file import CFile, array, number, row
from riparian.export.planes import LARGEST, STEEPEST, PlainPlanes

__all__ = ["c_planes"]

_BODY = """
static void NAME_inputs(const double *x, double *inputs)
{
    int i;
    for (i = 0; i < NAME_NUMBERS; ++i) {
        const double value = x[NAME_numbers[i].feature];
        const double input = (value - NAME_numbers[i].centre) / NAME_numbers[i].spread;
        if (value != value) inputs[i] = NAME_numbers[i].missing;
        else inputs[i] = input > {largest} ? {largest} : input < -{largest} ? -{largest} : input;
    }
    for (i = NAME_NUMBERS; i < NAME_INPUTS; ++i) {
        const int place = i - NAME_NUMBERS;
        inputs[i] = x[NAME_categories[place].feature] == NAME_categories[place].value ? 1.0 : 0.0;
    }
}

/* The share that reaches left leaves; `rest`, unless NULL, is set to that of right leaves. */
static double NAME_left(int tree, const double *inputs, double *rest)
{
    double reached[2 * NAME_PLANES + 2], sum = 0.0, other = 0.0;
    int i, j;
    reached[1] = 1.0;
    for (i = 1; i <= NAME_PLANES; ++i) {
        const double *const weights = NAME_weights[tree * NAME_PLANES + i - 1];
        double value = 0.0, small, large;
        for (j = 0; j < NAME_INPUTS; ++j) value += weights[j] * inputs[j];
        value = {slope} * (value + NAME_biases[tree * NAME_PLANES + i - 1]);
        small = exp(-(fabs(value) < {steepest} ? fabs(value) : {steepest}));
        large = 1.0 / (1.0 + small);
        small *= large;
        reached[2 * i] = reached[i] * (value < 0.0 ? small : large);
        reached[2 * i + 1] = reached[i] * (value < 0.0 ? large : small);
    }
    for (i = NAME_PLANES + 1; i < 2 * NAME_PLANES + 2; i += 2) {
        sum += reached[i];
        other += reached[i + 1];
    }
    if (rest) *rest = other;
    return sum;
}

void NAME_probabilities(const double *x, double *p)
{
    double inputs[NAME_INPUTS + 1];
    NAME_inputs(x, inputs);
{shares}}
"""

_ONE_TREE = """    p[1] = NAME_left(0, inputs, &p[0]);
"""

_TREE_PER_CLASS = """    {
        double total = 0.0;
        int k;
        for (k = 0; k < NAME_CLASSES; ++k) total += p[k] = NAME_left(k, inputs, NULL);
        for (k = 0; k < NAME_CLASSES; ++k) p[k] /= total;
    }
"""


def c_planes(model: PlainPlanes, *, name: str = "tree") -> str:
    """Return the C source of a tree of hyperplanes.

    Parameters
    ----------
    model : PlainPlanes
        The planes.
    name : str, default="tree"
        Prefix of all names in the file.
    """
    what = "A tree of hyperplanes"
    file = CFile(model.features, model.classes, name, what, computes=True, uses_math=True)
    trees, planes, inputs = model.weights.shape
    numbers = [
        f"{{{n.feature}, {', '.join(map(number, (n.centre, n.spread, n.missing)))}}}"
        for n in model.numbers
    ]
    categories = [f"{{{f}, {number(file.category(f, c))}}}" for f, c in model.categories]
    # C has no empty arrays.
    file.add(
        f"\nenum {{ NAME_NUMBERS = {len(numbers)}, NAME_INPUTS = {inputs}, "
        f"NAME_PLANES = {planes} }};\n\n",
        array(
            "static const struct { int feature; double centre, spread, missing; } NAME_numbers[]",
            numbers or ["{0, 0.0, 1.0, 0.0}"],
        ),
        array(
            "static const struct { int feature; double value; } NAME_categories[]",
            categories or ["{0, 0.0}"],
        ),
        array(
            f"static const double NAME_weights[][{inputs}]",
            map(row, model.weights.reshape(-1, inputs).tolist()),
        ),
        array("static const double NAME_biases[]", map(number, model.biases.ravel().tolist())),
        _BODY.replace("{largest}", number(LARGEST))
        .replace("{steepest}", number(STEEPEST))
        .replace("{slope}", number(model.slope))
        .replace("{shares}", _ONE_TREE if trees == 1 else _TREE_PER_CLASS),
    )
    file.add_predict(model.costs, "NAME_probabilities")
    return str(file)
