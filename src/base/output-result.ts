// The one reading of a run's output, for protocols, the command line and the console: outputs of crews and agents have `raw` and `object`,
// those of flows `value` and `state`, turns `reply`, conversations `summary`.
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/** The result of a completed run: as text, and as data where it is some. */
export type RunResult = { readonly text: string; readonly data?: JsonValue };

/** The result of a completed run; an empty text if it has none. */
export function resultOf({ output }: { readonly output?: JsonValue | undefined }): RunResult {
  if (output === undefined || output === null) return { text: "" };
  if (!isJsonObject(output)) return valueResult(output);
  const { raw, object, value, reply, summary } = output;
  if (typeof raw === "string")
    return object === undefined || object === null ? { text: raw } : { text: raw, data: object };
  if (typeof reply === "string") return { text: reply };
  if ("value" in output && "state" in output) return valueResult(value ?? null);
  // The messages of a conversation are read from the run.
  if (typeof summary === "string" && typeof output["lastSpeaker"] === "string")
    return { text: summary };
  return valueResult(output);
}

function valueResult(value: JsonValue): RunResult {
  if (value === null) return { text: "" };
  if (typeof value === "string") return { text: value };
  const nested: JsonObject = isJsonObject(value) ? value : {};
  if (typeof nested["raw"] === "string") return resultOf({ output: nested });
  return { text: JSON.stringify(value), data: value };
}
