"""Analyses asked for by KaTrain's own engine class, from the package katrain; skipped if that cannot be had."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.forked import forked_command
from tests.waiting import HANG

HERE = Path(__file__).parent
PACKAGE = "katrain==1.17.1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package; what it needs for its window is not installed."""
    where = tmp_path_factory.mktemp("katrain")
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(where), PACKAGE]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"pip did not download {PACKAGE} within {HANG:g} seconds")
    if done.returncode:
        pytest.skip(f"pip could not download {PACKAGE}: {done.stderr.strip().splitlines()[-1:]}")
    [wheel] = where.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        files.extractall(
            where,
            [
                name
                for name in files.namelist()
                if name.startswith(("katrain/__init__", "katrain/core", "katrain/i18n"))
            ],
        )
    return where


def test_katrain_analyses_a_game_and_ponders(folder: Path):
    engine = " ".join(f"'{word}'" for word in forked_command("-m", "daoqi_tui", "analysis"))
    command = [sys.executable, str(HERE / "katrain_client.py"), str(folder), engine]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["errors"] == []
    *searched, pondered = found["nodes"]
    assert [node["visits"] for node in searched] == [30, 30, 30]
    assert pondered["visits"] > 30
    for node in found["nodes"]:
        assert (node["ownership"], node["policy"]) == (81, 82)
        assert 0 <= node["winrate"] <= 1
        assert node["moves"] >= 1
    # White, to move after Black's pass, wins by passing.
    assert (pondered["best"], round(pondered["score"]) < 0) == ("pass", True)
