import { describe, expect, it } from "vitest";
import { defineFlow } from "../../../src/flow/index.ts";
import { HttpWorld, type AskOptions } from "../../support/http-app.ts";
import { parseXml } from "../../support/xml.ts";

const CHROME_PAGE =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
const CHROME_IMAGE = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8";

async function started(world = new HttpWorld(), options: AskOptions = {}): Promise<HttpWorld> {
  await world.ask("/flows/review/kickoff", {
    ...options,
    json: { id: "r-1", inputs: { topic: "tea" } },
  });
  await world.clock.settle();
  return world;
}

describe("GET /flows/:name/plot", () => {
  it.each([
    ["/flows/review/plot", CHROME_PAGE, "text/html; charset=utf-8"],
    ["/flows/review/plot", CHROME_IMAGE, "image/svg+xml; charset=utf-8"],
    ["/flows/review/plot", "application/json", "application/json"],
    ["/flows/review/plot", "text/plain", "text/plain; charset=utf-8"],
    ["/flows/review/plot", "*/*", "text/html; charset=utf-8"],
    ["/flows/review/plot/", "image/svg+xml", "image/svg+xml; charset=utf-8"],
    ["/flows/review/plot?format=svg", CHROME_PAGE, "image/svg+xml; charset=utf-8"],
    ["/flows/review/plot?format=mermaid", CHROME_PAGE, "text/plain; charset=utf-8"],
    ["/flows/review/plot?format=json", CHROME_PAGE, "application/json"],
    ["/flows/review/plot?format=html", CHROME_IMAGE, "text/html; charset=utf-8"],
  ])("answers %s for %s as %s", async (path, accept, type) => {
    const { status, headers } = await new HttpWorld().ask(path, { headers: { accept } });
    expect([status, headers.get("content-type")]).toEqual([200, type]);
    expect(headers.get("vary")).toContain("Accept");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("returns the same as flow.plot(), with a policy that blocks everything else", async () => {
    const world = new HttpWorld();
    const page = await world.ask("/flows/review/plot");
    expect(page.text).toContain("<h1>review</h1>");
    expect(page.headers.get("content-security-policy")).toContain(
      "default-src 'none'; script-src 'sha256-",
    );
    const svg = await world.ask("/flows/review/plot?format=svg");
    expect(parseXml(svg.text).attributes["aria-label"]).toContain("3 methods");
    expect(svg.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    );
    expect((await world.ask("/flows/review/plot?format=json")).json).toMatchObject({
      startMethods: ["draft"],
      routerMethods: ["draft"],
      executionPaths: 2,
    });
  });

  it("refuses other formats, and unknown flows", async () => {
    const world = new HttpWorld();
    expect((await world.ask("/flows/review/plot?format=png")).json).toMatchObject({
      status: 400,
      errors: [{ path: "/format" }],
    });
    expect((await world.ask("/flows/nobody/plot")).status).toBe(404);
  });
});

describe("GET /runs/:id/plot", () => {
  it("shows the open wait, then the decision", async () => {
    const world = await started();
    const { json } = await world.ask("/runs/r-1/plot?format=json");
    expect(json["run"]).toMatchObject({
      id: "r-1",
      status: "waiting",
      methods: {
        draft: {
          state: "waiting",
          count: 1,
          waits: [
            {
              key: "method:draft/feedback",
              kind: "human",
              prompt: "Good?",
            },
          ],
        },
        publish: { state: "idle", count: 0, durationMs: 0 },
      },
    });
    await world.ask("/runs/r-1/resume", { json: { feedback: "approved" } });
    await world.clock.settle();
    const after = await world.ask("/runs/r-1/plot?format=json");
    expect(after.json["run"]).toMatchObject({
      status: "completed",
      methods: {
        draft: { state: "done", count: 1, labels: { approved: 1 } },
        publish: { state: "done", count: 1 },
        drop: { state: "idle", count: 0 },
      },
    });
    const svg = await world.ask("/runs/r-1/plot?format=svg");
    expect(parseXml(svg.text).attributes["class"]).toBe("ecf run");
    expect((await world.ask("/runs/r-1/plot?format=mermaid")).text).toContain("classDef done");
  });

  it("has a page with the present state, continued from its last event", async () => {
    const world = await started();
    const { text } = await world.ask("/runs/r-1/plot", { headers: { accept: CHROME_PAGE } });
    expect(text).toContain('<span id="status" data-status="waiting" role="status">waiting</span>');
    const [, data = ""] =
      /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(text) ?? [];
    const { progress } = JSON.parse(data) as { progress: { seq: number; methods: object } };
    expect(Object.keys(progress.methods)).toEqual(["draft", "publish", "drop"]);
    const { text: rest } = await world.ask(`/runs/r-1/events?after=${progress.seq}&follow=0`);
    expect(rest).not.toContain("method_execution");
  });

  it("answers at once for a running run", async () => {
    const slow = defineFlow({
      name: "slow",
      methods: {
        a: { start: true, run: () => 1 },
        b: { listen: "a", run: ({ step }) => step("forever", () => new Promise(() => {})) },
      },
    });
    const world = new HttpWorld({ flows: { slow } });
    await world.ask("/flows/slow/kickoff", { json: { id: "s-1" } });
    await world.clock.settle();
    const { json } = await world.ask("/runs/s-1/plot?format=json");
    expect(json["run"]).toMatchObject({
      status: "running",
      methods: { a: { state: "done" }, b: { state: "running" } },
    });
  });

  it("is not there for runs of other kinds, nor for runs of others", async () => {
    const world = await started();
    const id = await world.kickoff();
    expect((await world.ask(`/runs/${id}/plot`)).json).toMatchObject({
      status: 404,
      detail: `run ${id} is of kind crew: only runs of flows have a picture`,
    });
    expect((await world.ask("/runs/nobody/plot")).status).toBe(404);
  });
});

describe("without a key, when one is needed", () => {
  const auth = { mode: "keys", adminKey: "root" } as const;

  it("a browser gets a page to enter one, with 401 and nothing of the flow", async () => {
    const world = await started(new HttpWorld({ auth }), { key: "root" });
    for (const path of ["/flows/review/plot", "/runs/r-1/plot", "/runs/nobody/plot?format=html"]) {
      const { status, headers, text } = await world.ask(path, { headers: { accept: CHROME_PAGE } });
      expect([status, headers.get("content-type")]).toEqual([401, "text/html; charset=utf-8"]);
      expect(headers.get("www-authenticate")).toContain("Bearer");
      expect(text).not.toContain("review");
      expect(text).toContain('id="key"');
    }
    const wrong = await world.ask("/flows/review/plot", {
      key: "x",
      headers: { accept: CHROME_PAGE },
    });
    expect(wrong.status).toBe(401);
    const right = await world.ask("/flows/review/plot", {
      key: "root",
      headers: { accept: CHROME_PAGE },
    });
    expect([right.status, right.text.includes("review")]).toEqual([200, true]);
  });

  it("other callers get the problem", async () => {
    const world = new HttpWorld({ auth });
    for (const [path, accept] of [
      ["/flows/review/plot", CHROME_IMAGE],
      ["/flows/review/plot", "*/*"],
      ["/flows/review/plot?format=svg", CHROME_PAGE],
      ["/flows/review", CHROME_PAGE],
    ] as const)
      expect((await world.ask(path, { headers: { accept } })).json).toMatchObject({
        status: 401,
        code: "unauthorized",
      });
    const bare = new HttpWorld({ auth, flows: {} });
    const { json } = await bare.ask("/runs/r/plot", { headers: { accept: CHROME_PAGE } });
    expect(json).toMatchObject({ code: "unauthorized" });
  });

  it("a key without the scope is refused", async () => {
    const world = new HttpWorld({ auth });
    const { json } = await world.ask("/keys", {
      key: "root",
      json: { tenant: "default", scopes: ["run"] },
    });
    const key = json["key"] as unknown as string;
    expect((await world.ask("/flows/review/plot", { key })).status).toBe(403);
  });
});
