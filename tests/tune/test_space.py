"""Spaces of configs and ways to search them, on made-up times."""

import random

import pytest
import triton

import tlx
from tlx.tune import Grid, InvalidTuning, Local, Random
from tlx.tune.configs import fingerprint, text_of
from tlx.tune.search import search_of


def space(**options):
    parameters = {"M": [1, 2, 4, 8], "N": [1, 2, 4, 8]}
    return tlx.Space(parameters, where=lambda values: values["M"] * values["N"] <= 16, **options)


def meta(configs):
    return [(config.kwargs["M"], config.kwargs["N"]) for config in configs]


def test_all_combinations_that_the_condition_allows():
    assert meta(space()) == [(m, n) for m in (1, 2, 4, 8) for n in (1, 2, 4, 8) if m * n <= 16]


def test_launch_options_are_parameters_too():
    configs = list(tlx.Space({"M": [1]}, num_warps=[4, 8], maxnreg=[None, 64]))
    assert [(c.num_warps, c.maxnreg) for c in configs] == [(4, None), (4, 64), (8, None), (8, 64)]


def test_neighbours_are_one_step_away():
    assert sorted(meta(space().neighbours(triton.Config({"M": 2, "N": 4})))) == [(1, 4), (2, 2), (2, 8), (4, 4)]
    assert sorted(meta(space().neighbours(triton.Config({"M": 8, "N": 2})))) == [(4, 2), (8, 1)]


def test_what_lies_outside_of_the_space_has_few_neighbours():
    assert list(space().neighbours(triton.Config({"M": 3, "N": 3}))) == []


def test_draws_obey_the_condition():
    rng = random.Random(0)
    assert all(m * n <= 16 for m, n in meta(space().sample(rng) for _ in range(100)))
    assert tlx.Space({"M": [1]}, where=lambda values: False).sample(rng) is None


def test_a_config_is_found_again_by_its_text():
    hook = print
    (config,) = tlx.Space({"M": [1], "DTYPE": ["fp16"]}, pre_hook=hook, num_warps=[8])
    again = tlx.Space({"M": [1, 2], "DTYPE": ["fp16"]}, pre_hook=hook, num_warps=[4, 8]).config_of(text_of(config))
    assert again == config


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ({"M": []}, {}, "M has no values"),
        ({"M": [1]}, {"num_warp": [4]}, "no launch option num_warp"),
    ],
)
def test_refused_spaces(arguments, options, message):
    with pytest.raises(InvalidTuning, match=message):
        tlx.Space(arguments, **options)


# --- searches ---


def explore(search, space, time):
    """All that a search proposes, in order, where a config's time is known; None is a rejection."""
    results, order = {}, []
    for batch in search.propose(space, results):
        assert batch
        for config in batch:
            assert text_of(config) not in results
            results[text_of(config)] = time(*meta([config])[0])
            order += meta([config])
    return order


def test_grid_begins_with_the_start():
    order = explore(Grid(), space(start=[{"M": 4, "N": 4}]), lambda m, n: 1.0)
    assert order[0] == (4, 4)
    assert sorted(order) == sorted(meta(space()))


def test_random_draws_as_many_as_it_may():
    order = explore(Random(trials=6, seed=1), space(), lambda m, n: 1.0)
    assert len(order) == 6
    assert order == explore(Random(trials=6, seed=1), space(), lambda m, n: 1.0)
    assert order != explore(Random(trials=6, seed=2), space(), lambda m, n: 1.0)


def wide(start):
    return tlx.Space({"M": range(40), "N": range(40)}, start=[start])


def test_local_search_walks_to_the_minimum():
    order = explore(Local(trials=400), wide({"M": 0, "N": 0}), lambda m, n: (m - 30) ** 2 + (n - 11) ** 2)
    assert (30, 11) in order
    assert len(order) <= 400


def test_local_search_walks_around_rejections():
    def time(m, n):
        return None if (m + n) % 5 == 0 else float((m - 30) ** 2 + (n - 12) ** 2)

    assert (30, 12) in explore(Local(trials=400), wide({"M": 0, "N": 1}), time)


def test_local_search_ends_where_the_space_does():
    assert sorted(explore(Local(trials=1000), space(), lambda m, n: 1.0)) == sorted(meta(space()))
    assert explore(Local(), space(), lambda m, n: None)


def test_searches_by_name():
    assert search_of(None) == Local()
    assert search_of("grid") == Grid()
    with pytest.raises(InvalidTuning, match="no way named 'best'"):
        search_of("best")


# --- what tells spaces apart ---


def test_a_condition_counts_by_its_code():
    def limit(values):
        return values["M"] < 4

    def other(values):
        return values["M"] < 5

    def nested(values):
        return all(value < 4 for value in values)

    assert fingerprint(limit) != fingerprint(other)
    assert "0x" not in repr(fingerprint(nested))  # the address of nested code differs between processes
    assert space().describe() == space().describe()
    assert space().describe() != space(start=[{"M": 1, "N": 1}]).describe()
