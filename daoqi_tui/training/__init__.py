"""Trains networks for the torus. Needs torch (extra ``train``); nothing else in the program imports this room.

:mod:`settings` what can be set, :mod:`positions` what is learnt from, :mod:`raw_play` games by a network's policy
alone, :mod:`search_play` games by search, :mod:`model` the network in torch, :mod:`learn` the learning,
:mod:`run` the whole course of it.
"""
