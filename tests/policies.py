"""Policies and views for the tests: networks of random weights, ONNX files made by hand, views of random games."""

import numpy as np
import onnx
import torch
from gymnasium import spaces
from onnx import TensorProto, helper

from agents.network import CardPolicy
from agents.policy_file import ACTION_MASK, LOG_PROBABILITIES, OBSERVATION, PolicyCard, write_card
from tests.playing import mask_of, new_game, play_randomly
from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.observation import observation_size
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import STATE
from three_thirteen_env.view import view_of

CARD = PolicyCard(Rules(), "cards", network="one row for all", steps=12, seed=3, opponent="greedy")


def untrained_policy(rules, observation, seed=0, **widths):
    """A policy of torch that has learned nothing; a seed fixes its first weights."""
    torch.manual_seed(seed)
    box, actions = spaces.Box(-1, 1, (observation_size(rules, observation),), np.float32), spaces.Discrete(NUM_ACTIONS)
    return CardPolicy(box, actions, lambda _: 1e-3, rules=rules, observation=observation, **widths)


def views_of_random_games(num_views, rules, seed=0):
    """Views of seats to act, from all over some games, and their masks."""
    rng = np.random.default_rng(seed)
    views, masks = [], []
    while len(views) < num_views:
        state = new_game(int(rng.integers(2**62)), rules)
        for _ in play_randomly(state, rules, rng):
            if rng.random() < 0.2:
                views.append(view_of(state, state.seat).copy())
                masks.append(mask_of(state, rules))
    return np.array(views[:num_views], STATE), np.array(masks[:num_views])


def write_policy(
    path,
    log_probabilities=None,
    card=CARD,
    *,
    size=None,
    inputs=(OBSERVATION, ACTION_MASK),
    output=LOG_PROBABILITIES,
    mask_type=TensorProto.INT8,
    rows="n",
    reshapes=False,
):
    """Write a policy file that says the same of every view: `log_probabilities` (106,), equal ones by default."""
    if log_probabilities is None:
        log_probabilities = np.zeros(NUM_ACTIONS)
    size = observation_size(card.rules, card.observation) if size is None else size
    values = np.array(log_probabilities, np.float32)[np.newaxis]
    nodes = [
        # The same for every row: the observations times zero, summed up, plus the constant.
        helper.make_node("Mul", [inputs[0], "zero"], ["nothing"]),
        helper.make_node("ReduceSum", ["nothing", "axis"], ["no_rows"], keepdims=1),
        helper.make_node("Add", ["no_rows", "values"], [output]),
    ]
    if reshapes:  # the numbers of two observations do not fit in rows of 106
        nodes = [helper.make_node("Reshape", [inputs[0], "row"], [output])]
    constants = [
        helper.make_tensor("row", TensorProto.INT64, [2], [-1, NUM_ACTIONS]),
        helper.make_tensor("zero", TensorProto.FLOAT, [], [0.0]),
        helper.make_tensor("axis", TensorProto.INT64, [1], [1]),
        helper.make_tensor("values", TensorProto.FLOAT, values.shape, values.ravel()),
    ]
    shapes = {inputs[0]: (TensorProto.FLOAT, size), inputs[-1]: (mask_type, NUM_ACTIONS)}
    if len(inputs) == 1:
        shapes = {inputs[0]: (TensorProto.FLOAT, size)}
    graph = helper.make_graph(
        nodes,
        "policy",
        [helper.make_tensor_value_info(name, kind, [rows, length]) for name, (kind, length) in shapes.items()],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, [rows, values.shape[1]])],
        constants,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10), path)
    write_card(path, card)
    return path
