"""kata-get-rules, kata-set-rules and kata-set-rule, as KataGo's GTP_Extensions document specifies them.

The fields that can be set are those of our rules (:data:`~daoqi_tui.engine.RULE_FIELDS`), by KataGo's names where it
has them; KataGo's other fields have one value each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from daoqi_tui.codec import JsonError, decode, encode
from daoqi_tui.engine import PRESETS, RULE_FIELDS, IllegalMove, RuleField, Rules, parse_rules
from daoqi_tui.gtp.engine.session import Arguments, CommandTable, Context
from daoqi_tui.gtp.parsing import GtpError, shown

COMMANDS: Final = CommandTable()


def _name(field: str) -> str:
    """Return the name of a field in GTP: KataGo's for the repetition, else ours, written as KataGo writes names."""
    first, *rest = ("ko" if field == "superko" else field).split("_")
    return first + "".join(part.title() for part in rest)


_SETTABLE: Final = {_name(field): field for field in RULE_FIELDS}
"""Our fields by their names in GTP."""
_FIXED: Final[dict[str, str | bool]] = {
    "scoring": "AREA",
    "tax": "NONE",
    "hasButton": False,
    "whiteHandicapBonus": "0",
    "friendlyPassOk": False,
    "topology": "TORUS",
}
"""Fields that cannot be set to anything else."""
_SAME: Final = {"oneStoneSuicide": "suicide"}
"""KataGo's fields that are always the same as another."""
_LONGEST: Final = 40
"""Characters of a value that a message quotes."""


@COMMANDS.command("kata-get-rules")
def get_rules(context: Context, _: Arguments) -> str:
    return _json(_fields(context.session.game.rules))


@COMMANDS.command("kata-set-rules …")
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
            wanted = decode(text, dict[str, Any])
        except JsonError as error:
            raise GtpError(f"syntax error: {shown(text)} is no JSON; the form is: {form}") from error
        rules = _changed(rules, wanted)
    else:
        try:
            rules = parse_rules(text)
        except ValueError as error:
            raise GtpError(f"rules not supported: {shown(text)}; those that are: {names}") from error
    return _set(context, rules)


@COMMANDS.command("kata-set-rule FIELD VALUE")
def set_rule(context: Context, arguments: Arguments) -> str:
    name, value = arguments
    try:
        # Strings come without the quotation marks that they have in JSON.
        found = value if isinstance(_fields(context.session.game.rules).get(name), str) else decode(value, Any)
    except JsonError as error:
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
    ours = {name: _json_value(RULE_FIELDS[field], getattr(rules, field)) for name, field in _SETTABLE.items()}
    return {**ours, **_FIXED, **{name: ours[other] for name, other in _SAME.items()}}


def _json_value(field: RuleField, value: Any) -> str | bool | int:  # noqa: ANN401 - each field has its own type
    """Return the value of a field as JSON has it: a flag, a number, or a word in capitals."""
    return value if field.words is None or isinstance(value, bool) else field.word(value).upper()


def _values(field: RuleField) -> dict[str | bool | int, Any]:
    """Return the values of a field that is no number by what JSON has for them."""
    return {_json_value(field, value): value for value in (field.words or {}).values()}


def _changed(rules: Rules, wanted: Mapping[str, object]) -> Rules:
    """Return ``rules`` with some fields set.

    Raises:
        GtpError: a field is unknown or cannot have the value.
    """
    changed = rules
    for name, value in wanted.items():
        if name in _SETTABLE:
            changed = _with_field(changed, name, value)
        elif name in _SAME:
            other = _SAME[name]
            if not _equal(value, wanted.get(other, _fields(changed)[other])):
                raise GtpError(f"rules not supported: {name} is always the same as {other}; set that")
        elif name not in _FIXED:
            raise GtpError(f"rules not supported: {shown(name)} is not a field; kata-get-rules lists the fields")
        elif not _equal(value, _FIXED[name]):
            raise GtpError(f"rules not supported: {name} is {_json(_FIXED[name])}, not {_text(value)}")
    return changed


def _with_field(rules: Rules, name: str, value: object) -> Rules:
    field = RULE_FIELDS[_SETTABLE[name]]
    if field.words is None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise GtpError(f"rules not supported: {name} is a whole number, not {_text(value)}")
        meant: Any = value
    else:
        values = _values(field)
        found = [meant for json_value, meant in values.items() if _equal(value, json_value)]
        if not found:
            listed = ", ".join(_json(each) for each in values)
            raise GtpError(f"rules not supported: {name} is one of {listed}, not {_text(value)}")
        meant = found[0]
    try:
        return replace(rules, **{_SETTABLE[name]: meant})
    except ValueError as error:
        raise GtpError(f"rules not supported: {error}") from error


def _equal(value: object, other: object) -> bool:
    """Return whether two values of JSON are the same; to Python, ``true`` equals 1."""
    return isinstance(value, bool) == isinstance(other, bool) and value == other


def _json(value: object) -> str:
    return encode(value).decode()


def _text(value: object) -> str:
    if isinstance(value, list | dict):
        # These may be nested arbitrarily deeply, and no field takes one.
        return "a list" if isinstance(value, list) else "an object"
    text = _json(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
