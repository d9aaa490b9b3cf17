// Code Buddy's protocol over real objects and a real D1: kills, evictions, the cron's sweep.
import { createScheduledController, evictDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import { crewOf, registry, task } from "./support/crews.ts";
import { killAll } from "./support/faults.ts";
import { newId, SOON, stubOf } from "./support/runs.ts";
import worker from "./worker.ts";

type Reply = { readonly status: number; readonly json: JsonObject };

async function api(path: string, body?: object, method = "POST"): Promise<Reply> {
  const init = {
    method,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  };
  const request = new Request(`https://api.test/api${path}`, body === undefined ? {} : init);
  const response = await exports.default.fetch(request);
  return { status: response.status, json: await response.json<JsonObject>() };
}

beforeAll(() => {
  const nap = [{ name: "nap", arguments: { ms: 2_000 } }];
  registry["two-seconds"] = crewOf("two-seconds", [task("nap", [nap])]);
});

const tick = (): Promise<void> => worker.scheduled(createScheduledController(), env);

/** What the sweeper would look at later is due now. */
async function makeDue(): Promise<void> {
  await env.DB.prepare("UPDATE acp_tasks SET due_at = 0 WHERE due_at IS NOT NULL").run();
}

async function runOf(taskId: string): Promise<string> {
  const row = await env.DB.prepare("SELECT run_id FROM acp_tasks WHERE id = ?")
    .bind(taskId)
    .first<{ run_id: string }>();
  return row?.run_id ?? "";
}

function says(text: string): object {
  return { role: "user", parts: [{ type: "text", text }] };
}

async function statusOf(id: string): Promise<unknown> {
  const { status } = (await api(`/acp/tasks/${id}`)).json;
  return (status as JsonObject)["status"];
}

/** A task of a crew that waits for a person. */
async function asking(sessionId?: string): Promise<string> {
  const taskId = newId("acp");
  if (sessionId === undefined) {
    const body = { agentId: "crew/asking", taskId, message: says("{}") };
    await api("/acp/request", body);
    return taskId;
  }
  const body = { agentId: "crew/asking", message: says("{}"), sessionId, fireAndForget: true };
  return (await api("/acp/send", body)).json["taskId"] as string;
}

describe("the agent protocol", () => {
  it("goes the whole round: a task waits for a person, survives a kill, is resumed and read", async () => {
    const id = await asking();
    expect(await statusOf(id)).toBe("input-required");
    const run = await runOf(id);
    await killAll(run);
    const { json: shown } = await api(`/acp/tasks/${id}`);
    expect(shown["yieldPayload"]).toMatchObject({ state: { kind: "human" } });
    await evictDurableObject(stubOf(run, "default"));
    const { status, json } = await api(`/acp/tasks/${id}/resume`, {
      message: says("three of them"),
    });
    expect([status, json["status"]]).toMatchObject([200, { status: "completed" }]);
    expect(json["result"]).toContain("three of them");
    expect((await api(`/a2a/tasks/${id}`)).json["result"]).toBe(json["result"]);
    expect((await api(`/acp/tasks/${id}/resume`, {})).status).toBe(409);
  });

  it("ACK1: starts a run left unstarted by a killed Worker, once", async () => {
    const id = await asking();
    const lost = newId("lost");
    // As a Worker leaves it that dies between the two.
    await env.DB.prepare(
      `INSERT INTO acp_tasks (tenant, id, state, run_id, digest, pending, due_at, version, created_at, data)
       SELECT tenant, ?1, 'active', ?1, digest, 'launch', 0, 1, created_at,
         json_set(data, '$.history', json('[{"status":"submitted","timestamp":1}]')) FROM acp_tasks WHERE id = ?2`,
    )
      .bind(lost, id)
      .run();
    await Promise.all([tick(), tick()]);
    await expect.poll(() => statusOf(lost), SOON).toBe("input-required");
    const { results } = await env.DB.prepare("SELECT id FROM runs WHERE id = ?").bind(lost).all();
    expect(results).toHaveLength(1);
  });

  it("ACK2: drains a session's queue by the cron alone, one task after the other", async () => {
    const name = newId("session");
    const { json } = await api("/acp/sessions", { name });
    const sessionId = json["id"] as string;
    const [first, second] = [await asking(sessionId), await asking(sessionId)];
    await expect.poll(() => statusOf(first), SOON).toBe("input-required");
    await makeDue();
    await tick();
    expect(await statusOf(second)).toBe("submitted");
    // Somebody answers the run itself, so that no route of the protocol sees it end.
    const run = await runOf(first);
    const answer = {
      method: "POST",
      body: '{"feedback":"done"}',
      headers: { "content-type": "application/json" },
    };
    await exports.default.fetch(new Request(`https://api.test/runs/${run}/resume`, answer));
    await expect
      .poll(async () => {
        await makeDue();
        await tick();
        const row = await env.DB.prepare("SELECT state FROM acp_tasks WHERE id = ?")
          .bind(second)
          .first<{ state: string }>();
        return row?.state;
      }, SOON)
      .toBe("active");
    await expect.poll(() => statusOf(second), SOON).toBe("input-required");
    expect(await statusOf(first)).toBe("completed");
    const { json: canceled } = await api(`/acp/sessions/${name}/cancel`, {});
    expect(canceled).toEqual({ canceled: true, canceledTaskId: second, droppedFromQueue: 0 });
    expect(await statusOf(second)).toBe("canceled");
  });

  it("ACK2: keeps one task active under many messages at once", async () => {
    const { json } = await api("/acp/sessions", { name: newId("session") });
    const sessionId = json["id"] as string;
    const ids = await Promise.all(Array.from({ length: 6 }, () => asking(sessionId)));
    const { results } = await env.DB.prepare(
      "SELECT state, COUNT(*) AS count FROM acp_tasks WHERE session = ? GROUP BY state ORDER BY state",
    )
      .bind(sessionId)
      .all();
    expect(results).toEqual([
      { state: "active", count: 1 },
      { state: "queued", count: 5 },
    ]);
    expect(new Set(ids).size).toBe(6);
  });

  it("pauses a yielded task's run, and goes on with it", async () => {
    const body = { agentId: "crew/two-seconds", message: says("{}"), fireAndForget: true };
    const id = (await api("/acp/send", body)).json["taskId"] as string;
    const yielded = await api(`/acp/tasks/${id}/yield`, { reason: "a break" });
    expect(yielded.status).toBe(200);
    const run = await runOf(id);
    const shown = async (): Promise<JsonObject> => {
      const response = await exports.default.fetch(new Request(`https://api.test/runs/${run}`));
      return response.json<JsonObject>();
    };
    expect((await shown())["paused"]).toBe(true);
    await killAll(run);
    expect(await statusOf(id)).toBe("input-required");
    const { json } = await api(`/acp/tasks/${id}/resume`, {});
    expect((json["status"] as JsonObject)["status"]).not.toBe("input-required");
    await expect.poll(() => statusOf(id), SOON).toBe("completed");
  });

  it("calls a tool, and aborts a slow one", async () => {
    const done = await api("/acp/delegate", { tool: "look_up", args: { about: "tea" } });
    expect([done.status, done.json["success"]]).toEqual([200, true]);
    const late = await api("/acp/delegate", { tool: "endless", args: {}, timeout: 200 });
    expect(late).toMatchObject({
      status: 504,
      json: { success: false, error: "Tool execution timed out after 200ms" },
    });
  });
});
