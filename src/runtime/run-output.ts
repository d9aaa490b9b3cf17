import { errorMessage, type ErrorRecord } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import { jsonView, mayHoldKinds } from "../base/recorded.ts";

/** In UTF-16 units. A larger output could not leave the object: an RPC answer has at most 32 MiB. */
const MAX_OUTPUT_LENGTH = 24 * 1024 * 1024;
/** Larger outputs are read from the run itself; the last event then carries null. */
const MAX_EVENT_OUTPUT = 256 * 1024;

/** Returns the output of a run for storage and for its last event; or the reason against storing it. */
export function keptOutput(
  value: JsonValue | undefined,
): { readonly json: string; readonly shown: JsonValue } | { readonly fault: ErrorRecord } {
  let json: string;
  try {
    json = JSON.stringify(value) ?? "null";
  } catch (error) {
    const message = `the result of the run is not JSON: ${errorMessage(error)}`;
    return { fault: { code: "output_invalid", message, retryable: false } };
  }
  if (json.length > MAX_OUTPUT_LENGTH) {
    const message = `the output of the run has ${json.length} characters, at most ${MAX_OUTPUT_LENGTH} are kept`;
    return { fault: { code: "value_too_large", message, retryable: false } };
  }
  const isShown = json.length <= MAX_EVENT_OUTPUT && value !== undefined;
  if (!isShown) return { json, shown: null };
  return { json, shown: mayHoldKinds(json) ? jsonView(value) : value };
}
