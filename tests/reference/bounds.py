"""How far a gain that was measured on n examples may be off."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["hoeffding"]


def hoeffding(n: ArrayLike, delta: float, gain_range: float) -> Any:
    """Domingos and Hulten (2000), section 2: R sqrt(ln(1/delta) / (2n))."""
    return gain_range * np.sqrt(np.log(1.0 / delta) / (2.0 * np.asarray(n, dtype=np.float64)))
