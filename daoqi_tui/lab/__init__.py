"""The laboratory makes networks, data and measurements; the program imports nothing of it.

:mod:`~daoqi_tui.lab.training` trains networks, :mod:`~daoqi_tui.lab.match` measures players against each other,
:mod:`~daoqi_tui.lab.openings` evaluates the openings, :mod:`~daoqi_tui.lab.problems` generates problems, and
:mod:`~daoqi_tui.lab.cluster` spreads any of this over several machines. The commands of ``daoqi_tui.cli.lab`` run them.
"""
