// Random runs of agents, crews and flows, through the official client: it verifies every stream, and what it warns of fails the test.
import { expect, it } from "vitest";
import { refuseWarnings } from "../../../support/console-warnings.ts";
import * as z from "zod";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { EngineError } from "../../../../src/base/error.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import { Task } from "../../../../src/crew/tasks/task.ts";
import { and } from "../../../../src/flow/condition.ts";
import { defineFlow } from "../../../../src/flow/define-flow.ts";
import type { ScriptedReply } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import {
  AgUiWorld,
  framesIn,
  ofType,
  typesOf,
  type FrontEnd,
} from "../../../support/ag-ui-world.ts";
import { ask } from "../../../support/http-app.ts";

refuseWarnings();

const RUNS = 45;

function numbers(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const lookUp = tool({
  name: "look up",
  description: "Look something up.",
  input: z.object({ what: z.string() }),
  run: ({ what }) => {
    if (what === "broken") throw new Error("it is broken");
    return `about ${what}`;
  },
});
const pay = tool({
  name: "pay",
  description: "Pay.",
  input: z.object({ what: z.string() }),
  needsApproval: true,
  run: ({ what }) => `paid for ${what}`,
});
const tools = [lookUp, pay, ask];
const one = new Agent({
  role: "One",
  goal: "Work",
  backstory: "Able.",
  tools,
  allowDelegation: true,
});
const two = new Agent({ role: "Two", goal: "Work", backstory: "Able.", tools });
const team = new Crew({
  name: "team",
  agents: [one, two],
  tasks: [
    new Task({
      name: "first",
      description: "First",
      expectedOutput: "A line",
      agent: one,
      asyncExecution: true,
    }),
    new Task({
      name: "second",
      description: "Second",
      expectedOutput: "A line",
      agent: two,
      asyncExecution: true,
    }),
    new Task({
      name: "third",
      description: "Third",
      expectedOutput: "A line",
      agent: one,
      humanInput: true,
    }),
  ],
});
const mixed = defineFlow({
  name: "mixed",
  state: z.object({ n: z.number().default(0), list: z.array(z.string()).default([]) }),
  methods: {
    left: {
      start: true,
      run: async ({ state }) => void (state.n += (await two.kickoff("left")).raw.length),
    },
    right: { start: true, run: ({ state }) => void state.list.push("right") },
    both: {
      listen: and("left", "right"),
      run: async ({ state }) => void state.list.push((await team.kickoff()).raw),
    },
  },
});

/** A model that does anything that a model does, by what it is asked and the seed. */
function wild(seed: number) {
  const random = numbers(seed);
  return ({
    messages,
    tools: offered = [],
  }: {
    messages: readonly { role: string }[];
    tools?: readonly { name: string }[];
  }): ScriptedReply => {
    const roll = random();
    const text = ["", "Well. ", "Let me think about\nthat, "][Math.floor(random() * 3)] ?? "";
    if (roll < 0.06)
      return { error: new EngineError("model_failed", "cut off", { retryable: true }) };
    if (roll < 0.08) return { error: new EngineError("model_rejected", "never") };
    const turns = messages.filter(({ role }) => role === "assistant").length;
    if (roll < 0.6 && turns < 3 && offered.length > 0) {
      const calls = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
        callOf(offered[Math.floor(random() * offered.length)]?.name ?? ""),
      );
      return { text, thinking: "Hm", toolCalls: calls };
    }
    return {
      text: `${text}That is ${Math.floor(random() * 9)}.`,
      ...(random() < 0.5 ? { thinking: "So, so" } : undefined),
    };

    function callOf(name: string) {
      const what = random() < 0.2 ? "broken" : "tea";
      if (random() < 0.1) return { name: "no_such_tool", arguments: {} };
      if (random() < 0.05) return { name, arguments: "{not json" };
      if (name === "ask") return { name, arguments: { question: "Go on?" } };
      if (name.startsWith("delegate"))
        return { name, arguments: { task: "Do it", context: "Now", coworker: "Two" } };
      if (name.startsWith("ask_question"))
        return { name, arguments: { question: "What?", context: "Now", coworker: "Two" } };
      return { name, arguments: { what } };
    }
  };
}

const front = {
  name: "showCard",
  description: "Show a card.",
  parameters: { type: "object", properties: { what: { type: "string" } } },
};

/** Goes on until the run has ended, as a front end with a person before it. */
async function live(world: AgUiWorld, agent: FrontEnd, random: () => number): Promise<void> {
  let parameters: Parameters<FrontEnd["run"]>[0] = {};
  for (let round = 0; round < 25; round++) {
    const running = agent.run({ tools: [front], ...parameters });
    const over = new AbortController();
    void running.then(
      () => over.abort(),
      () => over.abort(),
    );
    for (let wait = 0; !over.signal.aborted && wait < 200; wait++) {
      await world.clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    const events = await running;
    const last = typesOf(events).at(-1);
    expect(["RUN_FINISHED", "RUN_ERROR"]).toContain(last);
    if (last === "RUN_ERROR") return;
    const { outcome } = ofType(events, "RUN_FINISHED")[0] ?? {};
    const pending = (outcome?.type === "success" && outcome.pendingToolCallIds) || [];
    const interrupts = outcome?.type === "interrupt" ? outcome.interrupts : [];
    if (interrupts.length === 0 && pending.length === 0) return;
    const answered = pending.slice(0, 1 + Math.floor(random() * pending.length));
    for (const toolCallId of answered)
      agent.agent.addMessage({
        id: crypto.randomUUID(),
        role: "tool",
        toolCallId,
        content: "shown",
      });
    parameters = {
      resume: interrupts.map(({ id, reason }) => {
        const payload =
          reason === "input_required"
            ? "yes"
            : {
                approved: random() < 0.6,
                ...(reason === "confirmation" ? { feedback: "" } : undefined),
              };
        return { interruptId: id, status: "resolved" as const, payload };
      }),
    };
    if (interrupts.length === 0) parameters = {};
  }
}

it.each(Array.from({ length: RUNS }, (_, seed) => [seed]))(
  "UC1: the client accepts every stream of random run %i",
  async (seed) => {
    const random = numbers(seed + 1_000);
    const name = ["two", "team", "mixed"][seed % 3] ?? "two";
    const world = new AgUiWorld({
      crews: { team },
      agents: { two },
      flows: { mixed },
      script: wild(seed) as never,
    });
    const agent = world.agent(name).say("Go");
    await live(world, agent, random);
    expect(world.reported).toEqual([]);
    for (const body of agent.requests) await repeated(world, { name, body, random });
    const ids = agent.agent.messages.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  },
);

/** A request that is made again gets the same part of the run, whole or behind any frame. */
async function repeated(
  world: AgUiWorld,
  { name, body, random }: { name: string; body: string; random: () => number },
): Promise<void> {
  const send = async (headers: Record<string, string>) => {
    const type = { "content-type": "application/json" };
    return framesIn(
      await world.request(`/ag-ui/${name}`, {
        method: "POST",
        body,
        headers: { ...type, ...headers },
      }),
    );
  };
  const whole = await send({});
  expect(await send({})).toEqual(whole);
  for (let round = 0; round < 4; round++) {
    const place = Math.floor(random() * whole.length);
    const id = whole[place]?.id;
    if (id === undefined) continue;
    expect(await send({ "last-event-id": id })).toEqual(whole.slice(place + 1));
  }
}
