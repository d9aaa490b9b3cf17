import { describe, expect, it } from "vitest";
import { HttpWorld } from "../../../support/http-app.ts";

const keys = { mode: "keys", adminKey: "k" } as const;

function from(origin: string) {
  return { key: "k", headers: { origin } };
}

describe("pages of other origins", () => {
  it("O1: may read nothing in keys mode unless the setting names them", async () => {
    const closed = new HttpWorld({ auth: keys });
    expect(
      (await closed.ask("/crews", from("https://app.example.com"))).headers.get(
        "access-control-allow-origin",
      ),
    ).toBeNull();
    const set = new HttpWorld({ auth: keys, cors: { origins: ["https://app.example.com"] } });
    const named = await set.ask("/crews", from("https://app.example.com"));
    expect(named.headers.get("access-control-allow-origin")).toBe("https://app.example.com");
    expect(named.headers.get("vary")).toContain("Origin");
    expect(named.headers.get("access-control-expose-headers")).toContain("Location");
    expect(
      (await set.ask("/crews", from("https://evil.example.com"))).headers.get(
        "access-control-allow-origin",
      ),
    ).toBeNull();
  });

  it("get their preflight answered without a key", async () => {
    const world = new HttpWorld({ auth: keys, cors: { origins: "*" } });
    const { status, headers } = await world.ask("/crews/a/kickoff", {
      method: "OPTIONS",
      headers: {
        origin: "https://a.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, a2a-version, mcp-session-id",
      },
    });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    for (const name of ["authorization", "a2a-version", "mcp-session-id"])
      expect(headers.get("access-control-allow-headers")).toContain(name);
  });

  it("may read problems too", async () => {
    const world = new HttpWorld({ auth: keys, cors: { origins: "*" } });
    const { status, headers } = await world.ask("/crews", {
      headers: { origin: "https://a.example" },
    });
    expect([status, headers.get("access-control-allow-origin")]).toEqual([401, "*"]);
  });

  it("O1, O2: on this machine may use an open Worker, others may change nothing", async () => {
    const world = new HttpWorld();
    const start = (origin: string) =>
      world.ask("/crews/greeting/kickoff", { json: {}, headers: { origin } });
    for (const origin of ["http://localhost:5173", "http://127.0.0.1:3000", "http://localhost"]) {
      const { status, headers } = await start(origin);
      expect([status, headers.get("access-control-allow-origin")]).toEqual([202, origin]);
    }
    for (const origin of ["https://evil.example", "http://localhost.evil.example", "null"]) {
      const { status, headers, json } = await start(origin);
      expect([status, json["code"], headers.get("access-control-allow-origin")]).toEqual([
        403,
        "forbidden",
        null,
      ]);
      expect(
        (await world.ask("/runs/any/events", { headers: { origin, upgrade: "websocket" } })).status,
      ).toBe(403);
    }
    expect(
      (
        await new HttpWorld({ cors: { origins: ["https://app.example.com"] } }).ask(
          "/crews/greeting/kickoff",
          { json: {}, headers: { origin: "https://app.example.com" } },
        )
      ).status,
    ).toBe(202);
  });
});
