"""The same schema in other words: with annotations, and with everything in another order."""

ONE = (
    *("not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties"),
    *("additionalItems", "unevaluatedItems", "items"),
)
MANY = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
NAMED = ("properties", "patternProperties", "definitions", "$defs", "dependentSchemas", "dependencies")
UNORDERED = ("allOf", "anyOf", "oneOf", "type", "enum", "required")
ANNOTATIONS = (
    ("title", "a"),
    ("description", ""),
    ("default", {"a": [1]}),
    ("examples", [None, 1, "a"]),
    ("$comment", "nothing"),
    ("format", "date"),
    ("x-order", 3),
)


def mapped(schema, change):
    """Apply ``change`` to every schema in a schema, the innermost first."""
    if not isinstance(schema, dict):
        return schema
    found = {}
    for keyword, value in schema.items():
        inner = value
        if keyword in ONE and isinstance(value, dict):
            inner = mapped(value, change)
        elif keyword in MANY and isinstance(value, list):
            inner = [mapped(each, change) for each in value]
        elif keyword in NAMED and isinstance(value, dict):
            inner = {name: mapped(each, change) for name, each in value.items()}
        found[keyword] = inner
    return change(found)


def annotated(schema, source):
    """Add what says nothing about values, at some of the schemas in it."""

    def change(node):
        return {**node, **dict(source.sample(ANNOTATIONS, source.randrange(3)))}

    return mapped(schema, change)


def reordered(schema):
    """Turn the order of members around, and of lists that have none."""

    def change(node):
        turned = {}
        for keyword, value in reversed(list(node.items())):
            if keyword in UNORDERED and isinstance(value, list):
                turned[keyword] = value[::-1]
            elif keyword in NAMED and isinstance(value, dict):
                turned[keyword] = dict(reversed(list(value.items())))
            else:
                turned[keyword] = value
        return turned

    return mapped(schema, change)
