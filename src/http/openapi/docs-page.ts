// The API description as one HTML page, without scripts or external resources, for light and dark mode.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Api } from "../../parts/part.ts";
import { Examples } from "./examples.ts";
import { openApiDocument, type DocumentedOperation } from "./openapi.ts";

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1f2328, #e6e6e3); --quiet: light-dark(#5b626b, #a2a7ad);
  --paper: light-dark(#fdfcfa, #16181b); --block: light-dark(#f2efe9, #202327); --line: light-dark(#e0dbd1, #33373d);
  --get: light-dark(#0b6bcb, #6cb2ff); --post: light-dark(#177245, #62c48f); --put: light-dark(#96600a, #e0ab56); --delete: light-dark(#b3261e, #ff8a80); }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.6 ui-serif, Charter, Georgia, serif }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem 6rem }
h1 { font-size: 2.2rem; line-height: 1.15; margin: 0 0 .5rem } h2 { margin: 3.5rem 0 1rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line) }
h3 { margin: 2.5rem 0 .4rem; font-size: 1.1rem } h4 { margin: 1.2rem 0 .3rem; font-size: .85rem; color: var(--quiet); font-weight: 600 }
p { margin: .4rem 0 } a { color: var(--get) } .quiet { color: var(--quiet) }
code, pre, .route { font: .84em/1.55 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
code { background: var(--block); padding: .1em .3em; border-radius: 4px } pre { background: var(--block); padding: .8rem 1rem; border-radius: 8px; overflow-x: auto; margin: .5rem 0 }
pre code { background: none; padding: 0; font-size: 1em }
.route { font-size: .95rem; overflow-wrap: anywhere } .method { font-weight: 700; text-transform: uppercase; margin-right: .6em }
.get { color: var(--get) } .post { color: var(--post) } .put { color: var(--put) } .delete { color: var(--delete) }
table { border-collapse: collapse; width: 100%; font-size: .88rem } td { border-top: 1px solid var(--line); padding: .35rem .8rem .35rem 0; vertical-align: top } td:first-child { white-space: nowrap }
nav { columns: 2; column-gap: 2rem; font-size: .92rem; margin: 1.5rem 0 } nav div { break-inside: avoid; margin-bottom: .8rem } nav a { display: block; text-decoration: none }
@media (max-width: 34rem) { nav { columns: 1 } td:first-child { white-space: normal } }
`;

type Entry = DocumentedOperation & { readonly method: string; readonly path: string };

/** `basePath` is the path the app is mounted below. */
export function docsPage(
  api: Api,
  { origin, basePath = "" }: { readonly origin: string; readonly basePath?: string },
): string {
  const document = openApiDocument(api);
  const examples = new Examples(api);
  const commands = new Map(
    api.operations.map((operation) => [
      operation.id,
      examples.commands(operation, origin + basePath),
    ]),
  );
  const entries: Entry[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
  const groups = document.tags.map(({ name }) => ({
    name,
    entries: entries.filter(({ tags }) => tags.includes(name)),
  }));
  const { title, version, description } = document.info;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} API</title><style>${STYLE}</style></head><body><main>
<h1>${escape(title)}</h1><p>${prose(description)}</p>
<p class="quiet">API version ${escape(version)} · <a href="${escape(basePath)}/openapi.json">openapi.json</a> · keys go into <code>Authorization: Bearer …</code></p>
<nav>${groups.map((group) => `<div><strong>${escape(group.name)}</strong>${group.entries.map(({ operationId, summary }) => `<a href="#${operationId}">${escape(summary)}</a>`).join("")}</div>`).join("")}</nav>
${groups.map((group) => `<h2>${escape(group.name)}</h2>${group.entries.map((entry) => section(entry, commands.get(entry.operationId) ?? "")).join("")}`).join("")}
<h2>Shapes</h2>${Object.entries(document.components.schemas)
    .map(([name, schema]) => `<h3 id="shape-${name}">${escape(name)}</h3>${fields(schema)}`)
    .join("")}
</main></body></html>`;
}

function section(entry: Entry, commands: string): string {
  const { operationId, method, path, summary, description, parameters, requestBody, responses } =
    entry;
  const shape = shapeName(requestBody?.content["application/json"]?.schema);
  const rows = parameters
    .filter((parameter) => parameter.in !== "path")
    .map(
      (parameter) =>
        `<tr><td><code>${escape(parameter.name)}</code></td><td>${parameter.in}</td><td>${prose(parameter.description ?? typeOf(parameter.schema))}</td></tr>`,
    );
  return `<section id="${operationId}"><h3>${escape(summary)}</h3>
<p class="route"><span class="method ${method}">${method}</span>${escape(path)}</p>
${description === undefined ? "" : `<p>${prose(description)}</p>`}
<p class="quiet">${needs(entry["x-scope"])}</p>
${rows.length === 0 ? "" : `<h4>Parameters</h4><table>${rows.join("")}</table>`}
${shape === undefined || shape === "Empty" ? "" : `<h4>Body</h4><p>${shapeLink(shape)}${requestBody?.required === true ? "" : ", may be left out"}</p>`}
<h4>Answers</h4><table>${Object.entries(responses)
    .map(([status, answer]) => answerRow(status, answer))
    .join("")}</table>
<pre><code>${escape(commands)}</code></pre></section>`;
}

function answerRow(
  status: string,
  { description, content = {} }: DocumentedOperation["responses"][string],
): string {
  const types = Object.entries(content).map(([type, { schema = {} }]) => {
    const { items } = (schema["properties"] ?? {}) as { items?: { items: JsonObject } };
    const name = shapeName(items?.items ?? schema);
    return name === undefined
      ? `<code>${escape(type)}</code>`
      : `${items === undefined ? "" : "a page of "}${shapeLink(name)}`;
  });
  return `<tr><td>${status}</td><td>${prose(description)}</td><td>${types.join(", ")}</td></tr>`;
}

function needs(scope: string): string {
  if (scope === "none") return "Needs no key";
  return scope === "key"
    ? "Needs any key"
    : `Needs a key with the scope <code>${escape(scope)}</code>`;
}

function fields(schema: JsonObject): string {
  const { properties, required = [] } = schema as {
    properties?: Record<string, JsonObject>;
    required?: readonly string[];
  };
  if (properties === undefined || Object.keys(properties).length === 0)
    return `<p class="quiet">${escape(typeOf(schema))}</p>`;
  const rows = Object.entries(properties).map(([name, field]) => {
    const note = typeof field["description"] === "string" ? prose(field["description"]) : "";
    return `<tr><td><code>${escape(name)}</code>${required.includes(name) ? "" : ' <span class="quiet">optional</span>'}</td><td>${escape(typeOf(field))}</td><td>${note}</td></tr>`;
  });
  return `<table>${rows.join("")}</table>`;
}

/** Describes a type in a few words: `text`, `list of objects`, `"run" | "read"`. */
function typeOf(schema: JsonValue | undefined): string {
  if (!isJsonObject(schema)) return "any JSON";
  const { type, enum: values, const: only, items, anyOf, pattern } = schema;
  const shape = shapeName(schema);
  if (shape !== undefined) return shape;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(" or ");
  if (type === "array") return `list of ${typeOf(items)}`;
  if (type === "string") return typeof pattern === "string" ? `text like ${pattern}` : "text";
  return typeof type === "string" ? type : "any JSON";
}

function shapeName(schema: JsonObject | undefined): string | undefined {
  const to = schema?.["$ref"];
  return typeof to === "string" ? to.split("/").at(-1) : undefined;
}

function shapeLink(name: string): string {
  return `<a href="#shape-${name}">${escape(name)}</a>`;
}

/** Escapes the text, and marks up `code` between backticks. */
function prose(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
