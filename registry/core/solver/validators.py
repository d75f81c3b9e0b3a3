"""Two independent validators, set up to mean the same; what they don't agree about is no answer.

Formats are off in both. ``jsonschema`` runs with our ECMA-262 matcher, an exact ``multipleOf`` and 1.0 as an integer;
``jsonschema-rs`` with its own linear regex engine. Neither fetches anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs
from jsonschema_specifications import (  # type: ignore[import-untyped] # jsonschema's own data, without types
    REGISTRY as META_SCHEMAS,
)
from referencing.exceptions import Unresolvable

from registry.core.solver.regex_program import Unsupported
from registry.core.solver.regex_rendering import render
from registry.core.solver.regex_syntax import InvalidPattern, parse
from registry.core.solver.validators_keywords import DEFAULT_DRAFT, knows, validator_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from jsonschema.exceptions import ValidationError

    from registry.core.errors import Finding

__all__ = ["CannotValidate", "Disagreement", "Pair", "Quick", "accepts", "instance_findings", "plain_value"]

Json = Any
MAX_DEPTH = 200
_DATA = frozenset({"const", "enum", "default", "examples"})
MAX_BACKTRACKS = 100_000


class CannotValidate(ValueError):
    """A schema or a value that a validator can't work with; the text says why."""


class Disagreement(ValueError):
    """The two validators answer differently; ``keywords`` are those that jsonschema refuses the value by."""

    def __init__(self, refused_by: str, keywords: tuple[str, ...]) -> None:
        self.refused_by = refused_by
        self.keywords = keywords
        where = f" at {', '.join(keywords)}" if keywords else ""
        super().__init__(f"validators disagree: only {refused_by} refuses the value{where}")


def accepts(schema: Json, value: Json) -> bool:
    """Tell whether ``schema`` (draft 4 to 2020-12, told by ``$schema``) accepts ``value``.

    Raises Disagreement where the validators differ, CannotValidate where one of them can't answer.
    For many values, make a Pair once.
    """
    return Pair(schema).accepts(value)


class Quick:
    """One schema, compiled for ``jsonschema-rs`` alone: for where a Pair has answered for the whole.

    Raises CannotValidate as Pair does.
    """

    def __init__(self, schema: Json) -> None:
        _check_depth(schema, "the schema")
        self._validator = _rust_validator(schema)

    def accepts(self, value: Json) -> bool:
        """Tell whether it accepts ``value``; raises CannotValidate."""
        plain = plain_value(value)
        return bool(_guarded(lambda: self._validator.is_valid(plain)))


def instance_findings(schema: Json, value: Json) -> list[Finding]:
    """Return everything that ``schema`` holds against ``value``, by place; raises as ``accepts`` does."""
    # The words are a module of their own, and that one needs Pair.
    from registry.core.solver.validators_findings import pair_findings  # noqa: PLC0415

    return pair_findings(Pair(schema), value)


class Pair:
    """One schema, compiled for both validators.

    Raises CannotValidate for a schema that is invalid, nested deeper than MAX_DEPTH, or refers outside of itself.
    """

    def __init__(self, schema: Json) -> None:
        _check_depth(schema, "the schema")
        self.schema = schema
        self._first = _python_validator(schema)
        self._second = _rust_validator(schema)

    def accepts(self, value: Json) -> bool:
        """Tell whether both accept ``value``; raises as ``accepts`` does."""
        plain = plain_value(value)
        second: bool = _guarded(lambda: self._second.is_valid(plain))
        first: bool = _guarded(lambda: self._first.is_valid(plain))
        if first is not second:
            keywords = () if first else tuple(dict.fromkeys(str(error.validator) for error in self.errors(value)))
            raise Disagreement("jsonschema-rs" if first else "jsonschema", keywords)
        return first

    def probably_accepts(self, value: Json) -> bool:
        """Tell what ``jsonschema-rs`` alone says, many times faster: to sort out guesses. It decides nothing."""
        plain = plain_value(value)
        return bool(_guarded(lambda: self._second.is_valid(plain)))

    def errors(self, value: Json) -> list[ValidationError]:
        """Return what ``jsonschema`` finds, unordered; raises CannotValidate."""
        plain = plain_value(value)
        found: list[ValidationError] = _guarded(lambda: list(self._first.iter_errors(plain)))
        return found


def plain_value(value: Json) -> Json:
    """Return the value as RFC 8785 sees it: 1.0 is 1. Raises CannotValidate if it is nested too deeply."""
    _check_depth(value, "the value")
    return _plain(value)


def _plain(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    # Above 2^53 a double's digits are not its decimal text's: it stays a double.
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def _check_depth(document: Json, what: str) -> None:
    level: list[Json] = [document]
    depth = 0
    while level:
        if depth > MAX_DEPTH:
            raise CannotValidate(f"{what} is nested deeper than {MAX_DEPTH} levels")
        level = [child for node in level for child in _children(node) if isinstance(child, dict | list)]
        depth += 1


def _children(node: Json) -> Iterable[Json]:
    return node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()


def _python_validator(schema: Json) -> Any:
    dialect = schema.get("$schema", DEFAULT_DRAFT) if isinstance(schema, dict) else DEFAULT_DRAFT
    if not isinstance(dialect, str) or not knows(dialect.removesuffix("#")):
        raise CannotValidate(f"$schema {dialect!r} is no draft from 4 to 2020-12")
    # The registry holds the drafts' own meta-schemas and retrieves nothing else.
    undeclared = _without_dialect(schema, dialect.removesuffix("#"))
    return _guarded(lambda: validator_class(dialect.removesuffix("#"))(undeclared, registry=META_SCHEMAS))


def _without_dialect(schema: Json, dialect: str) -> Json:
    """Copy a schema without ``$schema``: at one, jsonschema leaves our class for its own, and our keywords with it."""
    if isinstance(schema, list):
        return [_without_dialect(item, dialect) for item in schema]
    if not isinstance(schema, dict):
        return schema
    named = schema.get("$schema", dialect)
    if isinstance(named, str) and named.removesuffix("#") != dialect and knows(named.removesuffix("#")):
        raise CannotValidate(f"an embedded schema is of another dialect, {named}")
    return {
        name: item if name in _DATA else _without_dialect(item, dialect)
        for name, item in schema.items()
        if not (name == "$schema" and isinstance(item, str))
    }


def _rust_validator(schema: Json) -> Any:
    """Compile for jsonschema-rs: as written, then with patterns said out, then with an engine that knows lookarounds.

    The linear engine has no lookarounds, so for these the backtracking one is used under a limit.
    """
    linear = jsonschema_rs.RegexOptions()
    try:
        return _compile_rust(schema, linear)
    except CannotValidate:
        rewritten = _guarded(lambda: _with_patterns_said_out(schema))
    try:
        return _compile_rust(rewritten, linear)
    except CannotValidate:
        return _compile_rust(rewritten, jsonschema_rs.FancyRegexOptions(backtrack_limit=MAX_BACKTRACKS))


def _compile_rust(schema: Json, options: Any) -> Any:
    return _guarded(
        lambda: jsonschema_rs.validator_for(schema, pattern_options=options, validate_formats=False, offline=True)
    )


def _guarded(run: Callable[[], Any]) -> Any:
    """Run one validator; whatever it can't do is CannotValidate."""
    try:
        return run()
    except RecursionError:
        raise CannotValidate("a validator's recursion never ends on this schema and value") from None
    except InvalidPattern as error:
        raise CannotValidate(f"a pattern is not ECMA-262: {error}") from error
    except Unsupported as error:
        raise CannotValidate(str(error)) from error
    except Unresolvable as error:
        raise CannotValidate(f"a $ref leads nowhere in this document: {error}") from error
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError, ZeroDivisionError) as error:
        raise CannotValidate(f"a validator refuses to work: {str(error).splitlines()[0][:200]}") from error


_DATA = frozenset({"enum", "const", "default", "examples", "example"})
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})


def _with_patterns_said_out(schema: Json) -> Json:
    if isinstance(schema, list):
        return [_with_patterns_said_out(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {keyword: _said_out(keyword, value) for keyword, value in schema.items()}


def _said_out(keyword: str, value: Json) -> Json:
    if keyword == "pattern" and isinstance(value, str):
        return render(parse(value))
    if keyword in _DATA:
        return value
    if keyword in _NAMED and isinstance(value, dict):
        named = ((name, _with_patterns_said_out(member)) for name, member in value.items())
        return dict(_distinct(named)) if keyword == "patternProperties" else dict(named)
    return _with_patterns_said_out(value)


def _distinct(named: Iterable[tuple[str, Json]]) -> Iterator[tuple[str, Json]]:
    """Say out the names, and keep apart two patterns that come out the same."""
    taken: set[str] = set()
    for name, member in named:
        pattern = render(parse(name))
        while pattern in taken:
            pattern = f"(?:{pattern})"
        taken.add(pattern)
        yield pattern, member
