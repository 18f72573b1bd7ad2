"""Models in a process that forks while another thread learns.

No model is copied in the middle of a row. In the child, the threads that held its locks are gone.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING, Any

from riparian import _core

if TYPE_CHECKING:
    from riparian.models.learned import Learned

__all__ = ["watch"]

_models: weakref.WeakSet[Learned[Any]] = weakref.WeakSet()


def watch(model: Learned[Any]) -> None:
    """Make a model usable in the children of this process.

    Parameters
    ----------
    model : StreamClassifier
        A model that has learned.
    """
    _models.add(model)


def _in_child() -> None:
    _core.after_fork_in_child()
    _core.set_main_thread(threading.get_ident())
    for model in list(_models):
        model._learning = threading.Lock()
        if model._engine is not None:
            # The thread that was learning may have added names whose rows will not come.
            model._engine.cut_names(model._schema.lists)


_core.set_main_thread(threading.main_thread().ident or 0)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_core.before_fork,
        after_in_parent=_core.after_fork_in_parent,
        after_in_child=_in_child,
    )
