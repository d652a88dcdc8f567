"""Records that do not declare their encoding: which one is guessed, and how the user overrides it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from daoqi_tui.cli.online import game_arguments
from daoqi_tui.cli.parsers import parser_for
from daoqi_tui.record import SgfError, load
from daoqi_tui.record.formats import parse
from daoqi_tui.record.text import decode_bytes
from tests.record.encoding_samples import SAMPLES, alone, pair

BOTH = {
    "gb18030": "GB18030",
    "big5": "Big5",
    "shift_jis": "Shift_JIS",
    "euc_kr": "EUC-KR",
    "cp1251": "Windows-1251",
    "latin-1": "Latin-1",
}
"""Python's name of each encoding, and the name shown to the user."""
CLEAR = [(name, text) for name, texts in SAMPLES.items() for text in texts if not text.isascii()]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("shift_jis", "井山裕太"),
        ("cp949", "이세돌"),
        ("big5", "周俊勳"),
        ("latin-1", "créé par"),
        ("gb18030", "柯洁"),
        ("cp1251", "Шикшин"),
        ("shift_jis", "ソ表十能"),
        ("latin-1", "René"),
    ],
)
def test_a_single_name_is_read_right(name: str, text: str):
    loaded = load(alone(text, name))
    assert loaded.info.black == text
    assert loaded.guessed
    assert loaded.problems == ()
    assert [node.number for node in loaded.game.root.line()] == [1, 2], "no bracket was swallowed"


def test_nearly_all_texts_are_read_right_even_alone():
    wrong = [(name, text) for name, text in CLEAR if load(alone(text, name)).info.black != text]
    # A very short text may be a word in several languages: 楊嘉源, Го.
    assert len(wrong) <= 0.02 * len(CLEAR), wrong


@pytest.mark.parametrize("name", SAMPLES)
def test_two_texts_are_read_right_together(name: str):
    rng = Random(5)
    texts = [text for text in SAMPLES[name] if not text.isascii()]
    for _ in range(40):
        one, other = rng.sample(texts, 2)
        loaded = load(pair(one, other, name))
        assert (loaded.info.black, loaded.info.white) == (one, other)
        assert loaded.encoding == BOTH[name]


@pytest.mark.parametrize("name", ["gb18030", "big5", "shift_jis", "euc_kr"])
def test_a_character_cut_in_two_spoils_only_itself(name: str):
    text = "; ".join(SAMPLES[name])
    data = text.encode(name)
    decoded = decode_bytes(b"(;C[" + data + b"];N[" + data[:-1] + b" ];B[aa])")
    assert text in decoded.text
    assert decoded.encoding == BOTH[name]


def test_utf8_with_a_broken_byte_stays_utf8():
    text = "第一届道棋棋王赛，黑中盘胜。"
    decoded = decode_bytes(b"(;C[" + text.encode() + "道".encode()[:2] + b" " + text.encode() + b"])")
    assert decoded.encoding == "UTF-8"
    assert decoded.text == f"(;C[{text}\ufffd {text}])"


@pytest.mark.parametrize("data", [b"(;PB[Li])", "(;PB[柯洁])".encode(), "(;CA[GBK]PB[柯洁])".encode("gbk")])
def test_what_is_certain_is_no_guess(data: bytes):
    assert not decode_bytes(data).guessed


def test_a_person_knows_better():
    data = "(;CA[UTF-8]PB[井山裕太])".encode("cp932")
    assert load(data).problems
    asked = load(data, encoding="Shift_JIS")
    assert (asked.info.black, asked.guessed, asked.problems) == ("井山裕太", False, ())
    assert decode_bytes("\ufeff(;PB[x])".encode(), "UTF-8").text == "(;PB[x])"
    wrong = load(data, encoding="UTF-8")
    assert [str(problem) for problem in wrong.problems] == [
        "the file is not valid UTF-8: what cannot be decoded is shown as \ufffd"
    ]


@pytest.mark.parametrize("name", ["klingon", "rot13", "idna", "zlib", ""])
def test_an_encoding_that_is_none_is_refused(name: str):
    with pytest.raises(SgfError, match="is not an encoding of game records: UTF-8, GB18030, "):
        load(b"(;PB[x])", encoding=name)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "daoqi_tui", *arguments], capture_output=True, text=True, check=False)


def test_convert_warns_of_a_guess_and_takes_the_name_of_an_encoding(tmp_path: Path):
    source, target = tmp_path / "old.sgf", tmp_path / "new.sgf"
    source.write_bytes(alone("井山裕太", "cp932"))
    done = run("convert", str(source), str(target))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        f"daoqi-tui: {source} does not say its encoding: read as Shift_JIS; --encoding names another\n"
    )
    assert "PB[井山裕太]" in target.read_text("utf-8")
    assert run("convert", str(target), "-").stderr == ""
    done = run("convert", "--encoding", "shift_jis", str(source), "-")
    assert (done.returncode, done.stderr) == (0, "")
    done = run("convert", "--encoding", "klingon", str(source), "-")
    assert done.returncode == 2
    assert "'klingon' is not an encoding of game records: UTF-8, GB18030" in " ".join(done.stderr.split())


@pytest.mark.parametrize("command", [["show"], ["score"], ["export", "-"], ["play", "--plain"]])
def test_every_command_that_reads_takes_an_encoding(command: list[str], tmp_path: Path):
    file = tmp_path / "game.sgf"
    # The bytes are also valid Chinese text, so the encoding cannot be guessed.
    file.write_bytes("(;SZ[5]TO[3]PB[실착];B[cc])".encode("cp949"))
    words = [command[0], str(file), *command[1:], "--encoding", "EUC-KR"]
    done = subprocess.run(
        [sys.executable, "-m", "daoqi_tui", *words],
        input="save " + str(tmp_path / "saved.sgf") + "\n" if command[0] == "play" else "",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    shown = (tmp_path / "saved.sgf").read_text("utf-8") if command[0] == "play" else done.stdout
    assert "실착" in shown


def test_openings_and_served_games_take_an_encoding(tmp_path: Path):
    file = tmp_path / "game.sgf"
    # In any other encoding, the backslash byte in ソ would escape the bracket.
    file.write_bytes("(;SZ[5]TO[3]CA[UTF-8]PB[ソ];B[cc];W[dd])".encode("cp932"))
    done = run("openings", str(tmp_path), "--encoding", "Shift_JIS", "--json")
    assert done.returncode == 0
    assert '"size": 5' in done.stdout
    served = game_arguments(parser_for("serve").parse_args(["serve", str(file), "--encoding", "Shift_JIS"]))
    assert parser_for("play").parse_args(served[served.index("play") :]).encoding == "Shift_JIS"


_DECLARED = ("UTF-8", "GB2312", "GB18030", "Big5", "Shift_JIS", "EUC-KR", "UTF-16")


@pytest.mark.parametrize(
    ("encoding", "declares"), [*((name, True) for name in _DECLARED), ("UTF-8", False), ("UTF-16", False)]
)
def test_a_record_that_is_cut_off_within_a_character_is_read_in_its_encoding(encoding: str, declares: bool) -> None:
    text = f"(;GM[1]{f'CA[{encoding}]' if declares else ''}SZ[9]PB[林海峰];B[aa]C[林海峰"
    for at in range(len(text[:-3].encode(encoding)), len(text.encode(encoding)) + 1):
        collection = parse(text.encode(encoding)[:at])
        assert collection.roots[0].properties["PB"] == ["林海峰"]
        assert not [problem for problem in collection.problems if "encoding" in str(problem)]
