"""Judging openings: the results, resuming after an interruption at any moment, and the compacted file."""

from __future__ import annotations

import errno
import gzip
import json
import signal
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pytest

from daoqi_tui.ai.nets import SHIPPED
from daoqi_tui.ai.search import NetworkEvaluator
from daoqi_tui.analysis.opening import class_count, read_values, third_moves, third_position
from daoqi_tui.cli.main import main
from daoqi_tui.lab.openings.fair_komi import fair_komi
from daoqi_tui.lab.openings.judging import JudgementFile, Plan, Task, compact, how_made, judge
from daoqi_tui.paths import assets_folder
from daoqi_tui.record.files import InUse
from tests.ai.networks import fastest

NET: Final = assets_folder() / SHIPPED
PLAN: Final = Plan((5,), visits=4, third_visits=1, komi_games=32)
OPTIONS: Final = (*("--sizes", "5", "--visits", "4", "--third-visits", "1", "--komi-games", "32"),)
SCRIPT: Final = """
import sys
from pathlib import Path
from tests.lab.openings.test_judging import NET, PLAN
from daoqi_tui.lab.openings.fair_komi import fair_komi
from daoqi_tui.lab.openings.judging import JudgementFile, how_made, judge
from tests.ai.networks import fastest
network = fastest(str(NET))
file = JudgementFile(Path(sys.argv[1]), how_made(PLAN, NET, network.name))
judge(PLAN, network, file, lambda done, tasks, task: print(done, flush=True))
"""


@pytest.fixture(scope="module")
def network() -> NetworkEvaluator:
    """The built-in network, compiled as the command and each of the other processes has it."""
    return fastest(str(NET))


@pytest.fixture(scope="module")
def made(network: NetworkEvaluator) -> dict[str, Any]:
    """The parameters with which the results of these tests are made."""
    return how_made(PLAN, NET, network.name)


@pytest.fixture(scope="module")
def whole(network: NetworkEvaluator, made: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with all results, made without an interruption."""
    path = tmp_path_factory.mktemp("judged") / "whole.jsonl"
    file = JudgementFile(path, made)
    judge(PLAN, network, file)
    file.close()
    return path


def results(path: Path, made: dict[str, Any]) -> dict[Task, dict[str, Any]]:
    file = JudgementFile(path, made)
    file.close()
    return file.results


def test_every_class_is_searched_and_every_third_move_valued_once(whole: Path, made: dict[str, Any]) -> None:
    found = results(whole, made)
    assert Counter(task.kind for task in found) == {"class": 5, "third": 5, "komi": 2}
    for number in range(1, class_count(5) + 1):
        best = found[Task("class", 5, number)]["best"]
        assert len(best) == len(set(best))
        assert 1 <= len(best) <= 3
        assert set(best) <= set(third_moves(5, number))
    valued = {(task.number, point) for task in found if task.kind == "third" for point, *_ in found[task]["values"]}
    assert valued == {
        third_position(5, number, point) for number in range(1, class_count(5) + 1) for point in third_moves(5, number)
    }
    for turn in range(2):
        komi = [komi for komi, _margin, _moves in found[Task("komi", 5, 0, turn)]["games"]]
        assert sorted(komi) == list(range(16))


def test_a_killed_process_loses_the_task_at_hand_and_changes_nothing(
    whole: Path, made: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "killed.jsonl"
    with subprocess.Popen([sys.executable, "-c", SCRIPT, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while process.stdout.readline().strip() != "7":
            assert process.poll() is None
        process.kill()
    assert process.returncode == -signal.SIGKILL
    begun = results(path, made)
    assert 7 <= len(begun) < len(results(whole, made))
    again = subprocess.run([sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, check=True)
    assert again.stdout.split()[0] == str(len(begun)), "what was done is not done again"
    assert results(path, made) == results(whole, made)


@pytest.mark.parametrize("cut", [1, 20])
def test_a_line_cut_off_in_the_middle_is_done_again(
    whole: Path, made: dict[str, Any], network: NetworkEvaluator, tmp_path: Path, cut: int
) -> None:
    path = tmp_path / "torn.jsonl"
    path.write_bytes(whole.read_bytes()[:-cut])
    file = JudgementFile(path, made)
    assert len(file.results) == len(results(whole, made)) - 1
    judge(PLAN, network, file)
    file.close()
    assert path.read_bytes() == whole.read_bytes()


def test_results_made_in_another_way_are_not_mixed(whole: Path, network: NetworkEvaluator) -> None:
    before = whole.read_bytes()
    with pytest.raises(ValueError, match="was made with another network or other visits"):
        JudgementFile(whole, how_made(replace(PLAN, visits=5), NET, network.name))
    assert whole.read_bytes() == before


@pytest.mark.parametrize("text", [b"no newline", b"a\nb\n", b'{"made":\xff\n', b'{"made":' + b"[" * 9999 + b"\n"])
def test_another_file_is_left_as_it_is(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(text)
    with pytest.raises(ValueError, match="is not a file of judged openings"):
        JudgementFile(path, 1)  # type: ignore[arg-type]
    assert path.read_bytes() == text


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        "[]",
        "no JSON",
        "[" * 9999,
        '{"task":[]}',
        '{"task":["class",5,1,0]}',
        '{"task":["other",5,1,0],"result":{}}',
        '{"task":["class",5,99,0],"result":{"points":0.5,"best":[]}}',
        '{"task":["class",5,1,1],"result":{"points":0.5,"best":[]}}',
        '{"task":["class",5.0,1,0],"result":{"points":0.5,"best":[]}}',
        '{"task":["class",99999999,1,0],"result":{"points":0.5,"best":[]}}',
        '{"task":["class",5,1,0],"result":{"points":NaN,"best":[]}}',
        '{"task":["class",5,1,0],"result":{"points":' + "9" * 400 + ',"best":[]}}',
        '{"task":["class",5,1,0],"result":{"points":0.5,"best":[25]}}',
        '{"task":["class",5,1,0],"result":[]}',
        '{"task":["third",5,1,0],"result":{"values":[[25,0.5]]}}',
        '{"task":["games",5,1,0],"result":{"games":[]}}',
        '{"task":["komi",5,0,0],"result":{"games":[[4,"five",30]]}}',
        '{"task":["komi",5,0,0],"result":{"games":{"a":1}}}',
    ],
)
def test_a_line_that_is_no_result_is_named_with_what_mends_it(
    line: str, whole: Path, other: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "crafted.jsonl", tmp_path / "openings.json.gz"
    first, *rest = whole.read_text().splitlines(keepends=True)
    path.write_text("".join((first, *rest, f"{line}\n")))
    with pytest.raises(SystemExit) as end:
        main(["judge", str(path), str(other), "--compact", str(out)])
    assert end.value.code == 1
    assert capsys.readouterr().err == (
        f"daoqi-tui: line {len(rest) + 2} of {path} is not a result of daoqi-tui judge: "
        "delete it to have that result computed again\n"
    )
    assert not out.exists()


@pytest.fixture
def other(whole: Path, tmp_path: Path) -> Path:
    """The same as from another network, which gives Black three points more everywhere, and two more in opening 2."""
    path = tmp_path / "other.jsonl"
    lines = []
    for line in map(json.loads, whole.read_text().splitlines()):
        if "made" in line:
            line["made"]["network"] = "other"
        elif line["task"][0] == "class":
            line["result"]["points"] = round(line["result"]["points"] + 3 + 2 * (line["task"][2] == 2), 2)
        elif line["task"][0] == "third":
            line["result"]["values"] = [(point, round(points + 3, 2)) for point, points in line["result"]["values"]]
        if line.get("task", [""])[0] != "komi":
            lines.append(json.dumps(line, separators=(",", ":")))
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_what_is_compacted_says_what_both_networks_found(whole: Path, other: Path, made: dict[str, Any]) -> None:
    with closing(JudgementFile(whole, None)) as one, closing(JudgementFile(other, None)) as two:
        held = json.loads(gzip.decompress(compact([one, two], "2026-11-22", "1.0.0")))
        own = {task: result["points"] for task, result in one.results.items() if task.kind == "class"}
        others = {task: result["points"] for task, result in two.results.items() if task.kind == "class"}
    assert [judge["network"] for judge in held["made"]["judges"]] == [made["network"], "other"]
    size = held["sizes"]["5"]
    means = [(own[task] + others[task]) / 2 for task in own]
    assert [entry["points"] for entry in size["classes"]] == [
        pytest.approx(10 * (mean - fmean(means)), abs=0.51) for mean in means
    ]
    # They differ by two points in one of five openings, by nothing but their level elsewhere.
    apart = [2 - 0.4, *[-0.4] * 4]
    variance = sum(each**2 / 2 for each in apart) / 5 / 2
    assert size["noise"] == round(10 * 2.576 * variance**0.5), "1 in 100 for each of five"
    for number in range(1, class_count(5) + 1):
        assert [point for point, _points in size["classes"][number - 1]["thirds"]] == [
            point for point in third_moves(5, number) if third_position(5, number, point) == (number, point)
        ]
    games = [game for task, result in results(whole, made).items() if task.kind == "komi" for game in result["games"]]
    assert size["fair_komi"] == asdict(fair_komi([margin for _komi, margin, _moves in games]))


def test_a_size_that_is_not_done_is_left_out(whole: Path, other: Path, tmp_path: Path) -> None:
    path = tmp_path / "begun.jsonl"
    path.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[:3]))
    with closing(JudgementFile(path, None)) as begun, closing(JudgementFile(other, None)) as done:
        assert json.loads(gzip.decompress(compact([begun, done], "2026-11-22", "1.0.0")))["sizes"] == {}
        with pytest.raises(ValueError, match="two networks"):
            compact([done], "2026-11-22", "1.0.0")


def test_third_moves_that_one_network_has_not_judged_are_left_out(whole: Path, other: Path, tmp_path: Path) -> None:
    path = tmp_path / "begun.jsonl"
    path.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[:-3]))
    with closing(JudgementFile(path, None)) as begun, closing(JudgementFile(other, None)) as done:
        del done.results[Task("third", 5, 5)]
        size = json.loads(gzip.decompress(compact([begun, done], "2026-11-22", "1.0.0")))["sizes"]["5"]
    assert [entry["thirds"] for entry in size["classes"]] == [[]] * 5


def test_the_command_judges_and_compacts(
    tmp_path: Path, whole: Path, other: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Compiling would take longer than everything else here.
    monkeypatch.setattr("daoqi_tui.ai.player.KERNELS", ())
    path, out = tmp_path / "judged.jsonl", tmp_path / "openings.json.gz"
    for arguments in ((*OPTIONS,), (str(other), "--compact", str(out))):
        with pytest.raises(SystemExit) as end:
            main(["judge", str(path), *arguments])
        assert end.value.code == 0
    assert path.read_bytes() == whole.read_bytes()
    assert set(read_values(out)) == {5}
    assert capsys.readouterr().err.splitlines()[:2] == ["0/12  5×5: opening 1", "1/12  5×5: opening 2"]
    with pytest.raises(SystemExit) as end:
        main(["judge", str(path), "--net", "none"])
    assert end.value.code == 2
    assert "always plays with a network" in capsys.readouterr().err


def test_what_cannot_be_written_is_told_with_the_name_of_its_file(
    tmp_path: Path, whole: Path, other: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "no folder" / "openings.json.gz"
    with pytest.raises(SystemExit) as end:
        main(["judge", str(whole), str(other), "--compact", str(out)])
    assert end.value.code == 1
    assert capsys.readouterr().err == f"daoqi-tui: {out} cannot be written: No such file or directory\n"

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "judged.jsonl"
    with closing(JudgementFile(path, {"network": "one"})) as file:
        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(OSError, match="No space left on device") as error:
            file.add(Task("class", 5, 1), {})
    assert error.value.filename == str(path)


def test_a_file_that_another_process_adds_to_is_refused(tmp_path: Path) -> None:
    path, made = tmp_path / "judged.jsonl", {"network": "one"}
    with closing(JudgementFile(path, made)):
        before = path.read_bytes()
        with pytest.raises(InUse, match="in use"):
            JudgementFile(path, made)
        assert path.read_bytes() == before
    JudgementFile(path, made).close()


def test_compacting_neither_creates_results_nor_overwrites_anything_but_values(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def compacting(results: Path, out: Path) -> str:
        with pytest.raises(SystemExit) as end:
            main(["judge", str(results), "--compact", str(out)])
        assert end.value.code == 1
        return capsys.readouterr().err

    missing, out = tmp_path / "jugded.jsonl", tmp_path / "openings.json.gz"
    assert compacting(missing, out) == f"daoqi-tui: {missing}: No such file or directory\n"
    assert list(tmp_path.iterdir()) == []
    results, record = tmp_path / "judged.jsonl", tmp_path / "game.sgf"
    results.write_bytes(whole.read_bytes())
    record.write_bytes(b"(;GM[1]SZ[5];B[aa])")
    for taken in (results, record):
        before = taken.read_bytes()
        refusal = f"daoqi-tui: {taken} is another kind of file and is not replaced; choose another name\n"
        assert compacting(results, taken) == refusal
        assert taken.read_bytes() == before
