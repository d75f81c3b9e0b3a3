"""Histories with breaks that were let through, played at random: what a publish may do to those who select."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest

from registry.core.compat.compare import compare
from registry.core.compat.judging import Release, baselines, decide, judged_digest
from registry.core.compat.report import Policy
from registry.core.compat.versions import parse_selector, parse_version, precedence, select
from tests.core.compat.cards import card

POLICY = Policy("literal")  # there what follows step by step follows altogether
# Required properties and all of them; some follow one another, others break.
CONTRACTS = ["|a", "a|a", "|ab", "b|ab", "|c", "ab|ab"]
VERSIONS = [*(f"1.{minor}.{patch}" for minor in range(4) for patch in range(3)), "1.2.0-rc.1"]
SELECTORS = ["latest", "v1", "^1.0", "^1.1", "~1.1", "^1.2", ">=1.0.1 <2"]


@cache
def made(contract, version):
    required, _, names = contract.partition("|")
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    return card({"input_schema": schema | ({"required": [*required]} if required else {}), "output": "text"}, version)


@cache
def report(old, old_version, new, new_version):
    return compare(made(old, old_version), made(new, new_version), POLICY)


def judge(history, contracts, contract, version, allowed=frozenset()):
    pairs = []
    for baseline in baselines(history, version):
        ends = [(contracts[baseline.release.version], baseline.release.version), (contract, version)]
        (old, old_version), (new, new_version) = ends if baseline.direction == "below" else ends[::-1]
        pairs.append((baseline, report(old, old_version, new, new_version)))
    return decide(version, pairs, POLICY, allowed)


def offered(history):
    found = {text: select(parse_selector(text), history).release for text in SELECTORS}
    return {text: release.version for text, release in found.items() if release}


def step(choose, history, contracts):
    """Publish one version, by force at times, or yank one; return what was done."""
    if history and choose.random() < 0.1:
        at = choose.randrange(len(history))
        history[at] = replace(history[at], state="yanked")
        return "yanked", history[at].version
    version = choose.choice([each for each in VERSIONS if each not in contracts])
    contract, allowed = choose.choice(CONTRACTS), frozenset({"*"} if choose.random() < 0.35 else ())
    judged = judge(history, contracts, contract, version, allowed)
    if judged.verdict == "refused":
        smallest = judged.smallest_version
        assert smallest not in contracts
        assert "accepted" == judge(history, contracts, contract, smallest).verdict
        return "refused", version
    at = datetime(2026, 12, 1, tzinfo=UTC) + timedelta(seconds=len(history))
    forced = (judged.forced, judged.forced_side, judged.forced_under)
    history.append(Release(version, "production", version, judged_digest(made(contract, version)), *forced, at))
    contracts[version] = contract
    return "published", version


@pytest.mark.parametrize("start", range(0, 1000, 100))
def test_a_publish_takes_no_selector_back_nor_across_a_break_and_a_refusal_names_what_is_accepted(start):
    for seed in range(start, start + 100):
        choose, history, contracts, told = random.Random(seed), [], {}, []
        for _ in range(choose.randrange(3, 10)):
            before = offered(history)
            told.append(step(choose, history, contracts))
            after = offered(history)
            if told[-1][0] != "published":
                continue
            for text, old in before.items():
                new = after[text]
                if new == old or "-" in old:
                    continue
                assert precedence(parse_version(new)) > precedence(parse_version(old)), (seed, text, told)
                levels = {each.level for each in report(contracts[old], "1.0.0", contracts[new], "1.0.1").changes}
                assert "major" not in levels, (seed, text, old, new, told)
