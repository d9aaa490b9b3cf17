// Headers that repeat what is in the body, so that whatever stands in between can route by them. Revision 2026-07-28, SEP-2243.
//
//   MPH1. An argument that its schema marks with `x-mcp-header` must be in that header as well, and say the same. One that is not
//         there needs none.
//   MPH2. The revision and the method must be in headers, and the name of what is called or read.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

const MARK = "x-mcp-header";
const CANONICAL = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What is wrong with the headers of a call's arguments; undefined if nothing is. */
export function argumentFault(
  schema: JsonObject,
  args: JsonValue | undefined,
  headers: Headers,
): string | undefined {
  const { properties } = schema;
  if (properties === undefined || !isJsonObject(properties)) return undefined;
  const present = args !== undefined && isJsonObject(args) ? args : {};
  for (const [name, field] of Object.entries(properties)) {
    if (!isJsonObject(field)) continue;
    const fault =
      faultOf(field, present[name], headers) ?? argumentFault(field, present[name], headers);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The field of the params that the header `Mcp-Name` repeats, by method. */
const NAMES: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** What is missing or wrong in the headers of a request; undefined if nothing is. */
export function standardFault(
  method: string,
  params: JsonValue | undefined,
  headers: Headers,
): string | undefined {
  for (const name of ["MCP-Protocol-Version", "Mcp-Method"])
    if (!headers.has(name)) return `the header ${name} is missing`;
  const field = Object.hasOwn(NAMES, method) ? NAMES[method] : undefined;
  const value =
    field !== undefined && params !== undefined && isJsonObject(params) ? params[field] : undefined;
  if (typeof value !== "string") return undefined;
  const sent = headers.get("mcp-name");
  if (sent === null) return "the header Mcp-Name is missing";
  return decodedHeader(sent.trim()) === value
    ? undefined
    : "the header Mcp-Name says something else than the body";
}

function faultOf(
  field: JsonObject,
  value: JsonValue | undefined,
  headers: Headers,
): string | undefined {
  const mark = field[MARK];
  if (typeof mark !== "string" || value === undefined || value === null) return undefined;
  if (typeof value === "object") return undefined;
  const name = `Mcp-Param-${mark}`;
  const sent = headers.get(name);
  if (sent === null) return `the header ${name} is missing; the arguments have a value for it`;
  const decoded = decodedHeader(sent);
  if (decoded === undefined) return `the header ${name} is no base64 of UTF-8`;
  const isSame = typeof value === "number" ? Number(decoded) === value : decoded === String(value);
  return isSame ? undefined : `the header ${name} says something else than the arguments`;
}

/** Undefined for a value that cannot be decoded. */
function decodedHeader(value: string): string | undefined {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (base64 === undefined) return value;
  if (!CANONICAL.test(base64)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
