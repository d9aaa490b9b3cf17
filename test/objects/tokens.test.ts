import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import { createRunToken } from "../../src/entry/tokens.ts";
import worker from "./worker.ts";
import { newId, SOON } from "./support/runs.ts";

const TOKEN_KEY = btoa("objects".repeat(5).slice(0, 32));
const keyed = { ...env, EDGECREW_TOKEN_KEY: TOKEN_KEY };
const SKEW_MS = 30_000;

const ask = (request: Request): Promise<Response> =>
  Promise.resolve(worker.fetch(request, keyed, createExecutionContext()));
const client = new EdgecrewClient({
  baseUrl: "https://api.test",
  fetch: (url, init) => ask(new Request(url, init)),
});

async function waitingRun(): Promise<string> {
  const run = await client.crews.kickoff("asking", { id: newId("asking") });
  await expect.poll(async () => (await run.status()).status, SOON).toBe("waiting");
  return run.id;
}

async function listen(id: string, token: string) {
  const { status, webSocket } = await ask(
    new Request(`https://api.test/runs/${id}/events`, {
      headers: { upgrade: "websocket", "sec-websocket-protocol": `edgecrew, ${token}` },
    }),
  );
  expect(status).toBe(101);
  const events: Array<{ readonly type: string }> = [];
  const heard: { readonly events: typeof events; code?: number } = { events };
  webSocket?.addEventListener("message", ({ data }) => {
    events.push(JSON.parse(String(data)) as { type: string });
  });
  webSocket?.addEventListener("close", (event) => (heard.code = event.code));
  webSocket?.accept();
  await expect.poll(() => events.at(-1)?.type, SOON).toBe("run_waiting");
  return heard;
}

describe("a WebSocket opened with a token", () => {
  it("goes on to the end of the run, in order, and shows only progress (CA7)", async () => {
    const id = await waitingRun();
    const { token } = await createRunToken({
      key: TOKEN_KEY,
      tenant: "default",
      runs: [id],
      scopes: ["read"],
    });
    const heard = await listen(id, token);
    await client.runs.handle(id).cancel();
    await expect.poll(() => heard.code, SOON).toBe(1000);
    expect(heard.events.at(-1)?.type).toBe("run_cancelled");
    const seqs = heard.events.map((event) => (event as { seq?: number }).seq ?? 0);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect(JSON.stringify(heard.events)).not.toContain('"messages"');
  });

  it("TKR4: is closed before the next event once the token has expired (CA9)", async () => {
    const id = await waitingRun();
    const aliveMs = 4_000;
    const endsAtMs = Date.now() + aliveMs;
    const { token } = await createRunToken({
      key: TOKEN_KEY,
      tenant: "default",
      runs: [id],
      scopes: ["read"],
      ttlSeconds: 60,
      nowMs: endsAtMs - SKEW_MS - 60_000,
    });
    const heard = await listen(id, token);
    const before = heard.events.length;
    await expect.poll(() => Date.now() > endsAtMs + 1_000, SOON).toBe(true);
    await client.runs.handle(id).cancel();
    await expect.poll(() => heard.code, SOON).toBe(4401);
    expect(heard.events.slice(before)).toEqual([]);
  });
});
