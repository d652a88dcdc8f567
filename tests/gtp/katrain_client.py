"""Analyses a game with KaTrain's own engine class: ``katrain_client.py FOLDER COMMAND``, where FOLDER has its package.

It prints as JSON what KaTrain has then in its nodes, and what it logged. The toolkit of its window is left out.
"""

from __future__ import annotations

import json
import sys
import time
import types


def pretend(name: str, **values: object) -> None:
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(values, __path__=[])


pretend("kivy")
pretend("kivy.utils", platform="linux")
pretend("kivy._event", Observable=type("Observable", (), {}))
pretend("chardet")
pretend("katrain.gui")
pretend("katrain.gui.theme", Theme=type("Theme", (), {"DEFAULT_FONT": "", "EVAL_COLORS": {}}))
folder, command = sys.argv[1:]
sys.path.insert(0, folder)

from katrain.core.engine import KataGoEngine  # noqa: E402
from katrain.core.game_node import GameNode  # noqa: E402
from katrain.core.sgf_parser import Move  # noqa: E402


class Program:
    """What the engine needs of the program around it."""

    def __init__(self) -> None:
        self.logged: list[tuple[int, str]] = []

    def log(self, message: object, level: int = 0) -> None:
        self.logged.append((level, str(message)))

    def __call__(self, *message: object) -> None:
        self.logged.append((-1, str(message)))


def wait(until: object) -> None:
    end = time.monotonic() + 120
    while not until():
        assert time.monotonic() < end, program.logged
        time.sleep(0.02)


program = Program()
settings = {
    "altcommand": command,
    "max_visits": 30,
    "max_time": 60.0,
    "wide_root_noise": 0.04,
    "_enable_ownership": True,
}
engine = KataGoEngine(program, settings)
root = GameNode(properties={"SZ": ["9"], "KM": ["4"], "RU": ["tromp-taylor"]})
node = root
nodes = [root]
for player, name in (("B", "D4"), ("W", "F5"), ("B", "pass")):
    node = node.play(Move.from_gtp(name, player))
    nodes.append(node)
for each in nodes:
    each.analyze(engine)
wait(lambda: all(each.analysis_complete for each in nodes))
visits = node.root_visits
node.analyze(engine, ponder=True)
wait(lambda: node.root_visits > visits)
engine.stop_pondering()
wait(engine.is_idle)
found = [
    {
        "score": each.score,
        "winrate": each.winrate,
        "visits": each.root_visits,
        "ownership": len(each.ownership),
        "policy": len(each.policy),
        "best": each.candidate_moves[0]["move"],
        "moves": len(each.analysis["moves"]),
    }
    for each in nodes
]
engine.shutdown(finish=None)
sys.stdout.write(
    json.dumps({"nodes": found, "errors": [text for level, text in program.logged if level == -1 or "error" in text]})
)
