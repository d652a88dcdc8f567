"""A game led by Sabaki's own controller, @sabaki/gtp from npm; skipped if Node or the package is unavailable."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import HANG

HERE = Path(__file__).parent
PACKAGE = "@sabaki/gtp@3.0.0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package and return its folder."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed, so there is no Sabaki controller to test with")
    where = tmp_path_factory.mktemp("sabaki")
    command = ["npm", "install", "--prefix", str(where), "--no-audit", "--no-fund", "--prefer-offline", PACKAGE]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm did not install {PACKAGE} within {HANG:g} seconds")
    if done.returncode:
        pytest.skip(f"npm could not install {PACKAGE}: {done.stderr.strip().splitlines()[-1:]}")
    return where


def test_a_game_under_sabakis_controller(folder: Path):
    command = ["node", str(HERE / "sabaki.js"), str(folder), sys.executable, str(HERE / "simple.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["name"] == {"content": "Daoqi", "error": False}
    assert found["commands"] > 35
    assert found["play"] == {"content": "", "error": False}
    assert found["illegal"] == {"content": "illegal move", "error": True}
    assert found["genmove"] == found["stones"]
    assert found["lines"] >= 1
    assert found["after"] == {"content": "Daoqi", "error": False}
    assert found["together"] == [False, False, True]
