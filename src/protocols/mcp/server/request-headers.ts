// Headers that repeat values of the body, for routing by intermediaries. Revision 2026-07-28, SEP-2243.
//
//   MPH1. An argument marked with `x-mcp-header` in its schema must be repeated in this header with the same value. An
//         absent argument needs no header.
//   MPH2. The revision and the method must be in headers, and the name of the called or read thing.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

const MARK = "x-mcp-header";
const CANONICAL = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns the fault in the headers of a call's arguments; undefined without one. */
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

/** Field of the params repeated by the header `Mcp-Name`, by method. */
const NAMES: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** Returns the fault in the headers of a request; undefined without one. */
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
    : "the header Mcp-Name differs from the body";
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
  return isSame ? undefined : `the header ${name} differs from the arguments`;
}

/** Returns undefined for an undecodable value. */
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
