// The tools of a conversation, as a user of Edgecrew writes them.
import * as z from "zod";
import type { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import {
  agentTarget,
  contextVariables,
  ReplyResult,
  stayTarget,
  terminateTarget,
} from "../../../src/conversation/index.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { tool, type Tool } from "../../../src/tools/tool.ts";
import type { ToolName } from "./conversation-case.ts";

const description = "A tool";
const topic = z.object({ topic: z.string() });

export class CaseTools {
  /** Calls that ran, with their arguments. */
  readonly calls: (readonly [string, unknown])[] = [];
  readonly #agents: ReadonlyMap<string, ConversableAgent>;
  readonly #tools: Readonly<Record<ToolName, Tool>>;

  /** `agents` may be filled later on: a tool reads it when it is called. */
  constructor(agents: ReadonlyMap<string, ConversableAgent>) {
    this.#agents = agents;
    this.#tools = { ...this.#plain(), ...this.#variables(), go: this.#go() };
  }

  of(name: ToolName): Tool {
    return this.#tools[name];
  }

  #note(name: string, input: unknown): void {
    this.calls.push([name, input]);
  }

  #plain() {
    return {
      lookup: tool({
        name: "lookup",
        description,
        input: topic,
        run: (input) => {
          this.#note("lookup", input);
          return `fact about ${input.topic}`;
        },
      }),
      add: tool({
        name: "add",
        description,
        input: z.object({ a: z.number().int(), b: z.number().int() }),
        run: (input) => {
          this.#note("add", input);
          return input.a + input.b;
        },
      }),
      fails: tool({
        name: "fails",
        description,
        input: z.object({ reason: z.string() }),
        run: (input): string => {
          this.#note("fails", input);
          throw new Error(`broken: ${input.reason}`);
        },
      }),
      table: tool({
        name: "table",
        description,
        input: topic,
        run: (input) => {
          this.#note("table", input);
          return { topic: input.topic, rows: [1, 2] };
        },
      }),
      slow: tool({
        name: "slow",
        description,
        input: topic,
        run: async (input) => {
          this.#note("slow", input);
          await Promise.resolve();
          return `slow fact about ${input.topic}`;
        },
      }),
    };
  }

  #variables() {
    const inject = { variables: contextVariables() };
    return {
      setvar: tool({
        name: "setvar",
        description,
        input: z.object({ name: z.string(), value: z.number().int() }),
        inject,
        run: (input, { variables }) => {
          this.#note("setvar", input);
          variables.set(input.name, input.value);
          const message = `${input.name} is ${input.value}`;
          return new ReplyResult({ message, contextVariables: variables });
        },
      }),
      bump: tool({
        name: "bump",
        description,
        input: z.object({}),
        inject,
        run: (_, { variables }) => {
          this.#note("bump", {});
          const message = countUp(variables);
          return new ReplyResult({ message, contextVariables: variables });
        },
      }),
      poke: tool({
        name: "poke",
        description,
        input: z.object({}),
        inject,
        run: (_, { variables }) => {
          this.#note("poke", {});
          return countUp(variables);
        },
      }),
    };
  }

  #go() {
    return tool({
      name: "go",
      description,
      input: z.object({ where: z.string() }),
      run: (input) => {
        this.#note("go", input);
        const { where } = input;
        const message = `going to ${where}`;
        const agent = this.#agents.get(where);
        if (where === "terminate") return new ReplyResult({ message, target: terminateTarget() });
        if (where === "stay") return new ReplyResult({ message, target: stayTarget() });
        if (agent === undefined) return new ReplyResult({ message });
        return new ReplyResult({ message, target: agentTarget(agent) });
      },
    });
  }
}

function countUp(variables: {
  get(name: string, otherwise: JsonValue): JsonValue | undefined;
  set(name: string, value: JsonValue): void;
}): string {
  const count = Number(variables.get("count", 0)) + 1;
  variables.set("count", count);
  return `count is ${count}`;
}
