// Answers with and without the name of their question.
import { beforeEach, describe, expect, it } from "vitest";
import { askCaller, remoteAgent } from "../../../../../src/entry/a2a.ts";
import { defineFlow } from "../../../../../src/flow/define-flow.ts";
import type { Task } from "../../../../../src/protocols/a2a/schema.ts";
import { askingInTurn } from "../../../../support/a2a-asking.ts";
import {
  lastTold,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
} from "../../../../support/crew-harness.ts";
import { A2AWorld } from "./world.ts";

const ask = defineFlow({
  name: "ask",
  methods: {
    ask: {
      start: true,
      run: async () => JSON.stringify([await askCaller("First?"), await askCaller("Second?")]),
    },
  },
});
const both = defineFlow({
  name: "both",
  methods: {
    one: { start: true, run: () => askCaller("One?") },
    two: { start: true, run: () => askCaller("Two?") },
  },
});

let world: A2AWorld;

beforeEach(() => {
  world = new A2AWorld({
    flows: { ask, both },
    a2a: { expose: { "flow/ask": true, "flow/both": true } },
  });
});

type More = { readonly agent?: string; readonly metadata?: object };
const send = (text: string, taskId?: string, { agent = "ask", metadata }: More = {}) =>
  world.rpc("SendMessage", { message: world.message(text, { taskId, metadata }) }, { agent });
const taskOf = ({ json }: Awaited<ReturnType<typeof send>>): Task =>
  json["result"]?.["task"] as unknown as Task;
const keysOf = ({ status }: Task): readonly string[] =>
  ((status.message?.metadata?.["waits"] ?? []) as { key: string }[]).map(({ key }) => key);

/** A task with its second question open. */
async function atSecond(): Promise<Task> {
  const { id } = taskOf(await send("go"));
  return taskOf(await send("One", id));
}

describe("an answer without the key of its question", () => {
  it("answers the first question of a task", async () => {
    const task = await atSecond();
    expect(task.status.message?.parts[0]?.text).toContain("Second?");
  });

  it("AAQ2: answers each next question of a task, and a repeated message none", async () => {
    const { id } = taskOf(await send("go"));
    const [one, two] = ["One", "Two"].map((text) => world.message(text, { taskId: id }));
    await world.task({ message: one }, { agent: "ask" });
    const again = await world.task({ message: one }, { agent: "ask" });
    expect(again.status.message?.parts[0]?.text).toContain("Second?");
    const done = {
      status: { state: "TASK_STATE_COMPLETED" },
      artifacts: [{ parts: [{ text: '["One","Two"]' }] }],
    };
    expect(await world.task({ message: two }, { agent: "ask" })).toMatchObject(done);
    expect(await world.task({ message: two }, { agent: "ask" })).toMatchObject(done);
  });

  it("AAQ1: is taken with the key, or with the id of the question in its text", async () => {
    const first = await atSecond();
    const [wait = ""] = keysOf(first);
    expect(taskOf(await send("Two", first.id, { metadata: { wait } }))).toMatchObject({
      status: { state: "TASK_STATE_COMPLETED" },
      artifacts: [{ parts: [{ text: '["One","Two"]' }] }],
    });
    const { id } = taskOf(await send("go", undefined, { agent: "both" }));
    const { text } = await send("yes", id, { agent: "both" });
    const [, named] = text.match(/Question [0-9a-f]{12}/g) ?? [];
    const half = taskOf(await send(`${named}: Two`, id, { agent: "both" }));
    expect(keysOf(half)).toHaveLength(1);
  });

  it("is refused with an id of another question", async () => {
    const { id } = await atSecond();
    expect((await send("Question 0123456789ab: Two", id)).json["error"]?.["code"]).toBe(-32602);
  });

  it("AAQ2: is refused while several questions are open", async () => {
    const task = taskOf(await send("go", undefined, { agent: "both" }));
    const keys = keysOf(task);
    expect(keys).toHaveLength(2);
    const { json } = await send("yes", task.id, { agent: "both" });
    expect(json["error"]?.["code"]).toBe(-32602);
    for (const key of keys) expect(JSON.stringify(json)).toContain(key);
  });
});

describe("an agent of Edgecrew that calls another one", () => {
  it("names the question that it answers", async () => {
    world = new A2AWorld({
      flows: { ask },
      auth: { mode: "open-to-everybody" },
      a2a: { expose: { "flow/ask": true } },
    });
    const reach: typeof fetch = async (input, init) => {
      const answer = Promise.resolve(world.app.fetch(new Request(input, init)));
      for (let turn = 0; turn < 30; turn++) await world.clock.settle();
      return answer;
    };
    const { agent, model } = scriptedAgent(
      askingInTurn(["go", "One", "Two"], { tool: "ask_ask" }),
      {
        a2a: remoteAgent("https://agents.test/a2a/ask", { fetch: reach }),
      },
    );
    await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 2)).toContain("Second?");
    expect(lastTold(model, 3)).toBe('["One","Two"]');
  });
});
