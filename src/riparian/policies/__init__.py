"""The policies of a tree: one class per value of each axis.

The core declares every policy once: its name, its parameters, what it can be combined with and
what it promises (``core/policy.hpp``). The classes here, the checks of parameters, the options of
the command line and the tables of the documentation are derived from that declaration.

=======================  ======================================
axis                     classes
=======================  ======================================
``statistics``           :mod:`riparian.statistics`
``cuts``                 :mod:`riparian.cuts`
``impurity``             :mod:`riparian.impurities`
``bound``                :mod:`riparian.bounds`
``leaf``                 :mod:`riparian.leaves`
``adaptation``           :mod:`riparian.adaptation`
=======================  ======================================
"""

from __future__ import annotations

from riparian.policies import policy
from riparian.policies.parameter import Parameter
from riparian.policies.policy import *  # noqa: F403

__all__ = ["Parameter"]
__all__ += policy.__all__
