"""docs/reference/http.md from the OpenAPI description that the program prints."""
import json
import subprocess

HEAD = """# HTTP API

Made from the OpenAPI description that `dietmt serve` answers at `GET /openapi.json`, where the limits are
those of the server; change it with `scripts/reference`. [Serving translations](../serving.md) and [Batch
jobs](../jobs.md) explain the API by task.
"""
KEYS = """With `--api-keys`, a request needs a key: `Authorization: Bearer KEY`, `X-API-Key: KEY`, `?api_key=KEY`, or
`api_key` in a body of fields.
"""


def cell(text):
    return str(text).replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def type_text(schema):
    """A schema in a few words, with a link to an object of this page."""
    if "$ref" in schema:
        name = schema["$ref"].split("/")[-1]
        return f"[{name}](#{name.lower()})"
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    for several in ("oneOf", "anyOf"):
        if several in schema:
            return " or ".join(type_text(one) for one in schema[several])
    kind = schema.get("type", "any")
    if kind == "array":
        return "list of " + type_text(schema["items"]) if "items" in schema else "list"
    return " or ".join(kind) if isinstance(kind, list) else kind


def without_null(schema):
    null = {"type": "null", "oneOf": {"type": "null"}, "enum": None}
    return {key: [one for one in value if one != null[key]] if key in null and isinstance(value, list)
            else value for key, value in schema.items()}


def facts(schema):
    """The limits and the default of a value."""
    bounds = " ".join(f"{word} {schema[key]}" for key, word in
                      (("minimum", "from"), ("exclusiveMinimum", "above"), ("maximum", "to"),
                       ("exclusiveMaximum", "below"), ("maxLength", "characters: at most"),
                       ("maxItems", "items: at most")) if key in schema)
    default = f"default `{json.dumps(schema['default'])}`" if "default" in schema else ""
    return ", ".join(filter(None, (bounds, default)))


def field_table(fields, required):
    """The page says once that null stands for a missing field, so that no optional one repeats it."""
    yield "| field | type | |"
    yield "|---|---|---|"
    for name, schema in fields.items():
        text = "; ".join(filter(None, ("required" if name in required else "",
                                       schema.get("description", "").rstrip("."), facts(schema))))
        kind = type_text(schema if name in required else without_null(schema))
        yield f"| `{name}` | {cell(kind)} | {cell(text)} |"


def content(body):
    for media, entry in body.get("content", {}).items():
        schema = entry.get("schema", {})
        yield f"`{media}`: {type_text(schema)}" if schema else f"`{media}`"


def operation(method, path, told, shared, components):
    yield f"## {method.upper()} {path}"
    yield told["summary"] + "."
    if "description" in told:
        yield ""
        yield told["description"]
    parameters = {one["name"]: one["schema"] | {"description": f"in the {one['in']}; " * (one["in"] != "query")
                                                + one.get("description", "")}
                  for one in shared + told.get("parameters", [])}
    required = [one["name"] for one in shared + told.get("parameters", []) if one.get("required")]
    if parameters:
        yield ""
        yield from field_table(parameters, required)
    if "requestBody" in told:
        yield ""
        yield "Body: " + ", or ".join(content(told["requestBody"])) + "."
    yield ""
    yield "| status | answer | |"
    yield "|---|---|---|"
    for status, answer in told["responses"].items():
        if "$ref" in answer:
            answer = components["responses"][answer["$ref"].split("/")[-1]]
        yield f"| {status} | {cell(answer['description'])} | {cell(', or '.join(content(answer)))} |"
    yield ""


def component(name, schema):
    yield f"### {name}"
    if "description" in schema:
        yield schema["description"].rstrip(".") + "."
        yield ""
    parents = [type_text(part) for part in schema.get("allOf", []) if "$ref" in part]
    if parents:
        yield "All of " + ", ".join(parents) + ", and:"
        yield ""
    own = [part for part in [schema, *schema.get("allOf", [])] if "properties" in part]
    for part in own:
        yield from field_table(part["properties"], part.get("required", []))
        yield ""
    if not own and not parents:
        yield f"{type_text(schema)} {facts(schema)}".rstrip() + "."
        yield ""


def http_reference(program):
    document = json.loads(subprocess.run([program, "serve", "--openapi"], check=True,
                                         capture_output=True, text=True).stdout)
    lines = [HEAD, document["info"]["description"], "", KEYS]
    for path, methods in document["paths"].items():
        shared = methods.get("parameters", [])
        for method, told in methods.items():
            if method != "parameters":
                lines += operation(method, path, told, shared, document["components"])
    lines.append("## Objects")
    for name, schema in sorted(document["components"]["schemas"].items()):
        lines += component(name, schema)
    return "\n".join(lines).rstrip() + "\n"
