"""``gtp``: serve the computer player over GTP."""

from __future__ import annotations

import argparse
from functools import partial

from daoqi_tui.ai.process import thread_count
from daoqi_tui.engine import DAOQI
from daoqi_tui.gtp.engine.server import ServeOptions, serve
from daoqi_tui.gtp.engine.session import GameSaver
from daoqi_tui.play.keeper import Folders, open_library


def run_gtp(options: argparse.Namespace) -> int:
    saver = None
    if options.save:
        folders = Folders.standard()
        saver = GameSaver(folders.journal, partial(open_library, folders.library))
    return serve(
        ServeOptions(
            options.size,
            options.komi,
            options.level,
            options.time,
            resign=not options.never_resign,
            net=options.net,
            rules=options.rules or DAOQI,
            visits=options.visits,
            cpu=options.cpu_time,
            threads=thread_count(options.threads),
            name=options.gtp_name,
            version=options.gtp_version,
        ),
        saver,
    )
