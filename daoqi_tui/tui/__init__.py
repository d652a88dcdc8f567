"""The full-screen terminal program: the only layer that imports Textual."""

from textual import dom


def _names(kind: type) -> list[str]:
    """Return the names among which Textual looks for computed values of a class: its own, and those of its bases.

    It would list and sort all names of each class, 6 % of the instructions of all imports.
    """
    names = list(vars(kind))
    for base in kind.__bases__:
        computed = getattr(base, "_computes", None)
        names += dir(base) if computed is None else map("compute_{}".format, computed)
    return names


vars(dom)["dir"] = _names
