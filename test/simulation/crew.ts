// Crews of simulated programs: tasks one after another, each done by an agent with a model, as data, and how a run carries them out.
import type { JsonValue } from "../../src/base/json.ts";
import { jsonText } from "../../src/base/json.ts";
import * as z from "zod";
import { Agent } from "../../src/agent/description/agent.ts";
import type { StepCallback } from "../../src/agent/loop/step-callback.ts";
import { Crew } from "../../src/crew/crew.ts";
import { Task } from "../../src/crew/tasks/task.ts";
import { RunScope } from "../../src/events/run-scope.ts";
import { textOfContent } from "../../src/llm/content.ts";
import type { LanguageModel } from "../../src/llm/language-model.ts";
import { joinKey } from "../../src/journal/step-key.ts";
import { tool, type Tool } from "../../src/tools/tool.ts";
import { hookedText, hooksOfCrew, type CrewHooks } from "./crew-hooks.ts";
import type { HookOutside } from "./flow-hooks.ts";
import { CALL_USAGE, stepValue, type Actions, type StepNode } from "./action.ts";

export type CrewTask = {
  /** How long its model takes. */
  readonly ms: number;
  /** Whether the first try of each of its calls fails. */
  readonly flaky: boolean;
  /** Whether its model is away for some tries of each call. @default false */
  readonly away?: boolean;
  /** Whether its model calls a tool before it answers, unless it sees that it has. @default false */
  readonly books?: boolean;
  /** How many events of one name the tool emits before its work. @default 1 */
  readonly events?: number;
  /** How many of its answers a guardrail refuses. @default 0 */
  readonly refused?: number;
  /** True for a callback that breaks at its first answer. @default false */
  readonly breaks?: boolean;
};

export type CrewNode = {
  readonly type: "crew";
  readonly name: string;
  readonly tasks: readonly CrewTask[];
  /** @default none */
  readonly hooks?: CrewHooks | null;
};

/** Carries out the crew below `scope`, for what it is asked. */
export async function runCrewNode(
  { tasks, hooks = null }: CrewNode,
  scope: RunScope,
  { input, outside }: { readonly input: string; readonly outside: Actions & HookOutside },
): Promise<JsonValue> {
  const crew = new Crew({
    name: "crew",
    agents: [],
    hooks: hooks === null ? [] : hooksOfCrew(hooks, tasks.length, outside),
    tasks: tasks.map((task, index) => {
      const { books = false, events = 1, refused = 0, breaks = false } = task;
      const agent = new Agent({
        role: `worker ${index}`,
        goal: "-",
        backstory: "-",
        llm: modelOf(task, outside),
        tools: books ? [bookingTool(outside, events)] : [],
        ...(breaks ? { stepCallback: breakOnce } : undefined),
      });
      return new Task({
        name: `t${index}`,
        description: "About: {about}.",
        expectedOutput: "A word",
        agent,
        // An answer says at which step it was given.
        ...(refused === 0
          ? undefined
          : { guardrail: ({ raw }) => [raw.includes(`guardrail-retry:${refused}/`), raw] }),
      });
    }),
  });
  const { tasks: done } = await scope.run(() => crew.kickoff({ inputs: { about: input } }));
  return done.map(({ raw }) => raw);
}

/** A callback that fails at the first answer of a task, and at none that is given once it has. */
function breakOnce(step: Parameters<StepCallback>[0]): void {
  if (step.kind === "finish" && !step.output.includes("/retry:")) throw new Error("no disk");
}

const BOOKING: StepNode = {
  type: "step",
  name: "book",
  kind: "tool",
  ending: "value",
  times: 1,
  ms: 5,
  value: "small",
};

/** A tool with events of its own: each says its place among those of its name, so that the log alone tells what is missing. */
function bookingTool(outside: Actions, events: number): Tool {
  return tool({
    name: "book",
    description: "Books.",
    input: z.object({}),
    effect: "idempotent",
    run: async (_, { signal, idempotencyKey, emit }) => {
      const key = RunScope.current()?.path ?? "";
      for (let nth = 1; nth <= events; nth++) emit("booking", { nth, of: events });
      const booked = jsonText(
        (await outside.act(BOOKING, { key, signal, idempotencyKey }, "")) ?? "",
      );
      emit("booked", { nth: events + 1, of: events });
      return booked;
    },
  });
}

function speechOf({ ms, flaky, away = false }: CrewTask): StepNode {
  const ending = away ? "away" : flaky ? "flaky" : "value";
  return { type: "step", name: "speak", kind: "model", ending, times: 1, ms, value: "small" };
}

/** A model whose answer says at which step it was asked about what. */
function modelOf(task: CrewTask, outside: Actions): LanguageModel {
  const speech = speechOf(task);
  return {
    id: "simulated/worker",
    capabilities: { tools: true, responseSchema: true, stop: true },
    contextWindow: 100_000,
    generate: async ({ messages }, { signal, idempotencyKey = "" }) => {
      const said = messages.map(({ content }) => textOfContent(content)).join("\n");
      const [, about = ""] = /About: ([^.]*)\./.exec(said) ?? [];
      const key = RunScope.current()?.path ?? "";
      const text = jsonText(
        (await outside.act(speech, { key, signal, idempotencyKey }, about)) ?? "",
      );
      const answer = { finishReason: "stop", usage: CALL_USAGE } as const;
      if (task.books !== true || messages.some(({ role }) => role === "tool"))
        return { ...answer, text, toolCalls: [] };
      const call = { id: "call-1", name: "book", arguments: "{}" };
      return { ...answer, text: "", toolCalls: [call], finishReason: "tool_calls" };
    },
  };
}

/**
 * Where the answer of a task is given that counts. No tool is called again for it: the conversation goes on after each refusal and each
 * failure of a callback.
 */
function answeredAt({ books = false, refused = 0, breaks = false }: CrewTask): string {
  const round = refused === 0 ? "" : `guardrail-retry:${refused}/`;
  // Each round is an execution of its own, whose callback breaks once.
  const retry = breaks ? "retry:1/" : "";
  return `${round}${retry}turn:${books && round === "" && retry === "" ? 2 : 1}`;
}

/** True when a task of the crew may fail so: a clock that is set forward ends what is waited for. */
export function mayBeAway({ tasks }: CrewNode, { code }: { readonly code: string }): boolean {
  return code === "model_unavailable" && tasks.some(({ away = false }) => away);
}

/** True when the crew at `key`, asked `input`, gives `value`. */
export function mayHaveWritten(
  { tasks, hooks = null }: CrewNode,
  { key, input }: { readonly key: string; readonly input: string },
  value: JsonValue | undefined,
): boolean {
  if (hooks !== null && hooks.refuses !== null) return false;
  const texts = tasks.map((task, index) => {
    const at = joinKey(key, `crew:crew/task:t${index}/${answeredAt(task)}/llm`);
    const said = jsonText(stepValue(speechOf(task), at, input) ?? "");
    return hooks === null ? said : hookedText(hooks, said);
  });
  return JSON.stringify(texts) === JSON.stringify(value);
}
