// What the caller of a run wishes for, in the run's context (`RunStart.context`).
//
//   WI1. Agents stream to a caller that wishes it, alone and in crews, unless the agent or its crew says `stream` itself.
//   WI2. The shape of the answer is the one that the program asks for in code, else the caller's. It is that of the agent that the run
//        is of, and of no agent within it.
import type { JsonObject } from "../base/json.ts";
import { isJsonObject } from "../base/json.ts";
import type { RunServices } from "../events/run-services.ts";
import { streamContext } from "../model-calls/caller-stream.ts";

/** What a caller may wish for. */
export type CallerWishes = {
  /** The words of models as they come. @default false */
  readonly stream?: boolean;
  /** JSON Schema of the answer; agents alone can answer in it. @default none */
  readonly responseFormat?: JsonObject | undefined;
};

/** The context of a run whose caller wishes this. */
export function wishesContext({ stream = false, responseFormat }: CallerWishes): JsonObject {
  return {
    ...(stream ? streamContext() : undefined),
    ...(responseFormat === undefined ? undefined : { responseFormat }),
  };
}

/** What the caller of an HTTP request wishes: words as they come to whoever says so, or takes the run's events as the answer. */
export function wishedStream(
  { raw }: { readonly raw: Request },
  stream: boolean | undefined,
): { readonly context?: JsonObject } {
  const wanted = stream ?? raw.headers.get("accept")?.includes("text/event-stream") ?? false;
  return wanted ? { context: streamContext() } : {};
}

/** The JSON Schema that the caller of this run wants the answer in. */
export function wantedFormat({ context }: RunServices): JsonObject | undefined {
  const format = context?.["responseFormat"];
  return format !== undefined && isJsonObject(format) ? format : undefined;
}
