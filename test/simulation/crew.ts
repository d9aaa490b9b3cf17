// Crews of simulated programs: tasks one after another, each done by an agent with a model, as data, and how a run carries them out.
import type { JsonValue } from "../../src/base/json.ts";
import { jsonText } from "../../src/base/json.ts";
import { Agent } from "../../src/agent/description/agent.ts";
import { Crew } from "../../src/crew/crew.ts";
import { Task } from "../../src/crew/tasks/task.ts";
import { RunScope } from "../../src/events/run-scope.ts";
import { textOfContent } from "../../src/llm/content.ts";
import type { LanguageModel } from "../../src/llm/language-model.ts";
import { joinKey } from "../../src/journal/step-key.ts";
import { hookedText, hooksOfCrew, type CrewHooks } from "./crew-hooks.ts";
import type { HookOutside } from "./flow-hooks.ts";
import { CALL_USAGE, stepValue, type Actions, type StepNode } from "./action.ts";

export type CrewNode = {
  readonly type: "crew";
  readonly name: string;
  /** One for each of its tasks: how long its model takes, and whether the first call of it fails. */
  readonly tasks: ReadonlyArray<{ readonly ms: number; readonly flaky: boolean }>;
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
      const llm = modelOf(speechOf(task), outside);
      const agent = new Agent({ role: `worker ${index}`, goal: "-", backstory: "-", llm });
      return new Task({
        name: `t${index}`,
        description: "About: {about}.",
        expectedOutput: "A word",
        agent,
      });
    }),
  });
  const { tasks: done } = await scope.run(() => crew.kickoff({ inputs: { about: input } }));
  return done.map(({ raw }) => raw);
}

function speechOf({ ms, flaky }: CrewNode["tasks"][number]): StepNode {
  const ending = flaky ? "flaky" : "value";
  return { type: "step", name: "speak", kind: "model", ending, times: 1, ms, value: "small" };
}

/** A model whose answer says at which step it was asked about what. */
function modelOf(speech: StepNode, outside: Actions): LanguageModel {
  return {
    id: "simulated/worker",
    capabilities: { tools: true, responseSchema: true, stop: true },
    contextWindow: 100_000,
    generate: async ({ messages }, { signal, idempotencyKey = "" }) => {
      const said = messages.map(({ content }) => textOfContent(content)).join("\n");
      const [, about = ""] = /About: ([^.]*)\./.exec(said) ?? [];
      const key = RunScope.current()?.path ?? "";
      const text = await outside.act(speech, { key, signal, idempotencyKey }, about);
      return { text: jsonText(text ?? ""), toolCalls: [], finishReason: "stop", usage: CALL_USAGE };
    },
  };
}

/** True when the crew at `key`, asked `input`, gives `value`. */
export function mayHaveWritten(
  { tasks, hooks = null }: CrewNode,
  { key, input }: { readonly key: string; readonly input: string },
  value: JsonValue | undefined,
): boolean {
  if (hooks !== null && hooks.refuses !== null) return false;
  const texts = tasks.map((task, index) => {
    const at = joinKey(key, `crew:crew/task:t${index}/turn:1/llm`);
    const said = jsonText(stepValue(speechOf(task), at, input) ?? "");
    return hooks === null ? said : hookedText(hooks, said);
  });
  return JSON.stringify(texts) === JSON.stringify(value);
}
