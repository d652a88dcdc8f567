"""The settings file of a training: reading and writing TOML, and error messages for invalid files."""

from __future__ import annotations

from pathlib import Path

import pytest

from daoqi_tui.lab.training.settings import NetworkShape, Settings, SettingsError, read_settings, toml_of


def test_what_is_written_is_read_back(tmp_path: Path):
    settings = Settings(
        name='a "net"', teacher="C:\\nets", sizes={"9": 1.5}, shape=NetworkShape(2, 32, (0, 1)), ladders=False
    )
    path = tmp_path / "settings.toml"
    path.write_text(toml_of(settings), "utf-8")
    assert read_settings(path) == settings


def test_any_name_is_read_back(tmp_path: Path):
    settings = Settings(name="".join(map(chr, (*range(256), 0x2028, 0x56F4, 0x1F600))))
    path = tmp_path / "settings.toml"
    path.write_text(toml_of(settings), "utf-8")
    assert read_settings(path) == settings


def test_the_usual_settings_are_good_ones(tmp_path: Path):
    path = tmp_path / "settings.toml"
    path.write_text(toml_of(Settings()), "utf-8")
    assert read_settings(path) == Settings()


def test_what_is_not_named_is_as_usual(tmp_path: Path):
    path = tmp_path / "settings.toml"
    path.write_text("[learning]\nrate = 1\n", "utf-8")
    settings = read_settings(path)
    assert settings.learning.rate == 1.0
    assert settings.shape == NetworkShape()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("threds = 2", "names 'threds'; known are batched, begin, boards, device"),
        ("[shape]\nblock = 2", "names 'shape.block'; known are blocks, bottleneck, channels"),
        ("threads = 'two'", "threads is like 2, not 'two'"),
        ("shape = 3", "shape is a table"),
        ("batched = 'often'", "batched is 'often'; auto, yes, no are known"),
        ("storage = 'int4'", "storage is 'int4'; float32, float16, int8 are known"),
        ("[teaching]\nvalues = 'all'", "teaching.values is 'all'; teacher, player, both, corrected are known"),
        ("batched = 'yes'\n[teaching]\nvalues = 'corrected'", "values are corrected in games that are not batched"),
        ("[teaching]\nlabelled = 0", "teaching.labelled is 0, which is no share: more than 0, at most 1"),
        ("[teaching]\nplayer_policy = 1.5", "teaching.player_policy is 1.5, which is no share: 0 to 1"),
        ("[teaching]\nsiblings = -1", "teaching.siblings is -1; it is at least 0"),
        ("[teaching]\nahead = -0.5", "teaching.ahead is -0.5; it is at least 0"),
        ("[finishing]\nrecorded = 1.5", "finishing.recorded is 1.5, which is no share"),
        ("[learning]\nwarmup = 1.0", "learning.warmup is 1, which is no share: at least 0, less than 1"),
        ("[learning]\nwarmup = -0.1", "learning.warmup is -0.1, which is no share"),
        ("[learning]\nfrozen_norm = 2", "learning.frozen_norm is 2, which is no share: 0 to 1"),
        ("[searching]\nfull = nan", "searching.full is nan, which is no share: 0 to 1"),
        ("[finishing]\nshare = -1", "finishing.share is -1, which is no share: 0 to 1"),
        ("threads = 0", "threads is 0; it is at least 1"),
        ("boards = -1", "boards is -1; it is at least 1"),
        ("[learning]\nbatch = 0", "learning.batch is 0; it is at least 1"),
        ("[searching]\nconsidered = 0", "searching.considered is 0; it is at least 1"),
        ("[play]\nopening_temperature = 0", "play.opening_temperature is 0, which is no temperature: more than 0"),
        ("[play]\ntemperature = nan", "play.temperature is nan, which is no temperature"),
        ("[finishing]\ntemperature = -1", "finishing.temperature is -1, which is no temperature"),
        ("ladders = 'no'", "ladders is like True, not 'no'"),
        ("[shape]\npooling = 3", "shape.pooling is a list of whole numbers"),
        ("[shape]\nkernel = 4", "shape.kernel is 4; it is odd and at least 1"),
        ("[shape]\nkernel = -1", "shape.kernel is -1; it is odd and at least 1"),
        ("[shape]\nblocks = 0", "shape.blocks is 0; it is at least 1"),
        ("[shape]\nnested = 0", "shape.nested is 0; it is at least 1"),
        ("[shape]\nbottleneck = -1", "shape.bottleneck is -1; it is at least 0"),
        ("[shape]\nmiddle = -1", "shape.middle is -1; it is at least 0"),
        ("[shape]\npooled = -1", "shape.pooled is -1; it is at least 0"),
        ("[shape]\npooled = 64", "shape.pooled is 64; it is less than the 64 channels of a block"),
        ("[shape]\nbottleneck = 16", "shape.pooled is 16; it is less than the 16 channels of a block"),
        ("[sizes]\n99 = 1", "sizes has '99', which is no board size from 2 to 25"),
        ("[sizes]\n", "sizes says how often each size is played; one at least is more than 0"),
        ("[sizes]\n9 = 0", "sizes says how often each size is played"),
        ("[sizes]\n9 = 2\n13 = -1", "sizes says how often each size is played"),
        ("[sizes]\n9 = 'often'", "sizes is a table of numbers"),
        ("threads = ", "settings.toml is not TOML"),
        ("threads = " + "[" * 20000, "settings.toml is not TOML: it is nested too deeply"),
        ("threads = " + "9" * 5000, "settings.toml is not TOML"),
        ("# much\n" * 10000, "settings.toml is not TOML: it is larger than the limit of"),
        ("[sizes]\n9 = 1" + "0" * 400, "settings.toml holds a number that is too large"),
        ("[sizes]\n" + "9" * 5000 + " = 1", "which is no board size from 2 to 25"),
    ],
)
def test_a_wrong_file_is_told_in_a_sentence(tmp_path: Path, content: str, words: str):
    path = tmp_path / "settings.toml"
    path.write_text(content, "utf-8")
    with pytest.raises(SettingsError) as error:
        read_settings(path)
    assert words in str(error.value)
    assert "\n" not in str(error.value).replace(content, "")


def test_a_missing_file_is_told(tmp_path: Path):
    with pytest.raises(SettingsError, match=r"cannot be read: No such file"):
        read_settings(tmp_path / "none.toml")
