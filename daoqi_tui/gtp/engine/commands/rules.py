"""kata-get-rules, kata-set-rules and kata-set-rule, as KataGo's GTP_Extensions document specifies them.

Repetition, suicide, the cost of a pass and who wins a tie can be set; the other fields have one value each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from daoqi_tui.engine import (
    BLACK,
    POSITIONAL,
    PRESETS,
    SIMPLE,
    SITUATIONAL,
    WHITE,
    Colour,
    IllegalMove,
    Rules,
    Superko,
    parse_rules,
)
from daoqi_tui.gtp.engine.session import Arguments, CommandTable, Context, take
from daoqi_tui.gtp.parsing import GtpError, shown

_KO: Final[dict[str, Superko]] = {"SITUATIONAL": SITUATIONAL, "POSITIONAL": POSITIONAL, "SIMPLE": SIMPLE}
_TIE: Final[dict[str, Colour | None]] = {"WHITE": WHITE, "BLACK": BLACK, "NONE": None}
_FIXED: Final[dict[str, str | bool]] = {
    "scoring": "AREA",
    "tax": "NONE",
    "hasButton": False,
    "whiteHandicapBonus": "0",
    "friendlyPassOk": False,
    "topology": "TORUS",
}
"""Fields that cannot be set to anything else."""
_WORDS: Final = frozenset(("ko", "tie", *(name for name, value in _FIXED.items() if isinstance(value, str))))
"""Fields whose values are strings."""
_LONGEST: Final = 40
"""Characters of a value that a message quotes."""


def get_rules(context: Context, arguments: Arguments) -> str:
    """Return the rules as JSON."""
    take(arguments, 0, 0, "kata-get-rules")
    return json.dumps(_fields(context.session.game.rules), separators=(",", ":"))


def set_rules(context: Context, arguments: Arguments) -> str:
    """Set the rules: ``daoqi``, ``tromp-taylor``, ``superko=simple, suicide=no``, or JSON as kata-get-rules writes it.

    In JSON, fields that are not named keep their value.
    """
    names = ", ".join(name.lower() for name in PRESETS)
    form = f"kata-set-rules {names}, or JSON as kata-get-rules writes it"
    if not arguments:
        raise GtpError(f"syntax error: no rules; the form is: {form}")
    text = " ".join(arguments)
    rules = context.session.game.rules
    if text.startswith("{"):
        try:
            wanted: dict[str, Any] = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise GtpError(f"syntax error: {shown(text)} is no JSON; the form is: {form}") from error
        rules = _changed(rules, wanted)
    else:
        try:
            rules = parse_rules(text)
        except ValueError as error:
            raise GtpError(f"rules not supported: {shown(text)}; those that are: {names}") from error
    return _set(context, rules)


def set_rule(context: Context, arguments: Arguments) -> str:
    """Set one field of the rules."""
    name, value = take(arguments, 2, 2, "kata-set-rule FIELD VALUE")
    try:
        # Strings come without the quotation marks that they have in JSON.
        found = value if name in _WORDS else json.loads(value)
    except (ValueError, RecursionError) as error:
        raise GtpError(f"syntax error: {shown(value)} is no value; kata-get-rules tells those that are") from error
    return _set(context, _changed(context.session.game.rules, {name: found}))


def _set(context: Context, rules: Rules) -> str:
    try:
        context.session.set_rules(rules)
    except IllegalMove as error:
        raise GtpError(f"rules not set: they forbid a move of this game ({error}); clear_board first") from error
    return ""


def _fields(rules: Rules) -> dict[str, str | bool | int]:
    """Return the rules by KataGo's field names, and by our own names for fields that KataGo lacks."""
    ko = next(name for name, superko in _KO.items() if superko == rules.superko)
    tie = next(name for name, winner in _TIE.items() if winner == rules.tie)
    return {
        "ko": ko,
        **{name: _FIXED[name] for name in ("scoring", "tax")},
        "suicide": rules.suicide,
        **{name: _FIXED[name] for name in ("hasButton", "whiteHandicapBonus", "friendlyPassOk", "topology")},
        "passCost": rules.pass_cost,
        "oneStoneSuicide": rules.suicide,
        "tie": tie,
    }


def _changed(rules: Rules, wanted: Mapping[str, object]) -> Rules:
    """Return ``rules`` with some fields set.

    Raises:
        GtpError: a field is unknown or cannot have the value.
    """
    changed = rules
    for name, value in wanted.items():
        if name == "ko" and isinstance(value, str) and value in _KO:
            changed = replace(changed, superko=_KO[value])
        elif name == "tie" and isinstance(value, str) and value in _TIE:
            changed = replace(changed, tie=_TIE[value])
        elif name == "suicide" and isinstance(value, bool):
            changed = replace(changed, suicide=value)
        elif name == "passCost" and isinstance(value, int) and not isinstance(value, bool):
            try:
                changed = replace(changed, pass_cost=value)
            except ValueError as error:
                raise GtpError(f"rules not supported: {error}") from error
        elif name == "oneStoneSuicide":
            if value != wanted.get("suicide", changed.suicide) or not isinstance(value, bool):
                raise GtpError("rules not supported: oneStoneSuicide is always the same as suicide; set that")
        elif name not in _FIXED or isinstance(value, bool) != isinstance(_FIXED[name], bool) or value != _FIXED[name]:
            raise GtpError(_refused(name, value))
    return changed


def _refused(name: str, value: object) -> str:
    """Return why a field cannot have a value."""
    allowed = {"ko": tuple(_KO), "tie": tuple(_TIE), "suicide": (True, False)}
    if name in _FIXED:
        return f"rules not supported: {name} is {json.dumps(_FIXED[name])}, not {_text(value)}"
    if name == "passCost":
        return f"rules not supported: {name} is a whole number, not {_text(value)}"
    if name in allowed:
        values = ", ".join(json.dumps(each) for each in allowed[name])
        return f"rules not supported: {name} is one of {values}, not {_text(value)}"
    return f"rules not supported: {shown(name)} is not a field; kata-get-rules lists the fields"


def _text(value: object) -> str:
    if isinstance(value, list | dict):
        # These may be nested arbitrarily deeply, and no field takes one.
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


COMMANDS: Final[CommandTable] = {
    "kata-get-rules": get_rules,
    "kata-set-rules": set_rules,
    "kata-set-rule": set_rule,
}
