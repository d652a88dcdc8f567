"""Trains networks for the torus. Needs torch (extra ``train``); nothing else in the program imports this room.

:mod:`settings` what can be set, :mod:`settings_file` and where it is written, :mod:`positions` what is learnt from,
:mod:`raw_play` games by a network's policy alone, :mod:`finished_play` such games to a settled end, :mod:`search_play`
games by search, :mod:`endings` what an end says, :mod:`model` the network in torch, :mod:`beginning` the same from a
file, :mod:`learn` the learning, :mod:`run` the whole course of it.

The same games by the thousand in tensors: :mod:`boards` the rules (with :mod:`grid`, :mod:`states`, :mod:`areas`),
:mod:`batch_features` how positions are seen, :mod:`batch_raw_play`, :mod:`batch_finished_play` and
:mod:`batch_search_play` the games, :mod:`batch_games` their ends, :mod:`batch_tree` and :mod:`batch_gumbel` the
search. :mod:`sources` knows both ways to play.
"""
