// A2A in workerd: streams, kills and evictions in the middle of them, and pushes.
import { evictDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { runIdFor } from "../../src/protocols/protocol-runs.ts";
import type { StreamResponse, Task } from "../../src/protocols/a2a/schema.ts";
import { killAll } from "./support/faults.ts";
import { heldCalls, holdCalls, letGo } from "./support/ledger.ts";
import { newId, SOON, stubOf } from "./support/runs.ts";

const HEADERS = { "a2a-version": "1.0", "content-type": "application/json" };

function ask(path: string, body?: object): Promise<Response> {
  return exports.default.fetch(
    new Request(`https://api.test/a2a/${path}`, {
      headers: HEADERS,
      ...(body === undefined ? undefined : { method: "POST", body: JSON.stringify(body) }),
    }),
  );
}

function send(messageId: string, more: object = {}, configuration: object = {}): object {
  const message = { messageId, role: "ROLE_USER", parts: [{ text: "go" }], ...more };
  return { message, configuration };
}

/** Collects the updates of a stream as they come. */
function reading(response: Response): { updates: StreamResponse[]; done: Promise<void> } {
  const updates: StreamResponse[] = [];
  const done = (async () => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(piece, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks)
        if (block.startsWith("event: error")) throw new Error(block);
        else if (block.startsWith("data: "))
          updates.push(JSON.parse(block.slice(6)) as StreamResponse);
    }
  })();
  return { updates, done };
}

function kindOf(update: StreamResponse): string {
  if ("task" in update) return `task ${update.task.status.state.slice(11)}`;
  if ("statusUpdate" in update) return `status ${update.statusUpdate.status.state.slice(11)}`;
  return "artifactUpdate" in update ? "artifact" : "message";
}

describe("A2A in workerd", () => {
  it("ASU1: a stream sends each update once, although its run is killed in the middle", async () => {
    const messageId = newId("a2a-kill");
    const id = runIdFor("a2a", "", "crew/single", messageId);
    holdCalls(id);
    const first = reading(await ask("single/message:stream", send(messageId)));
    await expect.poll(() => heldCalls(id), SOON).not.toEqual([]);
    const second = reading(await ask(`single/tasks/${id}:subscribe`));
    await expect.poll(() => second.updates.length, SOON).toBe(1);
    await killAll(id);
    letGo(id);
    await Promise.all([first.done, second.done]);
    expect(first.updates.map(kindOf)).toEqual([
      "task SUBMITTED",
      "status WORKING",
      "artifact",
      "status COMPLETED",
    ]);
    expect(second.updates.map(kindOf)).toEqual(["task WORKING", "artifact", "status COMPLETED"]);
    const task = await (await ask(`single/tasks/${id}`)).json<Task>();
    expect(task).toMatchObject({ id, status: { state: "TASK_STATE_COMPLETED" } });
  });

  it("a blocking call waits on, although its run is killed meanwhile", async () => {
    const messageId = newId("a2a-blocking");
    const id = runIdFor("a2a", "", "crew/single", messageId);
    holdCalls(id);
    const answer = ask("single/message:send", send(messageId));
    await expect.poll(() => heldCalls(id), SOON).not.toEqual([]);
    await killAll(id);
    letGo(id);
    const { task } = await (await answer).json<{ task: Task }>();
    expect(task).toMatchObject({ id, status: { state: "TASK_STATE_COMPLETED" } });
  });

  it("AO1: the same message from two sides is one task", async () => {
    const request = send(newId("a2a-twice"));
    const answers = await Promise.all([
      ask("single/message:send", request),
      ask("single/message:send", request),
    ]);
    const [one, two] = await Promise.all(answers.map((answer) => answer.json<{ task: Task }>()));
    expect(one?.task).toMatchObject({ status: { state: "TASK_STATE_COMPLETED" } });
    expect(two?.task.id).toBe(one?.task.id);
  });

  it("AO3: an answer reaches a task whose object was evicted during its wait", async () => {
    const { task } = await (
      await ask("conformance/message:send", send(`tck-input-required-${newId("a2a")}`))
    ).json<{ task: Task }>();
    expect(task.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    await evictDurableObject(stubOf(task.id, "default"));
    const next = send(`tck-artifact-text-${newId("a2a")}`, { taskId: task.id });
    const stream = reading(await ask("conformance/message:stream", next));
    await stream.done;
    expect(stream.updates.map(kindOf)).toEqual(["task WORKING", "artifact", "status COMPLETED"]);
  });

  it("a stream goes on over a timer, at once when it is due", async () => {
    const stream = reading(
      await ask("conformance/message:stream", send(`tck-slow-${newId("a2a")}`)),
    );
    await stream.done;
    expect(stream.updates.map(kindOf)).toEqual([
      "task SUBMITTED",
      "status WORKING",
      "status COMPLETED",
    ]);
  });

  it("lists the tasks of a context, and serves the card", async () => {
    const contextId = newId("a2a-context");
    for (const name of ["one", "two"])
      await ask("single/message:send", send(newId(name), { contextId }));
    await expect
      .poll(async () => {
        const page = await (
          await ask(`single/tasks?contextId=${contextId}&status=TASK_STATE_COMPLETED`)
        ).json<{ totalSize: number; tasks: readonly Task[] }>();
        return [page.totalSize, page.tasks.length];
      }, SOON)
      .toEqual([2, 2]);
    const card = await ask("single/.well-known/agent-card.json");
    expect(card.status).toBe(200);
  });
});
