"""Why a tree split, what it changed, what its bound guarantees, and what it consists of."""
