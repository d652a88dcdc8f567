"""The doctests of the engine."""

import doctest
import importlib
import pkgutil

import daoqi_tui.engine


def test_examples_in_the_documentation():
    names = ["daoqi_tui.engine"]
    names += [f"daoqi_tui.engine.{module.name}" for module in pkgutil.iter_modules(daoqi_tui.engine.__path__)]
    results = [doctest.testmod(importlib.import_module(name)) for name in names]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) >= 5
