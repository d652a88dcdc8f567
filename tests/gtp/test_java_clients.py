"""GoGui's twogtp and regress, and Lizzie's parser, compiled from their sources, with our engine.

``DAOQI_GOGUI`` and ``DAOQI_LIZZIE`` name checkouts of github.com/Remi-Coulom/gogui and github.com/featurecat/lizzie.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gtp.talking import Talk
from tests.waiting import HANG

ENGINE = f"{sys.executable} {Path(__file__).parent / 'simple.py'}"
VERSION = "src/net/sf/gogui/version/Version.java"
TOOLS = "src/net/sf/gogui/tools"
CASES = r"""boardsize 9
clear_board
play b A1
play w A9
10 list_stones b
#? [A1]
20 list_stones w
#? [A9]
30 final_score
#? [[BW]\+\d+.*]
"""
LIZZIE = """package featurecat.lizzie;
public class Lizzie {
    public static class Config { public boolean showLcbWinrate = false; public int limitBranchLength = 0; }
    public static Config config = new Config();
    public static void main(String[] arguments) {
        for (String line : new java.util.Scanner(System.in).useDelimiter("\\\\A").next().split("\\n"))
            for (String move : line.substring(6).split(" info ")) {
                featurecat.lizzie.analysis.MoveData data = line.startsWith("k")
                    ? featurecat.lizzie.analysis.MoveData.fromInfoKatago(move)
                    : featurecat.lizzie.analysis.MoveData.fromInfo(move);
                System.out.println(data.coordinate + " " + data.playouts + " " + data.winrate + " " + data.variation);
            }
    }
}
"""


def source_of(name: str, program: str) -> Path:
    """Return the folder of a program's sources, or skip the test."""
    folder = os.environ.get(name, "")
    if not folder:
        pytest.skip(f"{name} does not name a checkout of {program}")
    if shutil.which("javac") is None:
        pytest.skip("javac is not installed")
    return Path(folder)


def java(*words: object, cwd: Path, given: str = "") -> str:
    command = [str(word) for word in words]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, input=given, timeout=HANG, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_goguis_tools_check_the_engine_and_play_two_against_each_other(tmp_path: Path):
    source = source_of("DAOQI_GOGUI", "GoGui")
    # Its build makes this file from the template.
    version = tmp_path / "Version.java"
    version.write_text((source / f"{VERSION}.in").read_text())
    tools = [source / TOOLS / tool / "Main.java" for tool in ("regress", "twogtp")]
    java("javac", "-nowarn", "-d", tmp_path, "-sourcepath", source / "src", version, *tools, cwd=tmp_path)
    run = "java", "-cp", tmp_path
    (tmp_path / "daoqi.tst").write_text(CASES)
    java(*run, "net.sf.gogui.tools.regress.Main", "-output", ".", ENGINE, "daoqi.tst", cwd=tmp_path)
    *_heads, counts = (tmp_path / "summary.dat").read_text().splitlines()
    assert counts.split("\t")[:6] == ["3", "0", "0", "0", "3", "0"], "three tests, which pass as expected"
    two = "-black", ENGINE, "-white", ENGINE, "-games", 2, "-size", 7, "-komi", 4, "-sgffile", "game"
    java(*run, "net.sf.gogui.tools.twogtp.Main", "-auto", *two, cwd=tmp_path)
    games = [line.split("\t") for line in (tmp_path / "game.dat").read_text().splitlines() if line[0] != "#"]
    assert [(game[1] == game[2] != "?", game[11]) for game in games] == [(True, "0")] * 2, "agreed, without errors"


def test_lizzies_parser_reads_the_analysis(tmp_path: Path):
    source = source_of("DAOQI_LIZZIE", "Lizzie")
    (tmp_path / "Lizzie.java").write_text(LIZZIE)
    parser = source / "src/main/java/featurecat/lizzie/analysis/MoveData.java"
    java("javac", "-nowarn", "-d", tmp_path, tmp_path / "Lizzie.java", parser, cwd=tmp_path)
    lines = []
    for kind in ("lz", "kata"):
        output = Talk().raw(f"boardsize 9\n{kind}-analyze b 1\n\nname\n")
        line = next(line for line in output.splitlines() if line.startswith("info"))
        lines.append(kind[0] + line)
    read = java("java", "-cp", tmp_path, "featurecat.lizzie.Lizzie", cwd=tmp_path, given="\n".join(lines))
    moves = [line.split(" ", 3) for line in read.splitlines()]
    assert len(moves) >= 2
    for move, visits, win, variation in moves:
        assert int(visits) > 0
        assert 0 <= float(win) <= 100
        assert variation.startswith(f"[{move}")
