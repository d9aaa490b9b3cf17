import { canonicalJson, type JsonObject, type JsonValue } from "../base/json.ts";
import { KEEPS_ALL, type Tool } from "./tool.ts";

/** Text for the model, and the result it was made from if that differs. */
export type KeptResult = {
  readonly text: string;
  readonly raw?: JsonValue;
  /** Set if the text is the JSON of the result. */
  readonly isJson?: true;
};

/** Returns the result of a tool; its text, for results cached by an older version with the text alone. */
export function rawOf({ text, raw, isJson }: KeptResult): JsonValue {
  if (raw !== undefined) return raw;
  return isJson === true && text !== "" ? (JSON.parse(text) as JsonValue) : text;
}

/** Unfinished call. */
type OpenCall = { readonly path: string; readonly ended: Promise<void> };

/** Reusable results of tool calls for equal input, shared by the agents of one crew run. */
export class ToolCache {
  /** Results of each tool, by input. Two tools with the same name are separate. */
  readonly #results = new Map<Tool, Map<string, KeptResult>>();
  readonly #open = new Map<Tool, Map<string, OpenCall>>();

  read(tool: Tool, input: JsonObject): KeptResult | undefined {
    return this.#results.get(tool)?.get(canonicalJson(input));
  }

  /**
   * Returns the end of an equal call in progress, or undefined without one. A call at `path` does not wait for a call
   * containing it.
   */
  openCall(tool: Tool, input: JsonObject, path: string): Promise<void> | undefined {
    const open = this.#open.get(tool)?.get(canonicalJson(input));
    return open === undefined || path.startsWith(`${open.path}/`) ? undefined : open.ended;
  }

  /** Makes equal calls wait for this one until the returned function is called. */
  begin(tool: Tool, input: JsonObject, path: string): () => void {
    const key = canonicalJson(input);
    const calls = this.#open.get(tool) ?? new Map<string, OpenCall>();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const call: OpenCall = { path, ended };
    this.#open.set(tool, calls.set(key, call));
    return () => {
      if (calls.get(key) === call) calls.delete(key);
      resolve();
    };
  }

  /** Caches a result unless the tool forbids it. */
  write(tool: Tool, input: JsonObject, result: KeptResult): void {
    if (tool.cache !== KEEPS_ALL && !tool.cache(input, rawOf(result))) return;
    const { text, raw, isJson } = result;
    const kept = {
      text,
      ...(raw === undefined ? undefined : { raw }),
      ...(isJson === undefined ? undefined : { isJson }),
    };
    const results = this.#results.get(tool) ?? new Map<string, KeptResult>();
    this.#results.set(tool, results.set(canonicalJson(input), kept));
  }
}
