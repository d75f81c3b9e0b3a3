"""Commands that ask a registry: check, publish, get, search, history."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Literal

import click

from registry.cli import files
from registry.cli.files import Unreadable
from registry.cli.offline import FILE, second_prover_option
from registry.cli.output import FOUND, as_rows, finding_lines, format_option, guarded, show, show_json, warn
from registry.client import Card, Invalid, Registry
from registry.core.compat.judging import judge
from registry.core.compat.rendering import judgement_as_json, judgement_as_text
from registry.core.compat.report import Policy
from registry.core.errors import Finding, InvalidCard
from registry.core.solver import BUDGET

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from registry.cli.files import CardFile
    from registry.core.card.model import Card as CoreCard
    from registry.core.solver import Budget

Json = Any

DEFAULT_URL = "http://127.0.0.1:8080"

url_option = click.option(
    "--url", envvar="CARDS_URL", default=DEFAULT_URL, show_default=True, help="The registry (or CARDS_URL)."
)
token_option = click.option("--token", envvar="CARDS_TOKEN", help="Who you are (or CARDS_TOKEN).")
id_option = click.option("--id", "agent_id", help="The agent's ID, where the card doesn't say it (A2A).")
version_option = click.option("--version", help="The version, where the card's own is none (A2A).")


@click.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option("--against", metavar="FILE|git:REF", help="Judge against a file, or the same file at a git revision.")
@id_option
@version_option
@click.option(
    "--profile",
    type=click.Choice(["declared", "literal"]),
    help="With --against: what a schema's silence about other properties means  [default: declared]",
)
@second_prover_option
@url_option
@format_option
@guarded
def check(
    paths: tuple[str, ...],
    against: str | None,
    agent_id: str | None,
    version: str | None,
    profile: Literal["declared", "literal"] | None,
    second_prover: str,
    url: str,
    form: str,
) -> None:
    """Ask whether cards could be published, and store nothing.

    \b
    cards check agent-card.yaml
    cards check agent-card.yaml --against git:origin/main
    """
    if against is not None:
        budget = replace(BUDGET, second_prover=second_prover == "on")
        _check_offline(paths, against, agent_id, version, Policy(profile=profile or "declared"), budget, form)
        return
    if profile is not None:
        raise click.UsageError("--profile needs --against; a registry judges by the profile of the card's namespace")
    cards = _cards(paths, agent_id, version)
    with Registry(url) as registry, _faults_in_files(cards):
        answer = registry.check([card for _, card in cards])
    _show_answer(answer, form)


def _check_offline(
    paths: tuple[str, ...],
    against: str,
    agent_id: str | None,
    version: str | None,
    policy: Policy,
    budget: Budget,
    form: str,
) -> None:
    """Judge each card as publishing it would, were the other one all that is published."""
    judgements = []
    for path in paths:
        after = files.load(path).read(agent_id=agent_id, version=version)
        is_git = against.startswith("git:")
        before = files.load_at(path, against.removeprefix("git:")) if is_git else files.load(against)
        old = _versioned(before.read(), against, "compare with `cards diff`")
        new = _versioned(after, path, "give --version, or compare with `cards diff`")
        judged = judge([old], new, policy, budget)
        judgements.append({"file": path, **judgement_as_json(judged)})
    if form == "json":
        show_json({"judgements": judgements})
    else:
        for each in judgements:
            show(("Refused: " if each["verdict"] == "refused" else "") + judgement_as_text(each))
    if any(each["verdict"] == "refused" for each in judgements):
        raise SystemExit(FOUND)


def _versioned(card: CoreCard, name: str, advice: str) -> CoreCard:
    if card.version is None:
        raise Unreadable(f"{name} has no SemVer version (`{card.version_text}`), so it can't be judged; {advice}")
    return card


@click.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=FILE)
@id_option
@version_option
@click.option("--dry-run", is_flag=True, help="Judge, and store nothing.")
@click.option("--allow-breaking", multiple=True, metavar="FINGERPRINT", help="Let this change through; `*` for all.")
@click.option("--reason", help="Why; needed with --allow-breaking, kept for ever.")
@click.option("--commit", help="The source revision; without it, git's, where the file is as committed.")
@click.option("--status", type=click.Choice(["draft", "staging", "production"]), help="The state to start in.")
@url_option
@token_option
@format_option
@guarded
def publish(
    paths: tuple[str, ...],
    agent_id: str | None,
    version: str | None,
    dry_run: bool,
    allow_breaking: tuple[str, ...],
    reason: str | None,
    commit: str | None,
    status: str | None,
    url: str,
    token: str | None,
    form: str,
) -> None:
    """Publish cards, all or none. An update that breaks callers is refused unless its version says so.

    \b
    cards publish agent-card.yaml
    """
    cards = _cards(paths, agent_id, version)
    options: dict[str, Any] = {
        "dry_run": dry_run,
        "allow_breaking": allow_breaking,
        "reason": reason,
        "commit": commit or files.revision_of(paths[0]),
        "status": status,
    }
    with Registry(url, token) as registry, _faults_in_files(cards):
        answer = registry.publish_many([card for _, card in cards], **options)
    _show_answer(answer, form)


def _cards(paths: tuple[str, ...], agent_id: str | None, version: str | None) -> list[tuple[CardFile, Card]]:
    """Load cards, and read each here first: the faults of all are told with file and line before anything is sent."""
    cards: list[tuple[CardFile, Card]] = []
    faults: list[Finding] = []
    for path in paths:
        try:
            file = files.load(path)
            card = file.read(agent_id=agent_id, version=version)
        except InvalidCard as problem:
            faults += problem.findings
        else:
            if card.findings:
                warn(finding_lines(as_rows(card.findings)))
            cards.append((file, Card(file.data, agent_id, version)))
    if faults:
        raise InvalidCard(faults)
    return cards


@contextmanager
def _faults_in_files(cards: Sequence[tuple[CardFile, Card]]) -> Iterator[None]:
    """Turn what a registry finds wrong with cards into findings about their files."""
    try:
        yield
    except Invalid as problem:
        findings = problem.problem.get("findings")
        if problem.code != "invalid-card" or not findings:
            raise
        raise InvalidCard([_in_its_file(row, cards) for row in findings]) from problem


def _in_its_file(row: Mapping[str, Json], cards: Sequence[tuple[CardFile, Card]]) -> Finding:
    place = re.fullmatch(r"/cards/(\d+)(.*)", row["pointer"]) if len(cards) > 1 else None
    (file, _), pointer = (cards[int(place[1])], place[2]) if place else (cards[0], row["pointer"])
    return file.located([Finding(row["code"], pointer, row["message"], row["level"])])[0]


def _show_answer(answer: Mapping[str, Json], form: str) -> None:
    if form == "json":
        show_json(answer)
        return
    for publication in answer["publications"]:
        _show_publication(publication)


def _show_publication(publication: Mapping[str, Json]) -> None:
    record, judgement = publication["record"], publication["judgement"]
    words = {
        "created": "published",
        "unchanged": "is published already, unchanged",
        "would_create": "could be published",
    }
    show(f"{record['agent_id']} {record['version']} {words[publication['outcome']]} ({record['state']})")
    if publication["outcome"] != "unchanged" and judgement.get("message"):
        show(f"  {judgement['message']}")
    for change in judgement.get("changes", ()):
        if change["said_aloud"] or judgement["verdict"] == "warned":
            place = f"{change['operation']}: " if change["operation"] else ""
            show(f"  note: {place}{change['sentence']}")


@click.command()
@click.argument("name", metavar="ID[@SELECTOR]")
@click.option(
    "--output",
    "part",
    type=click.Choice(["card", "record", "contract", "a2a"]),
    default="card",
    show_default=True,
    help="What to print; a card is printed as it was sent.",
)
@click.option("--a2a-version", type=click.Choice(["1.0", "0.3"]), help="With --output a2a: a view in that version.")
@url_option
@format_option
@guarded
def get(name: str, part: str, a2a_version: str | None, url: str, form: str) -> None:
    """Print a card, its record or its contract.

    SELECTOR is a version (1.2.0), latest (the default), a major (v1), a range (^1.2, ~1.2.3, '>=1 <2'), or a card's
    digest (sha256:...).

    \b
    cards get com.example.greeter
    cards get com.example.greeter@^1.2 --output contract
    """
    if a2a_version and part != "a2a":
        raise click.UsageError("--a2a-version needs --output a2a")
    agent_id, _, selector = name.partition("@")
    if not agent_id:
        raise click.UsageError("give an agent's ID; `cards search` lists them")
    with Registry(url) as registry:
        record = registry.record(agent_id, selector or "latest")
        version = record["version"]
        match part:
            case "record" if form == "text":
                _show_record(record)
            case "record":
                show_json(record)
            case "card" if form == "text":
                data = registry.card_bytes(agent_id, version)
                click.echo(data, nl=not data.endswith(b"\n"))
            case "card":
                show_json(record["card"])
            case "contract":
                show_json(registry.contract(agent_id, version))
            case _:
                show_json(registry.a2a(agent_id, version, a2a_version))
    if form == "text" and record["prerelease"] and selector != version and not selector.startswith("sha256:"):
        warn(f"note: {version} is a prerelease; there is no release for `{selector or 'latest'}`")


def _show_record(record: Mapping[str, Json]) -> None:
    show(f"{record['agent_id']} {record['version']} ({record['state']})")
    rows = {
        "name": record["name"],
        "owner": record["owner"],
        "tags": ", ".join(record["tags"]),
        "card digest": record["digests"]["card"],
        "contract digest": record["digests"]["contract"],
        "published": f"{record['published_at']} by {record['published_by']}",
        "commit": record["commit"],
        "judged": record["judgement"].get("message"),
        "forced": ", ".join(record["forced"]),
        "newer behind a break": record["newer_behind_break"],
    }
    for label, value in rows.items():
        if value:
            show(f"  {label:20}  {value}")


@click.command()
@click.argument("words", nargs=-1)
@click.option("--tag", multiple=True, help="Has this tag; repeatable.")
@click.option("--capability", help="Has this capability.")
@click.option("--skill", help="Has this operation.")
@click.option("--namespace", help="Is in this namespace.")
@click.option("--owner", help="Is this owner's.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="At most so many.")
@url_option
@format_option
@guarded
def search(
    words: tuple[str, ...],
    tag: tuple[str, ...],
    capability: str | None,
    skill: str | None,
    namespace: str | None,
    owner: str | None,
    limit: int,
    url: str,
    form: str,
) -> None:
    """Find agents by words, tags and more; without any, list all.

    \b
    cards search invoice --tag finance
    """
    filters = {
        "q": " ".join(words) or None,
        "tag": tag or None,
        "capability": capability,
        "skill": skill,
        "namespace": namespace,
        "owner": owner,
    }
    with Registry(url) as registry:
        found = []
        for item in registry.agents(limit=min(limit, 200), **filters):
            found.append(item)
            if len(found) >= limit:
                break
    if form == "json":
        show_json({"items": found})
        return
    if not found:
        warn("no agent was found; `cards search` without words lists all")
        return
    width = max(len(item["agent_id"]) for item in found)
    for item in found:
        about = shorten(f"{item['name']}: {item['description']}".removesuffix(": "), 100, placeholder=" ...")
        show(f"{item['agent_id']:{width}}  {item['latest'] or item['version']:10}  {about}")
    unreleased = [item["agent_id"] for item in found if "-" in (item["latest"] or "").partition("+")[0]]
    if unreleased:
        warn(f"note: only prereleases so far: {', '.join(unreleased)}")


@click.command()
@click.argument("agent_id", metavar="ID")
@url_option
@format_option
@guarded
def history(agent_id: str, url: str, form: str) -> None:
    """List an agent's versions, highest first, with what each changed.

    \b
    cards history com.example.greeter
    """
    with Registry(url) as registry:
        items = list(registry.history(agent_id))
    if form == "json":
        show_json({"items": items})
        return
    for item in items:
        counts = item["judgement"].get("counts", {})
        changes = ", ".join(f"{count} {level}" for level, count in counts.items() if count)
        changes = changes or ("no changes" if item["judgement"].get("predecessor") else "the first")
        forced = "  forced" if item["forced"] else ""
        show(f"{item['version']:14}  {item['state']:10}  {item['published_at'][:19]}Z  {changes}{forced}")
