// The API description as one HTML page, without scripts or external resources, for light and dark mode.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Api } from "../api.ts";
import { Examples } from "./examples.ts";
import { openApiDocument, type DocumentedOperation } from "./openapi.ts";

/** In the colours of the browser, for light and dark mode. */
const STYLE = `
:root { color-scheme: light dark; --line: 1px solid #8884; --block: #8882 }
body { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem; font: 17px/1.6 ui-serif, Charter, Georgia, serif }
h2 { margin-top: 3.5rem; border-bottom: var(--line) } h3 { margin: 2.5rem 0 0 } h4 { margin: 1.2rem 0 0; font-size: .85rem } p { margin: .4rem 0 }
.quiet, h4 { opacity: .7 } .method { font-weight: 700; text-transform: uppercase; margin-right: .6em }
code, .route { font: .84em/1.55 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere } code { background: var(--block) }
pre { background: var(--block); padding: .8rem 1rem; overflow-x: auto } pre code { background: none }
table { border-collapse: collapse; width: 100%; font-size: .88rem } td { border-top: var(--line); padding: .35rem .8rem .35rem 0; vertical-align: top }
nav { columns: 16rem; font-size: .92rem } nav div { break-inside: avoid; margin-bottom: .8rem } nav a { display: block }
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
<p class="route"><span class="method">${method}</span>${escape(path)}</p>
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
