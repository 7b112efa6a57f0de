"""Hooks for Schemathesis on a running service (docs/contributing.md): `SCHEMATHESIS_HOOKS=hooks st run …`."""

import json
import re

import jsonschema_rs
import schemathesis

# A request that fits the document is refused only for what the document can't know: the catalog, the account, the host
# or bytes of a photo, and for a control byte in a header. The document names each of these reasons where the field is described.
REASONS = re.compile(
    r"There is no (tag|category|product|item|facet)|is no taxonomy node|has no \"|take the next_cursor|"
    r"must be (an https? |an http or https|the https|base64|at most 366)|must not|is not one of an answer|is empty|is named twice|"
    r"ends outside of the photo|is not valid HTTP|smaller than 16|half a surrogate|can be taken off|is unlimited|must lie in the future|since: must"
)
REFUSED = (400, 402, 422)
line_validators = []


@schemathesis.serializer("application/x-ndjson")
def json_lines(_context, lines):
    return "".join(f"{json.dumps(line)}\n" for line in (lines if isinstance(lines, list) else [lines])).encode()


@schemathesis.hook
def before_load_schema(_context, raw_schema):
    """A body of records is a list of lines; OpenAPI 3.1 can only call it a text."""
    content = raw_schema["paths"]["/v3/catalog/records"]["put"]["requestBody"]["content"]["application/x-ndjson"]
    line = {"$ref": "#/components/schemas/RecordLine"}
    line_validators[:] = [jsonschema_rs.Draft202012Validator({**line, "components": raw_schema["components"]})]
    content["schema"] = {"type": "array", "items": line, "minItems": 1, "maxItems": 20}
    content.pop("examples", None)


@schemathesis.check
def refused_for_a_named_reason(_ctx, response, case):
    """A request that fits the document is not refused without a reason that the document names."""
    if not case.meta or not case.meta.generation.mode.is_positive or response.status_code not in REFUSED:
        return
    body = response.json()
    if response.status_code == 422 and body.get("reason"):
        return
    assert REASONS.search(body["message"]), f"refused: {body['message']}"


@schemathesis.check
def forbidden_records_are_rejected(_ctx, response, case):
    """No line of a body of records is accepted that the document forbids."""
    if case.operation.path != "/v3/catalog/records" or response.status_code != 200:
        return
    for line, outcome in zip(case.body, response.json()["data"]):
        assert outcome["status"] == "rejected" or line_validators[0].is_valid(line), f"accepted: {line}"
