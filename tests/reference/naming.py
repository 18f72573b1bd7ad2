"""Which names a model keeps, row by row: docs/data.md, "Columns that never end"."""

VALUES, REPEATS = 1000, 100


def codes_of(values, max_categories, identifiers=True):
    """The code of each value (None: missing or left out), with the row where it is left out."""
    known, codes, seen, repeats, gone, judged = {}, [], 0, 0, None, not identifiers
    for row, value in enumerate(values):
        if value is None or gone is not None:
            codes.append(None)
            continue
        repeated = value in known
        if not judged:
            seen += 1
            repeats += repeated
            if repeats > VALUES // REPEATS:
                judged = True
            elif seen == VALUES:
                gone = row
                codes.append(None)
                continue
        if not repeated and len(known) < max_categories and "other" not in known:
            known[value] = len(known)
        if value not in known:
            known.setdefault("other", len(known))
            codes.append(known["other"])
        else:
            codes.append(known[value])
    return codes, gone
