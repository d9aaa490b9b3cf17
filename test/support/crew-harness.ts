// Crews as tests run them: scripted models, a clock by hand, and a run that is followed to its end.
import { Agent, type AgentOptions } from "../../src/agent/description/agent.ts";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { Crew } from "../../src/crew/crew.ts";
import type { KickoffOptions } from "../../src/crew/local-start.ts";
import type { CrewOptions } from "../../src/crew/crew-options.ts";
import { Task, type TaskOptions } from "../../src/crew/tasks/task.ts";
import type { EventType, LiveEvent, RunEvent } from "../../src/events/run-event.ts";
import { textOfContent } from "../../src/llm/content.ts";
import type { Message, ModelRequest } from "../../src/llm/language-model.ts";
import {
  scriptedModel,
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
} from "../../src/llm/scripted/scripted-model.ts";
import { isTerminal, type Run } from "../../src/runtime/run.ts";
import type { RunHandle } from "../../src/runtime/handle/run-handle.ts";
import { SimulatedClock } from "../../src/testing/simulated-clock.ts";

/** An agent that answers by a script; its model is at hand to see what it was asked. */
export function scriptedAgent(
  script: Script,
  options: Partial<AgentOptions> & { readonly modelOptions?: ScriptedModelOptions } = {},
): { agent: Agent; model: ScriptedModel } {
  const { modelOptions, ...rest } = options;
  const model = scriptedModel(script, modelOptions);
  return {
    model,
    agent: new Agent({
      role: "Researcher",
      goal: "Find facts",
      backstory: "You read a lot.",
      llm: model,
      ...rest,
    }),
  };
}

/** Whether a model is asked what to search for in documents. */
export function asksForQuery({ messages }: Pick<ModelRequest, "messages">): boolean {
  return textOfContent(messages[0]?.content ?? "").startsWith("You turn a task into one query");
}

/** For models that speak the text form of tool use. */
export const TEXT_ONLY: ScriptedModelOptions = { capabilities: { tools: false } };

export function taskFor(agent: Agent | undefined, options: Partial<TaskOptions> = {}): Task {
  return new Task({
    description: "Do the work",
    expectedOutput: "A result",
    ...(agent === undefined ? undefined : { agent }),
    ...options,
  });
}

/** A crew of one agent with one task named `work`. */
export function soloCrew(
  agent: Agent,
  options: Partial<TaskOptions> & { readonly crew?: Partial<CrewOptions> } = {},
): Crew {
  const { crew, ...task } = options;
  return new Crew({ name: "solo", ...crew, tasks: [taskFor(agent, { name: "work", ...task })] });
}

/** A model's reply that calls one tool. */
export function calling(name: string, args: JsonObject | string = {}): ScriptedReply {
  return { toolCalls: [{ name, arguments: args }] };
}

/** A model's reply in the text form of tool use. */
export function acting(name: string, input: JsonObject | string = {}): string {
  return `Thought: needed\nAction: ${name}\nAction Input: ${typeof input === "string" ? input : JSON.stringify(input)}`;
}

export type Output = {
  readonly raw: string;
  readonly object?: JsonValue;
  readonly usage: { readonly totalTokens: number; readonly requests: number };
  readonly tasks: ReadonlyArray<{
    readonly name: string;
    readonly raw: string;
    readonly agent: string;
    readonly summary: string;
    readonly usage: { readonly totalTokens: number; readonly requests: number };
  }>;
};

export type StartedRun = {
  readonly handle: RunHandle;
  readonly clock: SimulatedClock;
  /** Everything that listeners hear, live events included, from the start. */
  readonly heard: ReadonlyArray<RunEvent | LiveEvent>;
  /** Lets time pass until the run waits for somebody or has ended. */
  readonly settle: () => Promise<Run>;
  /** The output; lets time pass as far as needed. Rejects with the run's error. */
  readonly output: () => Promise<Output>;
  /** The kept events of some types, or all. */
  readonly kept: (...types: EventType[]) => RunEvent[];
};

/** Starts a crew with a clock by hand. */
export function startCrew(
  crew: Crew,
  inputs: JsonObject = {},
  options: Pick<KickoffOptions, "files" | "inputFiles"> = {},
): StartedRun {
  const clock = new SimulatedClock();
  const handle = crew.start({ inputs, clock, id: "run-1", ...options });
  const heard: Array<RunEvent | LiveEvent> = [];
  void (async () => {
    for await (const event of handle.events({ words: "receive" })) heard.push(event);
  })();
  const settle = async (): Promise<Run> => {
    for (let turn = 0; turn < 1000; turn++) {
      await clock.settle();
      const run = await handle.status();
      const waitsForSomebody =
        run.status === "waiting" && run.waits.some((wait) => wait.kind !== "timer");
      if (isTerminal(run.status) || waitsForSomebody) return run;
      if (clock.nextDueMs !== undefined) await clock.advance(clock.nextDueMs - clock.now());
    }
    throw new Error("the run neither ends nor waits");
  };
  return {
    handle,
    clock,
    heard,
    settle,
    output: async () => {
      await settle();
      const output = await handle.output();
      await clock.settle();
      return output;
    },
    kept: (...types) =>
      heard.filter(
        (event): event is RunEvent =>
          "seq" in event && (types.length === 0 || types.includes(event.type)),
      ),
  };
}

/** Runs a crew to its end. */
export async function runCrewToEnd(
  crew: Crew,
  inputs: JsonObject = {},
  options: Pick<KickoffOptions, "files" | "inputFiles"> = {},
): Promise<StartedRun & { readonly result: Output }> {
  const run = startCrew(crew, inputs, options);
  return { ...run, result: await run.output() };
}

/** Runs a crew that fails; answers its error and what happened. */
export async function runCrewToFailure(
  crew: Crew,
  inputs: JsonObject = {},
): Promise<StartedRun & { readonly error: NonNullable<Run["error"]> }> {
  const run = startCrew(crew, inputs);
  const { status, error } = await run.settle();
  await run.clock.settle();
  if (error === undefined) throw new Error(`the run was expected to fail and is ${status}`);
  return { ...run, error };
}

/** What a model was told in its call number `index`. */
export function toldTo(
  model: ScriptedModel,
  index: number,
): readonly (Message & { readonly content: string })[] {
  const call = model.calls[index];
  if (call === undefined)
    throw new Error(`the model had ${model.calls.length} calls, none with index ${index}`);
  return call.request.messages;
}

/** The last message of the model's call number `index`, as text. */
export function lastTold(model: ScriptedModel, index: number): string {
  return toldTo(model, index).at(-1)?.content ?? "";
}

/** Step keys of the calls that a model had. */
export function keysOf(model: ScriptedModel): string[] {
  return model.calls.map((call) => (call.idempotencyKey ?? "").replace(/^[^:]*:/, ""));
}
