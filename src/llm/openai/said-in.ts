import { cut } from "../../base/cut.ts";
import { parsedObject } from "../../base/json.ts";
import type { ProviderFailure } from "../provider-failure.ts";
import { fieldsOf, isFields, textOf, type Fields } from "../wire.ts";

/** Maximum number of characters from the message of a server behind a gateway. */
const MAX_UPSTREAM_CHARS = 2_000;

/**
 * Reads the `error` of an answer. Gateways wrap the error of the server behind them, and put its status into the code.
 */
export function saidIn(
  error: Fields,
): Pick<ProviderFailure, "status" | "providerCode" | "message" | "body"> {
  const { code, type, message } = error;
  const upstream = upstreamOf(fieldsOf(error["metadata"])["raw"]);
  const said = [textOf(message), textOf(upstream["message"])].filter((text) => text !== "");
  return {
    status: statusOf(code),
    providerCode: textOf(upstream["code"]) || textOf(code) || textOf(type),
    message: said.join(": "),
    body: error,
  };
}

/** OpenRouter has the words of the server behind it as a text, which is often JSON. */
function upstreamOf(raw: unknown): Fields {
  const text = textOf(raw);
  const body = parsedObject(text);
  if (body === undefined) return { message: cut(text, MAX_UPSTREAM_CHARS) };
  return isFields(body["error"]) ? body["error"] : body;
}

function statusOf(code: unknown): number | undefined {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
}
