import { describe, expect, it } from "vitest";
import { askingScript, HttpWorld, textOf, type JsonAnswer } from "../../support/http-app.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

async function listed(http: HttpWorld, path: string): Promise<readonly JsonAnswer[]> {
  const { status, json } = await http.ask(path);
  expect(json).toMatchObject({ items: expect.anything() });
  expect(status).toBe(200);
  return json["items"] as unknown as readonly JsonAnswer[];
}

async function ids(http: HttpWorld, path: string): Promise<readonly string[]> {
  return (await listed(http, path)).map(({ id }) => textOf(id));
}

describe("tags of a run", () => {
  it.each([
    ["/crews/greeting/kickoff", {}],
    ["/crews/greeting/kickoff-for-each", { inputs: [{}] }],
    ["/agents/writer/kickoff", { messages: "Hello" }],
    ["/flows/review/kickoff", { inputs: { topic: "tea" } }],
    ["/crews/greeting/test", { iterations: 1 }],
  ])("are taken by %s, and find the run", async (path, body) => {
    const http = new HttpWorld();
    const { status } = await http.ask(path, {
      json: { id: "run-1", tags: ["a/b", "x", "a/b"], ...body },
    });
    expect(status).toBe(202);
    await http.clock.settle();
    expect((await http.ask("/runs/run-1")).json).toMatchObject({ tags: ["a/b", "x"] });
    const [found] = await listed(http, "/runs?tag=a/b&tag=x");
    expect(found).toMatchObject({ id: "run-1", tags: ["a/b", "x"] });
    expect(await ids(http, "/runs?tag=a/b,x")).toEqual(["run-1"]);
    expect(await ids(http, "/runs?tag=a/b&tag=y")).toEqual([]);
    expect(await ids(http, "/runs?parent=run-1&tag=x")).toEqual([]); // children have none
  });

  it("are those of its forks, too", async () => {
    const http = new HttpWorld();
    await http.kickoff("greeting", { id: "run-1", tags: ["x"] });
    await http.ask("/runs/run-1/replay", { json: { fromTask: "greet", id: "run-2" } });
    await http.clock.settle();
    expect(await ids(http, "/runs?tag=x")).toHaveLength(2);
    expect(await listed(http, "/runs?origin=run-1")).toMatchObject([
      { id: "run-2", tags: ["x"], origin: { runId: "run-1" } },
    ]);
  });

  it.each([
    [["1", "2", "3", "4", "5", "6", "7", "8", "9"], "/tags/8"],
    [["a b"], "/tags/0"],
    [["fine", "x".repeat(65)], "/tags/1"],
    [[""], "/tags/0"],
  ])("are refused when they do not fit: %j (BI4)", async (tags, path) => {
    const { status, json } = await new HttpWorld().ask("/crews/greeting/kickoff", {
      json: { tags },
    });
    expect(status).toBe(400);
    expect(json["errors"]).toMatchObject([{ path }]);
  });
});

describe("GET /runs", () => {
  it("shows each run's outcome", async () => {
    const http = new HttpWorld({
      script: ({ messages }) => {
        if (JSON.stringify(messages).includes("fail")) throw new Error("x".repeat(900));
        return "Fine";
      },
    });
    await http.kickoff("briefing", { id: "good", inputs: { topic: "tea" } });
    await http.kickoff("briefing", { id: "bad", inputs: { topic: "fail" } });
    await http.clock.advance(600_000);
    const run = (await http.ask("/runs/good")).json;
    const [good, bad] = await listed(http, "/runs"); // of one moment: by id
    expect(good).toMatchObject({
      id: "good",
      startedAt: run["startedAt"],
      finishedAt: run["finishedAt"],
      durationMs: 0,
      waits: 0,
      usage: { tokens: run["usage"]?.["totalTokens"], requests: run["usage"]?.["requests"] },
    });
    expect(bad?.["error"]?.["code"]).toBe((await http.ask("/runs/bad")).json["error"]?.["code"]);
    expect(textOf(bad?.["error"]?.["message"]).length).toBe(200);
    expect(await ids(http, `/runs?error=${textOf(bad?.["error"]?.["code"])}`)).toEqual(["bad"]);
    expect(await ids(http, "/runs?status=failed,completed&count=1")).toEqual(["good", "bad"]);
    expect((await http.ask("/runs?count=1&limit=1")).json).toMatchObject({
      count: 2,
      countCapped: false,
    });
  });

  it("finds runs with a question to a person", async () => {
    const http = new HttpWorld({ script: askingScript("Which?", ["tea", "ink"]) });
    await http.kickoff("briefing", { id: "asks", inputs: { topic: "tea" } });
    expect(await listed(http, "/runs?waiting=person")).toMatchObject([{ id: "asks", waits: 1 }]);
    await http.ask("/runs/asks/cancel", { json: {} });
    await http.clock.settle();
    expect(await listed(http, "/runs?waiting=person")).toEqual([]);
    expect(await listed(http, "/runs")).toMatchObject([{ id: "asks", waits: 0 }]);
  });

  it("shows rows of older versions, without their missing fields", async () => {
    const db = sqliteD1();
    db.sqlite.exec(
      "INSERT INTO runs (tenant, id, kind, name, status, created_at, updated_at, version) VALUES ('default', 'old', 'crew', 'briefing', 'completed', 1, 2, 3)",
    );
    const http = new HttpWorld({ env: { DB: db } });
    expect(await listed(http, "/runs?name=briefing&trigger=api&top=1")).toEqual([
      {
        id: "old",
        kind: "crew",
        name: "briefing",
        status: "completed",
        createdAt: "1970-01-01T00:00:00.001Z",
        updatedAt: "1970-01-01T00:00:00.002Z",
        waits: 0,
      },
    ]);
  });

  it.each([
    ["from=yesterday", "/from"],
    ["from=2026-02-02&to=2026-01-01", "/from"],
    ["status=failed,nope", "/status"],
    ["kind=crew,nope", "/kind"],
    ["tag=a&tag=b&tag=c&tag=d", "/tag"],
    ["tag=a b", "/tag/0"],
    [`q=${"x".repeat(201)}`, "/q"],
    ["waiting=nobody", "/waiting"],
    ["minCostUsd=-1", "/minCostUsd"],
    ["minDurationMs=soon", "/minDurationMs"],
    ["top=maybe", "/top"],
    ["limit=201", "/limit"],
  ])("refuses ?%s, naming the field (BI5)", async (query, path) => {
    const { status, json } = await new HttpWorld().ask(`/runs?${query}`);
    expect(status).toBe(400);
    expect(json["errors"]).toMatchObject([{ path }]);
  });

  it("RLS3: refuses a cursor of another filter (BI5)", async () => {
    const http = new HttpWorld();
    await http.kickoff("greeting");
    await http.kickoff("greeting");
    const { json } = await http.ask("/runs?limit=1&name=greeting");
    const cursor = encodeURIComponent(textOf(json["nextCursor"]));
    const other = await http.ask(`/runs?limit=1&name=briefing&cursor=${cursor}`);
    expect(other).toMatchObject({ status: 400, json: { errors: [{ path: "/cursor" }] } });
    expect((await http.ask(`/runs?limit=9&name=greeting&cursor=${cursor}`)).status).toBe(200);
  });
});

describe("GET /waits", () => {
  async function asked(): Promise<{ http: HttpWorld; db: ReturnType<typeof sqliteD1> }> {
    const db = sqliteD1();
    const http = new HttpWorld({ env: { DB: db }, script: askingScript("Which drink?", ["tea"]) });
    for (const [id, tags] of [
      ["a", ["x"]],
      ["b", []],
      ["c", ["x", "y"]],
    ] as const)
      await http.kickoff("briefing", { id, inputs: { topic: "t" }, tags });
    return { http, db };
  }
  const runsOf = async (http: HttpWorld, query: string): Promise<readonly unknown[]> =>
    (await listed(http, `/waits?${query}`)).map(({ run }) => run?.["id"]);

  it("filters by name, kind, run, tag and the words of the prompt", async () => {
    const { http } = await asked();
    expect(await listed(http, "/waits?tag=y")).toMatchObject([
      { run: { id: "c", tags: ["x", "y"] } },
    ]);
    expect(await runsOf(http, "tag=x")).toEqual(["a", "c"]);
    expect(await runsOf(http, "run=b")).toEqual(["b"]);
    expect(await runsOf(http, "name=greeting")).toEqual([]);
    expect(await runsOf(http, "kind=human")).toHaveLength(3);
    expect(await runsOf(http, "kind=crew")).toHaveLength(3);
    expect(await runsOf(http, "kind=input")).toEqual([]);
    expect(await runsOf(http, "q=drink%20WHICH")).toHaveLength(3);
    expect(await runsOf(http, "q=meal")).toEqual([]);
    expect((await http.ask("/waits?kind=team")).json["errors"]).toMatchObject([{ path: "/kind" }]);
  });

  it("lists waits by expiry, page by page", async () => {
    const { http, db } = await asked();
    db.sqlite.exec("UPDATE waits SET expires_at = 9000 WHERE run_id = 'c'");
    db.sqlite.exec("UPDATE waits SET expires_at = 8000 WHERE run_id = 'b'");
    expect(await runsOf(http, "order=expires")).toEqual(["b", "c", "a"]);
    const found: unknown[] = [];
    let cursor = "";
    do {
      const { json } = await http.ask(`/waits?order=expires&limit=1${cursor}`);
      const items = json["items"] as unknown as readonly JsonAnswer[];
      found.push(...items.map(({ run }) => run?.["id"]));
      const next = json["nextCursor"] as unknown;
      cursor = typeof next === "string" ? `&cursor=${encodeURIComponent(next)}` : "";
    } while (cursor !== "");
    expect(found).toEqual(["b", "c", "a"]);
  });
});
