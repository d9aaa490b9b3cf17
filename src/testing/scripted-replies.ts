// Replies by agent: one script for all agents of a conversation or a crew in a test.
//
//   SRP1. The nth reply answers the run's nth model call for the agent, counted in the run's record. A call cut off by
//         a crash gets the same reply again. A recorded call takes no reply, in any process.
//   SRP2. A retryable error belongs to the same call as the reply after it.
//   SRP3. A call beyond the last reply fails, and so does a question beyond the last human input. The error names the
//         agent.
//   SRP4. A script replaces an agent's own model, also in joined runs and in drives after `run` has returned.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { EngineError } from "../base/error.ts";
import { RunScope } from "../events/run-scope.ts";
import type { RunServices } from "../events/run-services.ts";
import type { ScriptedAgents, ScriptedPerson } from "../hooks/scripted-agents.ts";
import { withScopedServices } from "../hooks/scoped-services.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import {
  scriptedModel,
  type Script,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  type ScriptedRequest,
} from "../llm/scripted/scripted-model.ts";

/** Options of scripted agents beside their replies. */
export type ScriptedRepliesOptions = Omit<ScriptedModelOptions, "id"> & {
  /**
   * Human inputs by agent, in the order of the questions. Agents missing here ask their person as usual. @default {}
   */
  readonly humanInputs?: Readonly<Record<string, readonly string[]>>;
};

/**
 * Replies by agent. Use it as a model for `llm` of agents and `models` of an app, through `services` of a run, or
 * through `run(code)` for all runs started or joined by the code.
 */
export type ScriptedReplies = LanguageModel &
  ScriptedAgents & {
    /** Services for a run. Agents without a script keep their models. */
    readonly services: RunServices;
    /** Calls of an agent's model, in order. */
    callsOf(agent: string): readonly ScriptedCall[];
    /** Runs code in which the script replaces the models of its agents. */
    run<T>(code: () => T): T;
  };

const OPTIONS = definitionOptions<ScriptedRepliesOptions>("scriptedReplies()", {
  capabilities: true,
  contextWindow: true,
  clock: true,
  files: true,
  settings: true,
  price: true,
  humanInputs: true,
});

/**
 * Makes agents reply as prepared, by their names or roles: a list of replies, or a function of the request, for each.
 */
export function scriptedReplies(
  replies: Readonly<Record<string, Script>>,
  options: ScriptedRepliesOptions = {},
): ScriptedReplies {
  refuseUnknownOptions(options, OPTIONS);
  const { humanInputs = {}, ...modelOptions } = options;
  const names = Object.keys(replies);
  const models = new Map(
    Object.entries(replies).map(([name, script]) => [
      name,
      scriptedAgentModel(name, script, modelOptions),
    ]),
  );
  const people = new Map(
    Object.entries(humanInputs).map(([name, words]) => [name, scriptedPerson(name, words)]),
  );
  const anybody = scriptedModel(
    () => {
      const place = RunScope.current()?.path ?? "outside of a run";
      throw rejected(
        `no replies are scripted for the agent that calls at ${place}; scripted are: ${names.join(", ")}`,
      );
    },
    { ...modelOptions, id: "scripted/replies" },
  );
  const scripted: ScriptedAgents = {
    modelOf: (known) => known.map((name) => models.get(name)).find((model) => model !== undefined),
    personOf: (name) => people.get(name),
  };
  return {
    ...anybody,
    ...scripted,
    services: { scriptedAgents: scripted },
    callsOf: (agent) => models.get(agent)?.calls ?? [],
    run: (code) => withScriptedAgents(scripted, code),
  };
}

/** Runs code in which a script replaces some agents' models, before the scripts of the scopes around it. */
export function withScriptedAgents<T>(scripted: ScriptedAgents, code: () => T): T {
  return withScopedServices(
    ({ scriptedAgents: outer }) => ({
      scriptedAgents: {
        modelOf: (names) => scripted.modelOf(names) ?? outer?.modelOf(names),
        personOf: (name) => scripted.personOf(name) ?? outer?.personOf(name),
      },
    }),
    code,
  );
}

/** Makes a model for one agent. `onEnd` receives the error of a call beyond the last reply. */
export function scriptedAgentModel(
  name: string,
  script: Script,
  { onEnd, ...options }: Omit<ScriptedModelOptions, "id"> & { onEnd?: (error: Error) => void } = {},
): ScriptedModel {
  const id = `scripted/${name}`;
  const replyTo = typeof script === "function" ? script : replyInList(name, script, onEnd);
  return scriptedModel(
    async (request, made) => {
      const scope = RunScope.current();
      const index = scope === undefined ? made : scope.begunBefore(id);
      return identified(await replyTo(request, index), { name, index });
    },
    { ...options, id },
  );
}

function replyInList(
  name: string,
  replies: readonly ScriptedReply[],
  onEnd: ((error: Error) => void) | undefined,
): (request: ScriptedRequest, index: number) => ScriptedReply {
  const calls = callsOf(replies);
  /** Number of failures of each call, by its run and its place in the list. */
  const failures = new Map<string, number>();
  return (request, index) => {
    const attempts = calls[index];
    if (attempts === undefined) {
      const last = request.messages.at(-1)?.content ?? "";
      const error = rejected(
        `agent "${name}" has ${count(replies.length, "scripted reply", "scripted replies")}, but call ${index + 1} of its model was made; its last message: ${last}`,
      );
      onEnd?.(error);
      throw error;
    }
    const call = `${RunScope.current()?.runId} ${index}`;
    const failed = failures.get(call) ?? 0;
    const reply = attempts[Math.min(failed, attempts.length - 1)] as ScriptedReply;
    if (isRetryable(reply)) failures.set(call, failed + 1);
    return reply;
  };
}

function scriptedPerson(name: string, words: readonly string[]): ScriptedPerson {
  const label = `scripted person ${name}`;
  let asked = 0;
  return {
    label,
    answer: () => {
      const index = RunScope.current()?.begunBefore(label) ?? asked;
      asked++;
      const word = words[index];
      if (word !== undefined) return word;
      throw rejected(
        `the person of agent "${name}" has ${count(words.length, "scripted input", "scripted inputs")}, but was asked ${index + 1} times`,
      );
    },
  };
}

/** Groups the replies by call: retried errors and the final result. */
function callsOf(replies: readonly ScriptedReply[]): ReadonlyArray<readonly ScriptedReply[]> {
  const calls: ScriptedReply[][] = [];
  let isOpen = false;
  for (const reply of replies) {
    if (isOpen) calls.at(-1)?.push(reply);
    else calls.push([reply]);
    isOpen = isRetryable(reply);
  }
  return calls;
}

function isRetryable(reply: ScriptedReply): boolean {
  return typeof reply === "object" && reply.error?.retryable === true;
}

/** Returns the reply with call ids unique in the conversation. */
function identified(
  reply: ScriptedReply,
  { name, index }: { readonly name: string; readonly index: number },
): ScriptedReply {
  if (typeof reply === "string" || reply.toolCalls === undefined) return reply;
  const calls = reply.toolCalls.map((call, place) => ({
    id: `call_${name.replaceAll(/[^A-Za-z0-9_-]/g, "_")}_${index}_${place}`,
    ...call,
  }));
  return { ...reply, toolCalls: calls };
}

function count(number: number, one: string, several: string): string {
  return `${number} ${number === 1 ? one : several}`;
}

function rejected(message: string): EngineError {
  return new EngineError("model_rejected", message);
}
