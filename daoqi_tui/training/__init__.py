"""Trains networks for the torus. Needs torch (extra ``train``); nothing else in the program imports this package.

:mod:`run` is the whole course of a training, :mod:`settings` its settings and their TOML file. :mod:`workers` has the
:mod:`lots` of a stage played, which become files of :mod:`positions`, in processes or on a cluster. :mod:`evaluators`
builds the networks that play. :mod:`dataset` draws batches, :mod:`learn` trains :mod:`model` with :mod:`muon`.

:mod:`self_play` decides everything about a self-play game; start reading there. It drives many games at once through
the interface in :mod:`game_batch`: on the engine's boards (:mod:`engine_games`), or by the thousand in tensors
(:mod:`tensor_games`). :mod:`gumbel` searches at the root of their trees, :mod:`samples` makes positions of results.

Games in tensors: :mod:`boards` has the rules (with :mod:`grid`, :mod:`states`, :mod:`areas`), :mod:`batch_features` the
inputs of networks, :mod:`batch_evaluator` their evaluations (by :mod:`daoqi_tui.ai.network.torch_network`),
:mod:`batch_tree` the search.
"""
