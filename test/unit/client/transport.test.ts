import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

const problem = (status: number, code: string): Response =>
  Response.json({ code, detail: code }, { status, headers: { "x-request-id": "r-1" } });

describe("requests", () => {
  it("auth is called once for ten requests at once, and once more after 401 (CC5)", async () => {
    let asked = 0;
    const client = createClient({
      url: "http://crews.test",
      auth: async () => `token-${++asked}`,
      fetch: async (_, init) =>
        new Headers(init.headers).get("authorization") === "Bearer token-1"
          ? problem(401, "unauthorized")
          : Response.json({ items: [] }),
    });
    await Promise.all(Array.from({ length: 10 }, () => client.runs.list()));
    expect(asked).toBe(2);
  });

  it("an empty key, as of an unset variable, is not sent", async () => {
    const sent: (string | null)[] = [];
    for (const auth of ["", () => ""])
      await createClient({
        url: "http://crews.test",
        auth,
        fetch: async (_, init) => {
          sent.push(new Headers(init.headers).get("authorization"));
          return Response.json({ items: [] });
        },
      }).runs.list();
    expect(sent).toEqual([null, null]);
  });

  it("HTC2: a second 401 is final, with its status and the id of the request", async () => {
    let calls = 0;
    const client = createClient({
      url: "http://crews.test",
      auth: () => "no",
      fetch: async () => (calls++, problem(401, "unauthorized")),
    });
    await expect(client.runs.list()).rejects.toMatchObject({
      code: "unauthorized",
      status: 401,
      requestId: "r-1",
    });
    expect(calls).toBe(2);
  });

  it("HTC1: reads are repeated after 503, writes without an id are not", async () => {
    const clock = new SimulatedClock();
    const methods: unknown[] = [];
    const client = createClient({
      url: "http://crews.test",
      clock,
      fetch: async (_, init) => (methods.push(init.method), problem(503, "unavailable")),
    });
    const reading = client.runs.list().catch((error: unknown) => error);
    await clock.advance(5_000);
    expect(await reading).toMatchObject({ code: "unavailable", retryable: true });
    expect(methods).toEqual(["GET", "GET", "GET"]);
    await client.runs.prune({ olderThanDays: 1 } as never).catch(() => undefined);
    expect(methods).toHaveLength(4);
  });

  it("HTC1: reads are not repeated after a final error", async () => {
    const final = problem(503, "not_configured");
    final.headers.set("x-should-retry", "false");
    let calls = 0;
    const client = createClient({
      url: "http://crews.test",
      clock: new SimulatedClock(),
      fetch: async () => (calls++, final),
    });
    await expect(client.runs.list()).rejects.toMatchObject({
      code: "not_configured",
      retryable: false,
    });
    expect(calls).toBe(1);
  });

  it("leaves empty values out of a query", async () => {
    const urls: string[] = [];
    const client = createClient({
      url: "http://crews.test",
      fetch: async (url) => (urls.push(url), Response.json({ items: [] })),
    });
    await client.runs.list({ q: "", name: "tea" });
    expect(urls).toEqual(["http://crews.test/runs?name=tea"]);
  });

  it("HTC3: an abort rejects with its reason, and silence ends after the time limit", async () => {
    const clock = new SimulatedClock();
    const client = createClient({
      url: "http://crews.test",
      clock,
      timeoutMs: 1_000,
      fetch: (_, { signal }) =>
        new Promise((__, reject) =>
          signal?.addEventListener("abort", () => reject(new Error("gone"))),
        ),
    });
    const silent = client.keys.create({} as never).catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(await silent).toMatchObject({ code: "unavailable" });
    const leaving = new AbortController();
    const upload = client.files.upload("text", { signal: leaving.signal });
    const reason = new Error("left the page");
    leaving.abort(reason);
    await expect(upload).rejects.toBe(reason);
  });
});
