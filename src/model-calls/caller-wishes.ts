// Wishes of a run's caller, from the run's context (`RunStart.context`).
//
//   WI1. Agents stream on the caller's request, alone and in crews, unless the agent or its crew sets `stream`. Without
//        a request, they stream while a subscriber of the run requests words.
//   WI2. The answer has the shape from the program's code, else the caller's shape. This applies to the agent of the
//        run, not to agents within it.
//   WI3. The caller's settings apply to the turns in which this agent makes the answer. Guardrails, converters,
//        summaries and agents within it keep their own settings, as do crews, planning agents and agents of other
//        frameworks.
//   WI4. An answer cut by the caller's own length limit is final: it is neither continued nor converted into data.
import type { JsonObject } from "../base/json.ts";
import { isJsonObject } from "../base/json.ts";
import type { RunServices } from "../events/run-services.ts";
import type { AnswerSettings } from "../llm/answer-settings.ts";
import { streamContext } from "./caller-stream.ts";

/** Options of a run that its caller can set. */
export type CallerWishes = {
  /** The words of models as they come. @default they stream while a subscriber of the run requests them */
  readonly stream?: boolean | undefined;
  /** JSON Schema of the answer. Only agents outside crews support it. @default none */
  readonly responseFormat?: JsonObject | undefined;
  /** Settings honoured by the agent. Only agents outside crews support them. @default the agent's own */
  readonly settings?: AnswerSettings | undefined;
};

/** Returns the run context for these wishes. */
export function wishesContext({ stream, responseFormat, settings = {} }: CallerWishes): JsonObject {
  return {
    ...(stream === undefined ? undefined : streamContext(stream)),
    ...(responseFormat === undefined ? undefined : { responseFormat }),
    ...(Object.keys(settings).length === 0 ? undefined : { settings }),
  };
}

/** Returns the caller's JSON Schema for the answer of this run. */
export function wantedFormat({ context }: RunServices): JsonObject | undefined {
  const format = context?.["responseFormat"];
  return format !== undefined && isJsonObject(format) ? format : undefined;
}

/** Returns the caller's answer settings for this run. */
export function wantedSettings({ context }: RunServices): AnswerSettings | undefined {
  const settings = context?.["settings"];
  return settings !== undefined && isJsonObject(settings) ? settings : undefined;
}
