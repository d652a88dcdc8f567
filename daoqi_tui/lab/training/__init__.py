"""Trains networks for the torus. Needs torch (extra ``train``).

:mod:`run` runs a whole training, :mod:`settings` has its settings and their TOML file. :mod:`workers` plays the
:mod:`lots` of a stage, in processes or on a cluster, and writes them to files of :mod:`positions`. :mod:`evaluators`
builds the networks that play. :mod:`dataset` draws batches, :mod:`learn` trains :mod:`model` with :mod:`muon`.

:mod:`self_play` makes all decisions about self-play games; start reading there. It drives many games at once through
the interface in :mod:`game_batch`: on the engine's boards (:mod:`engine_games`), or by the thousand in tensors
(:mod:`tensor_games`). :mod:`gumbel` searches at the roots of their trees, :mod:`samples` turns results into training
positions, :mod:`labels` mixes the values of a player and a teacher.

Games in tensors: :mod:`boards` has the rules (with :mod:`grid`, :mod:`states`, :mod:`areas`), :mod:`batch_features` the
inputs of networks, :mod:`batch_evaluator` their evaluations (by :mod:`daoqi_tui.ai.network.torch_network`),
:mod:`batch_tree` the search.
"""
