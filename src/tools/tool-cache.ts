import { canonicalJson, type JsonObject, type JsonValue } from "../base/json.ts";
import { KEEPS_ALL, type Tool } from "./tool.ts";

/** The text for the model, and what it was made of where that is something else. */
export type KeptResult = {
  readonly text: string;
  readonly raw?: JsonValue;
  /** The text is the JSON of the result. */
  readonly isJson?: true;
};

/** What a tool returned; its text, for results that were kept by a version that kept no more. */
export function rawOf({ text, raw, isJson }: KeptResult): JsonValue {
  if (raw !== undefined) return raw;
  return isJson === true && text !== "" ? (JSON.parse(text) as JsonValue) : text;
}

/** A call that has not ended. */
type OpenCall = { readonly path: string; readonly ended: Promise<void> };

/** Results of tool calls that may be used again for equal input, shared by the agents of one crew run. */
export class ToolCache {
  /** Of each tool, by input. Two tools of one name are two tools. */
  readonly #results = new Map<Tool, Map<string, KeptResult>>();
  readonly #open = new Map<Tool, Map<string, OpenCall>>();

  read(tool: Tool, input: JsonObject): KeptResult | undefined {
    return this.#results.get(tool)?.get(canonicalJson(input));
  }

  /**
   * The end of an equal call that is under way; undefined where there is none. A call at `path` does not wait for one that it is made
   * in.
   */
  openCall(tool: Tool, input: JsonObject, path: string): Promise<void> | undefined {
    const open = this.#open.get(tool)?.get(canonicalJson(input));
    return open === undefined || path.startsWith(`${open.path}/`) ? undefined : open.ended;
  }

  /** From here on equal calls wait for this one, until the returned function is called. */
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

  /** Keeps a result, unless the tool says no. */
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
