// Every operation of every part, asked by every kind of caller. The list is that of the parts, so none can be left out.
import { beforeAll, describe, expect, it } from "vitest";
import type { Operation } from "../../../src/parts/operation.ts";
import { createRunToken, type RunTokenOptions } from "../../../src/entry/tokens.ts";
import { accessWorld, keyOf, signIn, TOKEN_KEY } from "../../support/access-world.ts";
import { appParts } from "../../support/app-parts.ts";
import { askingScript, type AskOptions, type HttpWorld } from "../../support/http-app.ts";

/** In the inputs and prompts of the run that is asked for. */
const CANARY = "CANARY-of-north";
const RUN = "the-run";
const OTHER_RUN = "another-run";
const NOW = Date.UTC(2026, 0, 1);
const SCOPES = ["read", "answer", "run", "admin"] as const;

/** What `HttpWorld` has of its own. */
const OWN = new Set(["crews", "agents", "flows", "tools", "crewai", "platform"]);
const parts = appParts.filter(({ name }) => !OWN.has(name));

/** What needs no key: these alone. */
const OPEN = [
  "a2aCard",
  "acpWorkerCard",
  "consoleFile",
  "consolePage",
  "deliverHook",
  "health",
  "home",
  "protectedResource",
  "protectedResourceOfMcp",
  "showSession",
  "signIn",
  "signOut",
  "takeA2ACallback",
];

/** What a token with every scope reaches of its runs. */
const OF_RUN = new Set([
  "get /runs/{id}",
  "get /runs/{id}/events",
  "get /runs/{id}/graph",
  "post /runs/{id}/resume",
  "post /runs/{id}/events/{name}",
  "post /runs/{id}/messages",
  "get /runs/{id}/messages",
  "delete /runs/{id}/messages/{message}",
  "post /runs/{id}/cancel",
]);
/** The requests of this test have no body, which these routes read before the run, and name no message. */
const WITHIN_RUN: Readonly<Record<string, number>> = {
  "post /runs/{id}/messages": 400,
  "delete /runs/{id}/messages/{message}": 404,
};
/** What a token for a kickoff gets where that is not as for runs of others. */
const OF_KICKOFF: Readonly<Record<string, number>> = {
  "post /crews/{name}/kickoff": 202,
  "get /flows/{name}/sessions/{sessionId}": 404,
};
/** Their protocols refuse other origins also where nothing is changed. */
const OWN_ORIGINS = new Set(["/mcp"]);

const world = (): HttpWorld => accessWorld({ parts, script: askingScript("Which?") });
const { operations } = world().api;
const guarded = operations.filter(({ scope }) => scope !== "none");
const routeOf = ({ method, path }: Operation): string => `${method} ${path}`;

function allows(scope: string, { scope: needed, operatorOnly }: Operation): boolean {
  if (operatorOnly === true) return false;
  if (scope === "admin" || needed === "key") return true;
  return needed === scope || (needed === "answer" && scope === "run");
}

function addressOf({ path }: Operation): string {
  return path
    .replace(/^(\/runs|\/conversations\/runs|\/backup\/runs|\/v1\/responses)\/\{id\}/, `$1/${RUN}`)
    .replace("/status/{id}", `/status/${RUN}`)
    .replace(/^\/crews\/\{name\}/, "/crews/greeting")
    .replace(/\{\+?\w+\}/g, "nobody");
}

type TokenOf = Partial<Pick<RunTokenOptions, "runs" | "target" | "tenant">>;

async function tokenOf({ tenant = "north", ...of }: TokenOf): Promise<string> {
  const scopes = ["read", "answer", "cancel", ...(of.target ? ["kickoff" as const] : [])] as const;
  return (await createRunToken({ key: TOKEN_KEY, tenant, scopes, nowMs: NOW, ...of })).token;
}

class Setting {
  readonly world = world();
  readonly keys = new Map<string, string>();

  static async open(): Promise<Setting> {
    const setting = new Setting();
    for (const scope of SCOPES) {
      const { key } = await keyOf(setting.world, { tenant: "north", scopes: [scope] });
      setting.keys.set(scope, key);
    }
    const south = await keyOf(setting.world, { tenant: "south", scopes: ["admin"] });
    setting.keys.set("south", south.key);
    const key = setting.keys.get("admin") ?? "";
    for (const id of [RUN, OTHER_RUN])
      await setting.world.kickoff("briefing", { id, inputs: { topic: CANARY } }, { key });
    return setting;
  }

  async ask(
    operation: Operation,
    {
      cookie,
      origin = "http://localhost",
      ...rest
    }: AskOptions & { readonly cookie?: string; readonly origin?: string },
  ): Promise<{ readonly status: number; readonly text: string }> {
    const response = await this.world.request(addressOf(operation), {
      ...rest,
      method: operation.method.toUpperCase(),
      headers: cookie === undefined ? {} : { cookie, origin },
    });
    const isStream = (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
    if (!isStream) return { status: response.status, text: await response.text() };
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    await reader?.cancel();
    return { status: response.status, text: new TextDecoder().decode(value) };
  }
}

it("answers without a key are those of a fixed list", () => {
  const open = operations.filter(({ scope }) => scope === "none");
  expect(open.map(({ id }) => id).toSorted()).toEqual(OPEN);
  expect(guarded.length).toBeGreaterThan(190);
});

describe.each(guarded.map((operation) => [routeOf(operation), operation] as const))(
  "%s",
  (route, operation) => {
    let setting: Setting;
    beforeAll(async () => {
      setting = await Setting.open();
    });

    it("is for keys with its scope alone (CA31)", async () => {
      for (const options of [{}, { key: "unknown" }, { key: "ect_no.token.atall" }])
        expect((await setting.ask(operation, options)).status).toBe(401);
      for (const scope of SCOPES) {
        const key = setting.keys.get(scope) ?? "";
        const { status } = await setting.ask(operation, { key });
        const isLetIn = ![401, 403].includes(status);
        expect([scope, status, isLetIn]).toEqual([scope, status, allows(scope, operation)]);
      }
    });

    it("gives sessions the access of their keys, and nothing to other origins (CA31)", async () => {
      const isStrict = operation.method !== "get" || OWN_ORIGINS.has(operation.path);
      for (const scope of SCOPES) {
        const cookie = await signIn(setting.world, { key: setting.keys.get(scope) ?? "" });
        const foreign = await setting.ask(operation, { cookie, origin: "https://evil.example" });
        const { status } = await setting.ask(operation, { cookie });
        const isLetIn = ![401, 403].includes(status);
        expect([scope, status, isLetIn]).toEqual([scope, status, allows(scope, operation)]);
        expect([scope, foreign.status]).toEqual([scope, isStrict ? 403 : status]);
      }
      const cookie = "__Host-edgecrew=nobody";
      expect((await setting.ask(operation, { cookie })).status).toBe(401);
    });

    it("shows front-end tokens their own runs only (CA31)", async () => {
      const beyond = OF_RUN.has(route) ? 404 : 403;
      const mine = await setting.ask(operation, { key: await tokenOf({ runs: [RUN] }) });
      const isRefused = WITHIN_RUN[route] !== mine.status && [401, 403, 404].includes(mine.status);
      expect([mine.status, isRefused]).toEqual([
        OF_RUN.has(route) ? mine.status : 403,
        !OF_RUN.has(route),
      ]);
      expect(mine.text.includes(CANARY)).toBe(false);
      for (const of of [{ runs: [OTHER_RUN] }, { runs: [RUN], tenant: "south" }]) {
        const { status } = await setting.ask(operation, { key: await tokenOf(of) });
        expect(status).toBe("tenant" in of ? (WITHIN_RUN[route] ?? beyond) : beyond);
      }
      const key = await tokenOf({ target: { kind: "crew", name: "greeting" } });
      const kickoff = await setting.ask(operation, { key });
      expect(kickoff.status).toBe(OF_KICKOFF[route] ?? beyond);
    });

    it("shows nothing of another tenant (CA31)", async () => {
      const key = setting.keys.get("south") ?? "";
      const { status, text } = await setting.ask(operation, { key });
      expect(text.includes(CANARY)).toBe(false);
      const isFound = addressOf(operation).includes(RUN) && ![400, 403, 404, 415].includes(status);
      expect([status, isFound]).toEqual([status, false]);
    });
  },
);
