"""Stones are heard: by a program that is there, in the browser, or not at all, and then that is said once."""

from __future__ import annotations

import stat
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from daoqi_tui.config import load_config
from daoqi_tui.paths import assets_folder
from daoqi_tui.tui import access
from daoqi_tui.tui.look import Options, options_of
from tests.tui.driving import playing, until

_SOUNDS = assets_folder() / "sounds"


def test_recordings_are_small_and_made_by_the_script(tmp_path: Path) -> None:
    script = Path(__file__).resolve().parents[2] / ".ci" / "sounds.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    for name in ("stone.wav", "capture.wav"):
        made, shipped = (_samples(folder / name) for folder in (tmp_path, _SOUNDS))
        # Another release of NumPy may round otherwise.
        assert np.abs(made - shipped).max() <= 1
        assert np.abs(shipped).max() > 10_000
        assert (_SOUNDS / name).stat().st_size < 10_000


def _samples(path: Path) -> NDArray[np.int32]:
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 16_000)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.int32)


@pytest.fixture
def heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which a player of sounds lists what it was asked for."""
    player = tmp_path / "aplay"
    player.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path / "heard"}\n')
    player.chmod(player.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    monkeypatch.delenv("SSH_TTY", raising=False)
    monkeypatch.setattr(access, "_player", access._player.__wrapped__)
    return tmp_path / "heard"


async def test_stones_are_heard_if_that_is_wanted(heard: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not Options().sound
    assert options_of(load_config((), heard, {"DAOQI_TUI_DISPLAY_SOUND": "yes"})).sound

    def lines() -> list[str]:
        return heard.read_text().splitlines() if heard.exists() else []

    async with playing() as person:
        await person.play("A1")
        assert lines() == []
        person.screen.apply_options(Options(sound=True))
        assert access.why_silent(person.app) == ""
        await person.play("B1")
        await until(person, lambda: len(lines()) == 1)
        await person.play("K1", "A2", "K2", "P1", "K3", "A16")
        await until(person, lambda: len(lines()) == 7)
        assert sorted({line.rpartition("/")[2] for line in lines()}) == ["capture.wav", "stone.wav"]
        assert all(line.startswith("-q ") for line in lines())
        # Over ssh another computer would play it.
        monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
        await person.play("K4")
        assert "ssh" in access.why_silent(person.app)
        monkeypatch.delenv("SSH_TTY")
        monkeypatch.setenv("PATH", "/nonexistent")
        await person.play("K5")
        assert "none of pw-play, paplay, aplay, afplay is installed" in access.why_silent(person.app)
        # The program is gone between two stones.
        monkeypatch.setattr(access, "_player", lambda: ("/nonexistent/aplay",))
        await person.play("K6")
        assert person.app.is_running
        sent: list[object] = []
        monkeypatch.setattr(type(person.app), "is_web", True)
        monkeypatch.setattr(person.app._driver, "write_meta", sent.append, raising=False)
        await person.play("K7")
        assert sent == [{"type": "sound", "name": "stone"}]
    assert len(lines()) == 7
