import { describe, expect, it } from "vitest";
import { developmentSettings } from "../../../../src/cloudflare/development-settings.ts";
import { HttpWorld } from "../../../support/http-app.ts";
import { readSource } from "../../../support/source-files.ts";

const OPEN = { auth: { mode: "open" } } as const;
const keyBody = { tenant: "default", scopes: ["admin"] };

describe("an open Worker", () => {
  it.each(["http://localhost:8787", "http://127.0.0.1", "http://[::1]:1", "http://my.localhost"])(
    "A2: answers %s without a key",
    async (host) => {
      expect((await new HttpWorld(OPEN).ask(`${host}/crews`)).status).toBe(200);
    },
  );

  it.each([
    ["http://evil.example:8787", {}],
    ["http://localhost:8787", { host: "evil.example:8787" }],
    ["http://evil.example:8787", { origin: "http://evil.example:8787" }],
    ["http://192.168.1.7:8787", {}],
    ["http://0.0.0.0:8787", {}],
    ["https://edgecrew.someone.workers.dev", {}],
  ])("A2: refuses %s with %j, and explains how to make a key", async (host, headers) => {
    const world = new HttpWorld(OPEN);
    for (const [path, json] of [
      ["/keys", keyBody],
      ["/crews", undefined],
      ["/docs", undefined],
      ["/runs/any/events", undefined],
      ["/compat/greeting/inputs", undefined],
    ] as const) {
      const answer = await world.ask(`${host}${path}`, { json, headers });
      expect({ path, status: answer.status }).toEqual({ path, status: 401 });
      expect(answer.text).toContain("wrangler secret put EDGECREW_ADMIN_KEY");
      expect(answer.text).toContain("open-to-everybody");
    }
    expect((await world.ask(`${host}/healthz`, { headers })).status).toBe(200);
    expect(await world.keys.any()).toBe(false);
  });

  it("A2: takes a known key on every host, as in keys mode", async () => {
    const world = new HttpWorld({ auth: { mode: "open", adminKey: "boss" } });
    expect((await world.ask("http://a.example/crews", { key: "boss" })).status).toBe(200);
    expect((await world.ask("http://a.example/crews", { key: "guess" })).status).toBe(401);
  });

  it("A2: answers all hosts with open-to-everybody, but no page of another origin", async () => {
    const world = new HttpWorld({ auth: { mode: "open-to-everybody" } });
    expect((await world.ask("http://a.example/crews")).status).toBe(200);
    const headers = { origin: "http://evil.example" };
    expect((await world.ask("http://a.example/crews", { headers })).status).toBe(403);
    expect((await world.ask("http://a.example/keys", { headers, json: keyBody })).status).toBe(403);
  });

  it.each(["GET", "POST", "PUT", "DELETE"])(
    "O2: refuses a %s of another origin",
    async (method) => {
      const headers = { origin: "http://evil.example" };
      expect((await new HttpWorld(OPEN).ask("/crews", { method, headers })).status).toBe(403);
    },
  );
});

describe("publicly known settings", () => {
  const known = (name: string): string =>
    new RegExp(`^${name} = "(.*)"$`, "m").exec(readSource("wrangler.toml"))?.[1] ?? "";

  it("are those of the default environment", () => {
    const names = ["EDGECREW_SECRETS_KEY", "EDGECREW_WEBHOOK_SECRET", "EDGECREW_OUTBOUND"];
    const env = Object.fromEntries(names.map((name) => [name, known(name)]));
    expect(developmentSettings(env)).toEqual(
      names.map((name) => expect.stringMatching(new RegExp(`^${name} is .* \\(.+\\)$`))),
    );
    expect(developmentSettings({})).toEqual([]);
    expect(developmentSettings({ EDGECREW_OUTBOUND: "any-for-everybody" })).toEqual([]);
  });

  it("A5: serve hosts of this machine alone, also with a key", async () => {
    const settings = developmentSettings({ EDGECREW_SECRETS_KEY: known("EDGECREW_SECRETS_KEY") });
    const auth = { mode: "keys", adminKey: "boss" } as const;
    const world = new HttpWorld({ auth, developmentSettings: settings });
    expect((await world.ask("/crews", { key: "boss" })).status).toBe(200);
    const { status, json } = await world.ask("https://a.example/crews", { key: "boss" });
    expect([status, json["code"]]).toEqual([403, "forbidden"]);
    expect(json["detail"]).toContain("openssl rand -base64 32");
    expect((await world.ask("https://a.example/healthz")).status).toBe(200);
  });
});
