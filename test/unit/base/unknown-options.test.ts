import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import type { AgentOptions } from "../../../src/agent/description/agent-options.ts";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { ConditionalTask } from "../../../src/crew/tasks/conditional-task.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import * as z from "zod";

const texts: AgentOptions = { role: "Clerk", goal: "Count", backstory: "You count." };
const agent = (more: object) => new Agent({ ...texts, ...more });
const task = (more: object) =>
  new Task({ description: "Count", expectedOutput: "A number", agent: agent({}), ...more });
const crew = (more: object) => new Crew({ tasks: [task({})], ...more });
const flow = (more: object) =>
  defineFlow({
    name: "f",
    state: z.object({}),
    methods: { begin: { start: true, run: () => 1 } },
    ...more,
  });

describe("unknown constructor options", () => {
  it.each<readonly [string, () => unknown, string]>([
    [
      "snake_case",
      () => agent({ max_iter: 3 }),
      'new Agent() has no option "max_iter": write maxIter',
    ],
    ["a name of CrewAI's", () => task({ output_pydantic: {} }), '"output_pydantic": write output'],
    ["its camelCase", () => task({ outputJson: {} }), '"outputJson": write output'],
    ["callbacks of a crew", () => crew({ beforeKickoffCallbacks: [] }), "write beforeKickoff"],
    ["a condition", () => task({ condition: () => true }), "is a ConditionalTask"],
    ["a slip", () => task({ asyncExecutoin: true }), "Is it asyncExecution?"],
    [
      "a made-up name",
      () => crew({ proces5: "x", nothing: 1 }),
      '"proces5", "nothing"; it has: name,',
    ],
    ["a flow's", () => flow({ initial_state: {} }), "write initial"],
    ["a member's", () => new ConversableAgent({ name: "m", llm_config: {} } as never), "write llm"],
    [
      "a conditional task's",
      () =>
        new ConditionalTask({
          description: "d",
          expectedOutput: "e",
          outputFil: "x",
          condition: () => true,
        } as never),
      'new ConditionalTask() has no option "outputFil"',
    ],
  ])("are refused with their replacement: %s", (_, make, message) => {
    expect(make).toThrow(expect.objectContaining({ code: "invalid_definition" }) as Error);
    expect(make).toThrow(message);
  });

  it("are ignored when their value is undefined", () => {
    expect(agent({ max_iter: undefined }).maxIter).toBe(25);
  });

  it("are ignored under symbols, and when they are inherited", () => {
    const inherited: object = Object.create(
      { max_iter: 3 },
      Object.getOwnPropertyDescriptors(texts),
    );
    expect(new Agent(inherited as AgentOptions).maxIter).toBe(25);
    expect(agent({ [Symbol("max_iter")]: 3 }).maxIter).toBe(25);
  });

  it("belong to a subclass, but for other spellings of known ones", () => {
    class Logged extends Agent {
      readonly level: string;
      constructor(options: AgentOptions & { readonly level?: string; readonly model?: string }) {
        super(options);
        this.level = options.level ?? "info";
      }
    }
    expect(new Logged({ ...texts, level: "debug", model: "small" }).level).toBe("debug");
    expect(() => new Logged({ ...texts, max_iter: 3 } as AgentOptions)).toThrow("write maxIter");
    class Team extends Crew {}
    expect(new Team({ tasks: [task({})], level: "debug" } as never).name).toBe("crew");
    class Step extends ConditionalTask {}
    const step = { description: "d", expectedOutput: "e", condition: () => true };
    expect(new Step({ ...step, level: "debug" } as never).description).toBe("d");
    expect(() => new Step({ ...step, expected_output: "e" } as never)).toThrow("expectedOutput");
    class Member extends ConversableAgent {}
    expect(new Member({ name: "m", level: "debug" } as never).name).toBe("m");
    expect(() => new Member({ name: "m", human_input_mode: "NEVER" } as never)).toThrow(
      "write humanInputMode",
    );
  });

  it.each([undefined, null, "Clerk", []])("are an object: %j is none", (options) => {
    expect(() => new Agent(options as never)).toThrow(
      "new Agent() takes an object of options, got",
    );
  });
});
