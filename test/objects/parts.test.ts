// A part of a user's own, in a real Worker.
import { createScheduledController } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import { BOARD_QUEUE } from "../support/board-part.ts";
import { board } from "./support/board.ts";
import { newId, SOON } from "./support/runs.ts";
import worker from "./worker.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      readonly BOARD: Queue<string>;
    }
  }
}

const BASE = "https://api.test";
const fetchWorker = (url: string, init?: RequestInit) =>
  exports.default.fetch(new Request(url, init));
const client = new EdgecrewClient({ baseUrl: BASE, fetch: fetchWorker });

async function notes(): Promise<readonly string[]> {
  const response = await fetchWorker(`${BASE}/boards?limit=100`);
  const body: { readonly notes: readonly string[] } = await response.json();
  return body.notes;
}

it("starts durable runs of its own kind over HTTP, which use its service and emit its events", async () => {
  const id = newId("board");
  const note = `tea for ${id}`;
  const pin = (): Promise<Response> =>
    fetchWorker(`${BASE}/boards/lobby`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": id },
      body: JSON.stringify({ note }),
    });
  expect((await pin()).status).toBe(202);
  const handle = client.runs.handle(id);
  await handle.output();
  // The same key again is the same run, which pins nothing more.
  expect((await pin()).status).toBe(202);
  expect((await notes()).filter((pinned) => pinned === `lobby: ${note}`)).toHaveLength(1);
  const { items } = await client.runs.list({ kind: "board" });
  expect(items).toContainEqual(expect.objectContaining({ id, name: "lobby", status: "completed" }));
  const types: string[] = [];
  for await (const event of handle.events()) types.push(event.type);
  expect(types).toEqual(["run_started", "note_pinned", "run_completed"]);
});

it("answers bytes and a stream", async () => {
  const bytes = await fetchWorker(`${BASE}/boards/bytes`);
  expect([...new Uint8Array(await bytes.arrayBuffer())]).toEqual([1, 2, 3]);
  const stream = await fetchWorker(`${BASE}/boards/stream`);
  expect(await stream.text()).toBe("one\ntwo\n");
});

it("runs its duties once for each cron event", async () => {
  const before = board.ticks();
  await worker.scheduled(createScheduledController(), env);
  expect(board.ticks()).toBe(before + 1);
});

it("consumes its queue", async () => {
  const note = newId("note");
  await env.BOARD.send(note);
  await expect.poll(notes, SOON).toContain(`${BOARD_QUEUE}: ${note}`);
});
