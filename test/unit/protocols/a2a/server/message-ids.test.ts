// Ids of messages that come again: with the same content, with other content, after the end of their task, and after a crash.
import { beforeEach, describe, expect, it } from "vitest";
import { askCaller } from "../../../../../src/entry/a2a.ts";
import { defineFlow } from "../../../../../src/flow/define-flow.ts";
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
const once = defineFlow({
  name: "once",
  methods: { ask: { start: true, run: () => askCaller("Which?") } },
});

let world: A2AWorld;
const ON = { agent: "once" };
const mine = (text = "go", more: object = {}): { message: object } => ({
  message: world.message(text, { messageId: "mine", ...more }),
});

beforeEach(() => {
  world = new A2AWorld({
    flows: { ask, once },
    a2a: { expose: { "flow/ask": true, "flow/once": true } },
  });
});

async function answer(taskId: string, text = "Red"): Promise<void> {
  await world.task({ message: world.message(text, { taskId }) }, ON);
}

describe("the same message", () => {
  it("AMI1: is the same task while it waits, and after its end", async () => {
    const first = await world.task(mine(), { agent: "writer" });
    expect((await world.task(mine(), { agent: "writer" })).id).toBe(first.id);
    const waiting = await world.task(mine(), ON);
    expect((await world.task(mine(), ON)).id).toBe(waiting.id);
    expect(world.model.calls).toHaveLength(1);
  });

  it("AMI1: is the same task while its answer is under way", async () => {
    const { id } = await world.task(mine(), { agent: "ask" });
    await world.task({ message: world.message("One", { taskId: id }) }, { agent: "ask" });
    expect((await world.task(mine(), { agent: "ask" })).id).toBe(id);
  });

  it("AMI2: begins another task once its sender has answered, and the task has ended", async () => {
    const ids = new Set<string>();
    for (let round = 0; round < 6; round++) {
      const { id, status } = await world.task(mine(), ON);
      expect(status.state).toBe("TASK_STATE_INPUT_REQUIRED");
      ids.add(id);
      await answer(id);
    }
    expect(ids.size).toBe(6);
  });

  it("AMI2: begins another task once its sender has canceled the first", async () => {
    const { id } = await world.task(mine(), ON);
    await world.result("CancelTask", { id }, ON);
    const next = await world.task(mine(), ON);
    expect(next).toMatchObject({ status: { state: "TASK_STATE_INPUT_REQUIRED" } });
    expect(next.id).not.toBe(id);
    expect((await world.task(mine(), ON)).id).toBe(next.id);
  });

  it("AMI2: stays the same task when another caller has ended it", async () => {
    const { id } = await world.task(mine(), ON);
    await world.ask(`/runs/${id}/cancel`, { method: "POST" });
    expect(await world.task(mine(), ON)).toMatchObject({
      id,
      status: { state: "TASK_STATE_CANCELED" },
    });
  });

  it("AMI4: means one task when it comes twice at once, also as another use of its id", async () => {
    const { id } = await world.task(mine(), ON);
    await answer(id);
    const tasks = await Promise.all([world.task(mine(), ON), world.task(mine(), ON)]);
    expect(new Set(tasks.map((task) => task.id)).size).toBe(1);
    expect(tasks[0]?.id).not.toBe(id);
  });

  it("AMI4: means one task after a crash between its note and its start", async () => {
    const { id } = await world.task(mine(), ON);
    await answer(id);
    const start = world.runs.start.bind(world.runs);
    Object.assign(world.runs, { start: () => Promise.reject(new Error("cut off")) });
    const cut = await world.rpc("SendMessage", mine(), ON);
    expect(cut.json["error"]?.["code"]).toBe(-32603);
    Object.assign(world.runs, { start });
    const next = await world.task(mine(), ON);
    expect((await world.task(mine(), ON)).id).toBe(next.id);
    expect(next.id).not.toBe(id);
  });

  it("keeps the push configuration of a repeated message once", async () => {
    const push = { taskPushNotificationConfig: { url: "https://caller.example.com/hook" } };
    const { id } = await world.task(mine(), ON);
    for (let round = 0; round < 2; round++)
      await world.task({ ...mine(), configuration: push }, ON);
    const { configs } = await world.result("ListTaskPushNotificationConfigs", { taskId: id }, ON);
    expect(configs).toMatchObject([{ url: "https://caller.example.com/hook" }]);
    const said = world.message("Red", { taskId: id });
    await world.task({ message: said }, ON);
    const other = { taskPushNotificationConfig: { id: "late", url: "https://x.example.com/" } };
    await world.task({ message: said, configuration: other }, ON);
    const after = await world.result("ListTaskPushNotificationConfigs", { taskId: id }, ON);
    expect(after["configs"]).toHaveLength(2);
  });
});

describe("another message of the same id", () => {
  it("AMI3: begins a task of its own when the first waits or has ended", async () => {
    const first = await world.task(mine("tea"), ON);
    const second = await world.task(mine("coffee"), ON);
    expect(second.id).not.toBe(first.id);
    expect((await world.task(mine("coffee"), ON)).id).toBe(second.id);
    expect((await world.task(mine("tea"), ON)).id).toBe(first.id);
    const [a, b] = [
      await world.task(mine("tea"), { agent: "writer" }),
      await world.task(mine("coffee"), { agent: "writer" }),
    ];
    expect(a.id).not.toBe(b.id);
    expect(world.model.calls).toHaveLength(2);
  });

  it("AMI3: is refused while a task of the id is running", async () => {
    const slow = (text: string): object => ({
      message: world.message(text, { messageId: "tck-slow-mine" }),
      configuration: { returnImmediately: true },
    });
    const first = await world.task(slow("tea"));
    const refused = async (text: string): Promise<void> =>
      expect((await world.rpc("SendMessage", slow(text))).json).toMatchObject({
        error: { code: -32602, message: expect.stringContaining("tck-slow-mine") },
      });
    await refused("coffee");
    expect((await world.task(slow("tea"))).id).toBe(first.id);
    await world.clock.advance(10_000);
    const second = await world.task(slow("coffee"));
    expect(second.id).not.toBe(first.id);
    await refused("milk");
    expect((await world.task(slow("tea"))).id).toBe(first.id);
  });

  it("AMI3: answers a waiting task, and is stored beside the first message with the id", async () => {
    const on = { agent: "ask" };
    const { id } = await world.task(mine("go"), on);
    await world.task(mine("One", { taskId: id }), on);
    const { status } = await world.task(mine("One", { taskId: id }), on);
    expect(status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    const waits = (status.message?.metadata?.["waits"] ?? []) as { key: string }[];
    const wait = waits[0]?.key;
    const done = await world.task(mine("Two", { taskId: id, metadata: { wait } }), on);
    expect(done).toMatchObject({ id, artifacts: [{ parts: [{ text: '["One","Two"]' }] }] });
    const said = done.history?.filter(({ role }) => role === "ROLE_USER");
    expect(said?.map(({ messageId, parts }) => [messageId, parts[0]?.text])).toEqual([
      ["mine", "go"],
      ["mine", "One"],
      ["mine", "Two"],
    ]);
  });
});
