// What the caller of a run wishes for, in the run's context (`RunStart.context`).
//
//   WI1. Agents stream to a caller that wishes it, alone and in crews, unless the agent or its crew says `stream` itself.
//   WI2. The shape of the answer is the one that the program asks for in code, else the caller's. It is that of the agent that the run
//        is of, and of no agent within it.
//   WI3. Settings of the caller's hold for the turns of that agent which make the answer. Guardrails, converters, summaries and
//        agents within it keep their own, and so do crews, agents that plan, and agents of other frameworks.
//   WI4. What the caller's own limit of the length cuts is the answer as it is: it is neither continued nor made into data.
import type { JsonObject } from "../base/json.ts";
import { isJsonObject } from "../base/json.ts";
import type { RunServices } from "../events/run-services.ts";
import type { AnswerSettings } from "../llm/answer-settings.ts";
import { streamContext } from "./caller-stream.ts";

/** What a caller may wish for. */
export type CallerWishes = {
  /** The words of models as they come. @default false */
  readonly stream?: boolean;
  /** JSON Schema of the answer; agents alone can answer in it. @default none */
  readonly responseFormat?: JsonObject | undefined;
  /** Those that the agent honours; agents alone do. @default the agent's own */
  readonly settings?: AnswerSettings | undefined;
};

/** The context of a run whose caller wishes this. */
export function wishesContext({
  stream = false,
  responseFormat,
  settings = {},
}: CallerWishes): JsonObject {
  return {
    ...(stream ? streamContext() : undefined),
    ...(responseFormat === undefined ? undefined : { responseFormat }),
    ...(Object.keys(settings).length === 0 ? undefined : { settings }),
  };
}

/** The JSON Schema that the caller of this run wants the answer in. */
export function wantedFormat({ context }: RunServices): JsonObject | undefined {
  const format = context?.["responseFormat"];
  return format !== undefined && isJsonObject(format) ? format : undefined;
}

/** The settings that the caller of this run wants the answer made with. */
export function wantedSettings({ context }: RunServices): AnswerSettings | undefined {
  const settings = context?.["settings"];
  return settings !== undefined && isJsonObject(settings) ? settings : undefined;
}
