"""The two URIs that the registry adds to A2A. docs/contract-extension.md and docs/http-json.md specify them."""

EXTENSION_URI = "https://w3id.org/agent-card-registry/contract/v1"
"""The A2A extension whose ``params`` carry a contract (``registry.core.formats.extension`` says how)."""

HTTP_JSON_BINDING_URI = "https://w3id.org/agent-card-registry/http-json/v1"
"""The ``protocolBinding`` of an agent that is called with plain HTTP and JSON, without A2A's own messages."""

HTTP_JSON_VERSION = "1.0"
"""The ``protocolVersion`` of that binding."""
