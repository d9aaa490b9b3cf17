// Arguments that clients send as headers, too: parameters that a tool's schema marks with `x-mcp-header`.
//
//   MPH1. A marked argument that is there must be in its header as well, and say the same. One that is not needs none.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

const MARK = "x-mcp-header";
const CANONICAL = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What is wrong with the headers of a call; undefined if nothing is. */
export function headerFault(
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
      faultOf(field, present[name], headers) ?? headerFault(field, present[name], headers);
    if (fault !== undefined) return fault;
  }
  return undefined;
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
