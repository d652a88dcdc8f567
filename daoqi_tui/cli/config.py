"""``config``: print the settings, change one of them, or write the settings file."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from daoqi_tui.cli import CommandError, UsageError, writing
from daoqi_tui.cli.parsers import CONFIG_USAGE
from daoqi_tui.commands import key_names
from daoqi_tui.commands.screen import COMMANDS
from daoqi_tui.config import (
    BY_PATH,
    SETTINGS,
    Config,
    Value,
    config_path,
    key_taken,
    load_config,
    no_key,
    parse,
    read_text,
    shown,
    toml,
    value_of,
    wrong_value,
)
from daoqi_tui.config.save import documented, save, unset
from daoqi_tui.i18n import _, with_suggestion
from daoqi_tui.record.files import changing, set_aside, write_atomically
from daoqi_tui.streams import write_text
from daoqi_tui.text import plain_line


def load_with_keys() -> Config:
    return load_config(command.name for command in COMMANDS)


def run_config(options: argparse.Namespace) -> int:
    if options.force and not options.init:
        raise UsageError(_("--force goes with --init"))
    if options.action is not None:
        if options.init or options.path or options.show:
            raise UsageError(_("--init, --path and --show go without get, set and unset"))
        if (options.value is None) is (options.action == "set") or options.name is None:
            usage = f"daoqi-tui config {CONFIG_USAGE[options.action]}"
            raise UsageError(_("config {action} is used as: {usage}").format(action=options.action, usage=usage))
    if options.path:
        write_text(f"{config_path()}\n")
        return 0
    config = load_with_keys()
    if options.action in ("set", "unset"):
        _change(config, options.name, options.value)
        return 0
    sys.stderr.write("".join(f"daoqi-tui: {problem}\n" for problem in config.problems))
    if options.init:
        _init(config, force=options.force)
        return 0
    if options.action == "get":
        write_text(plain_line(_effective(config, options.name)) + "\n")
    else:
        _show(config)
    return 1 if config.problems else 0


def _effective(config: Config, name: str) -> str:
    """Return the effective value of a setting, in the form for ``config set``.

    Raises:
        UsageError: there is no such setting.
    """
    if name in BY_PATH:
        value = config[name]
        return value if isinstance(value, str) else toml(value)
    keys = {f"keys.{command.name}": config.keys.get(command.name, command.keys) for command in COMMANDS}
    if name not in keys:
        problem = _("there is no setting {name}").format(name=name)
        suggested = with_suggestion(problem, name, (*BY_PATH, *keys))
        if suggested == problem:
            suggested = _("{problem}; see {command}").format(problem=problem, command="daoqi-tui config --show")
        raise UsageError(suggested)
    return " ".join(keys[name])


def _change(config: Config, name: str, text: str | None) -> None:
    """Set a setting in the file, or unset it for None.

    Raises:
        UsageError: there is no such setting, or it cannot have this value.
        ConfigError: the file cannot be changed.
    """
    _effective(config, name)  # refuses a name that is none
    if text is None:
        unset(config.path, name)
    else:
        value = _parsed(name, text)
        save(config.path, {name: value}, lambda: _expect_free(name, text))
    variable = BY_PATH[name].variable if name in BY_PATH else ""
    if variable in os.environ:
        wording = _("{variable} is set and overrides the file").format(variable=variable)
        sys.stderr.write(f"daoqi-tui: {wording}\n")


def _parsed(name: str, text: str) -> Value:
    """Parse a value for a setting or for the keys of a command.

    Raises:
        UsageError: it cannot have this value.
    """
    if name in BY_PATH:
        value = value_of(BY_PATH[name], text)
        if value is None:
            raise UsageError(wrong_value(BY_PATH[name], name, text))
        try:
            text.encode()
        except UnicodeEncodeError:
            # The command line may contain any bytes, like a file name.
            wording = _("{value} is not UTF-8, as a settings file has to be")
            raise UsageError(wording.format(value=shown(text))) from None
        return value
    if not key_names(text):
        raise UsageError(no_key(text))
    return text


def _expect_free(name: str, text: str) -> None:
    """Check that no other command has the keys, as the file is now: with it locked, no other window changes it.

    Raises:
        UsageError: another has one of them.
    """
    if name in BY_PATH:
        return
    for other, taken in load_with_keys().keys.items():
        for key in key_names(text) if f"keys.{other}" != name else ():
            if key in taken:
                raise UsageError(key_taken(key, other))


def _init(config: Config, *, force: bool) -> None:
    # A link is followed, as where the file is written.
    place = Path(os.path.realpath(config.path))
    with writing(config.path):
        config.path.parent.mkdir(parents=True, exist_ok=True)
        with changing(place):
            # With the file locked against other windows, since it may have changed since it was read.
            config = load_with_keys()
            if config.path.exists():
                if not force:
                    text = _("{file} exists: --force replaces it, keeping what it sets")
                    raise CommandError(text.format(file=config.path))
                try:
                    parse(read_text(config.path))
                except ValueError:
                    # What it sets is not known, and so cannot be kept in the new one.
                    text = _("{file} cannot be understood and was kept as {name}")
                    text = text.format(file=config.path, name=set_aside(place).name)
                    sys.stderr.write(f"daoqi-tui: {text}\n")
            own = {path: value for path, value in config.values.items() if config.sources[path] == str(config.path)}
            write_atomically(config.path, documented(own, COMMANDS, config.keys).encode())
    write_text(_("Written: {file}").format(file=config.path) + "\n")


def _show(config: Config) -> None:
    lines = []
    for setting in SETTINGS:
        source = config.sources.get(setting.path)
        lines.append(f"{setting.path} = {toml(config[setting.path])}" + (f"  # {source}" if source else ""))
    for command in COMMANDS:
        source = f"  # {config.path}" if command.name in config.keys else ""
        lines.append(f"keys.{command.name} = {toml(' '.join(config.keys.get(command.name, command.keys)))}{source}")
    write_text("\n".join(lines) + "\n")
