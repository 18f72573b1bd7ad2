"""``riparian serve``: a model over HTTP while it learns. Needs ``pip install riparian[serve]``."""
