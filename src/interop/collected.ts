import type { JsonValue } from "../base/json.ts";
import { toJson } from "../base/recorded.ts";
import { EngineError } from "../base/error.ts";

/** Limits of a streamed result. */
const MAX_PIECES = 100_000;
const MAX_LENGTH = 8 * 1024 * 1024;

/** Collects a streamed result: joins texts and bytes, and lists other values. Returns any other result unchanged. */
export async function collected(result: unknown): Promise<unknown> {
  const pieces = piecesOf(result);
  if (pieces === undefined) return result;
  const texts: string[] = [];
  const values: JsonValue[] = [];
  const decoder = new TextDecoder();
  let length = 0;
  for await (const piece of pieces) {
    const text = piece instanceof Uint8Array ? decoder.decode(piece, { stream: true }) : piece;
    if (typeof text === "string") texts.push(text);
    else values.push(toJson(piece));
    length += typeof text === "string" ? text.length : JSON.stringify(values.at(-1)).length;
    if (length > MAX_LENGTH || texts.length + values.length > MAX_PIECES)
      throw new EngineError(
        "value_too_large",
        `a result that comes bit by bit may have ${MAX_LENGTH} characters in ${MAX_PIECES} pieces`,
      );
  }
  texts.push(decoder.decode());
  if (values.length === 0) return texts.join("");
  const text = texts.join("");
  return text === "" ? values : [text, ...values];
}

function piecesOf(result: unknown): AsyncIterable<unknown> | undefined {
  if (typeof result !== "object" || result === null) return undefined;
  if (result instanceof Response) return result.body ?? undefined;
  return Symbol.asyncIterator in result ? (result as AsyncIterable<unknown>) : undefined;
}
