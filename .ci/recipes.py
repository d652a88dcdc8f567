"""Run targets of the Makefile without make: ``recipes.py TARGET...``, with variables from the environment.

It knows what that Makefile uses: variables that are plain or have defaults, targets with prerequisites, and recipes of
one line each. A failing recipe does not keep the others from running, as with ``make --keep-going``.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def read(makefile: str) -> tuple[dict[str, str], dict[str, tuple[list[str], list[str]]]]:
    """Return the variables, and for each target its prerequisites and its recipes."""
    variables: dict[str, str] = {}
    targets: dict[str, tuple[list[str], list[str]]] = {}
    recipes: list[str] = []
    for line in makefile.replace("\\\n", " ").splitlines():
        if line.startswith("\t"):
            recipes.append(line.strip().removeprefix("@"))
        elif found := re.match(r"(\w+) *([?:]?)= *(.*)", line):
            name, kind, value = found.groups()
            variables[name] = os.environ.get(name, value) if kind == "?" else value
        elif found := re.match(r"([^\s:#]+):(?!=)([^#]*)", line):
            recipes = []
            targets[found[1]] = found[2].split(), recipes
    return variables, targets


def filled(text: str, variables: dict[str, str]) -> str:
    """Return a text with all variables replaced."""
    while found := re.search(r"\$\((\w+)\)", text):
        text = text.replace(found[0], variables.get(found[1], ""))
    return text.replace("$$", "$")


def steps(wanted: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the commands for targets, with the target of each; not those that make files which exist."""
    variables, rules = read(Path("Makefile").read_text("utf-8"))
    rules = {filled(name, variables): rule for name, rule in rules.items()}
    done: set[str] = set()

    def of(target: str) -> Iterator[tuple[str, str]]:
        if target in done or ("/" in target and Path(target).exists()):
            return
        done.add(target)
        prerequisites, recipes = rules[target]
        for name in prerequisites:
            yield from of(filled(name, variables))
        for recipe in recipes:
            yield target, filled(recipe, variables)

    for target in wanted:
        yield from of(target)


def main(wanted: list[str]) -> int:
    """Run the targets; return 1 if a command failed."""
    status = 0
    for target, command in steps(wanted):
        sys.stdout.write(f"{command}\n")
        sys.stdout.flush()
        if subprocess.run(command, shell=True, check=False).returncode:
            sys.stderr.write(f"make: *** [{target}] Error\n")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
