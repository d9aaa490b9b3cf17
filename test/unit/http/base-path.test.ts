import { describe, expect, it } from "vitest";
import { checkBasePath, withoutBasePath } from "../../../src/http/base-path.ts";
import { TriggerWorld } from "../../support/trigger-world.ts";

const key = "boss";
const world = new TriggerWorld({ basePath: "/ai" });

describe("an app below a path", () => {
  it("has it in links, Location and addresses of webhooks", async () => {
    const { json, headers } = await world.ask("/crews/greeting/kickoff", {
      key,
      json: { id: "one" },
    });
    expect(headers.get("location")).toBe("/ai/runs/one");
    expect(json["links"]).toMatchObject({ self: "/ai/runs/one", events: "/ai/runs/one/events" });
    const stream = await world.ask("/crews/greeting/kickoff", {
      key,
      json: { id: "two" },
      headers: { accept: "text/event-stream" },
    });
    expect(stream.headers.get("location")).toBe("/ai/runs/two");
    const hook = {
      scheme: "github",
      secret: "a long enough secret",
      target: { kind: "crew", name: "greeting" },
    };
    const made = await world.ask("/hooks/in", { key, method: "PUT", json: hook });
    expect([made.headers.get("location"), made.json["path"]]).toEqual([
      "/ai/hooks/in",
      "/ai/hooks/in",
    ]);
    expect((await world.ask("/hooks", { key })).json["items"]?.[0]?.["path"]).toBe("/ai/hooks/in");
  });

  it("has it in its description", async () => {
    expect((await world.ask("/openapi.json", { key })).json["servers"]).toEqual([{ url: "/ai" }]);
    const { text } = await world.ask("/docs", { key });
    expect(text).toContain('href="/ai/openapi.json"');
    expect(text).toContain("http://localhost/ai/crews/");
  });

  it("has no base path without the setting", async () => {
    const plain = new TriggerWorld();
    const { json } = await plain.ask("/crews/greeting/kickoff", { key, json: { id: "one" } });
    expect(json["links"]?.["self"]).toBe("/runs/one");
    expect((await plain.ask("/openapi.json", { key })).json["servers"]).toBeUndefined();
  });
});

it.each([
  ["http://a/ai/runs/1?x=%2F", "http://a/runs/1?x=%2F"],
  ["http://a/ai", "http://a/"],
  ["http://a/ai/", "http://a/"],
  ["http://a/aix/runs", "http://a/aix/runs"],
  ["http://a/runs/1", "http://a/runs/1"],
  ["http://a/ai/ai/runs", "http://a/ai/runs"],
])("%s is asked as %s", async (url, expected) => {
  const request = withoutBasePath(new Request(url, { method: "POST", body: "x" }), "/ai");
  expect([request.url, request.method, await request.text()]).toEqual([expected, "POST", "x"]);
});

it.each(["ai", "/ai/", "/", "//evil.example", "/a b", "/a/../b", "/a?b", "https://a"])(
  "refuses %j as a base path",
  (path) => {
    expect(() => checkBasePath(path)).toThrow(/basePath must begin with a slash/);
  },
);
