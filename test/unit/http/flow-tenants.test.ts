// Flows with a store of their own, on a deployment with several tenants.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { conversational } from "../../../src/flow/conversational/conversational.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { InMemoryFlowStore } from "../../../src/flow/flow-store.ts";
import type { FlowPersistence } from "../../../src/flow/own-store.ts";
import { HttpWorld, textOf } from "../../support/http-app.ts";

const counting = (persistence: FlowPersistence) =>
  defineFlow({
    name: "counting",
    state: z.object({ n: z.number().default(0) }),
    persist: true,
    persistence,
    methods: { count: { start: true, run: ({ state }) => ++state.n } },
  });

const talk = (persistence?: FlowPersistence) =>
  defineFlow({
    name: "talk",
    conversational: conversational({}),
    ...(persistence === undefined ? undefined : { persistence }),
    methods: {
      routeConversation: { start: true, router: true, run: () => "answer" },
      say: { listen: "answer", run: ({ conversation }) => `${conversation.messages.length} said` },
    },
  });

/** A world with keys, and one that asks with the key of a tenant. */
async function worldOf(
  flows: Record<string, ReturnType<typeof counting> | ReturnType<typeof talk>>,
) {
  const world = new HttpWorld({ flows, auth: { mode: "keys", adminKey: "root" } });
  const keys = new Map([["default", "root"]]);
  for (const tenant of ["alpha", "beta"]) {
    const json = { tenant, scopes: ["run", "read", "admin"] };
    keys.set(tenant, textOf((await world.ask("/keys", { json, key: "root" })).json["key"]));
  }
  const ask = async (tenant: string, path: string, sent: unknown = "GET") => {
    const answer = await world.ask(path, {
      key: keys.get(tenant) ?? "",
      ...(sent === "DELETE" ? { method: sent } : sent === "GET" ? undefined : { json: sent }),
    });
    await world.clock.settle();
    return answer;
  };
  return { world, ask };
}

describe("a flow with a store of its own", () => {
  it("OS1: a store for each tenant shows, continues and deletes nothing of another", async () => {
    const asked: string[] = [];
    const own = (tenant: string) => (asked.push(tenant), new InMemoryFlowStore());
    const { ask } = await worldOf({ counting: counting(own) });
    const inputs = { id: "acct-1" };
    await ask("alpha", "/flows/counting/kickoff", { id: "r", inputs });
    await ask("alpha", "/flows/counting/kickoff", { id: "r2", inputs });
    await ask("beta", "/flows/counting/kickoff", { id: "r", inputs });
    const states = "/flows/counting/states/acct-1";
    expect((await ask("alpha", states)).json["state"]).toEqual({ id: "acct-1", n: 2 });
    expect((await ask("beta", states)).json["state"]).toEqual({ id: "acct-1", n: 1 });
    expect((await ask("beta", states, "DELETE")).status).toBe(204);
    expect((await ask("beta", states)).status).toBe(404);
    expect((await ask("default", states)).status).toBe(404);
    expect((await ask("alpha", `${states}/history`)).json["items"]).toHaveLength(2);
    expect(asked.toSorted()).toEqual(["alpha", "beta", "default"]);
  });

  it("OS1: one store for all serves tenant default, and is refused to every other", async () => {
    const store = new InMemoryFlowStore();
    const { ask } = await worldOf({ counting: counting(store) });
    const json = { id: "r", inputs: { id: "acct-1" } };
    await ask("default", "/flows/counting/kickoff", json);
    const states = "/flows/counting/states/acct-1";
    expect((await ask("default", states)).json["state"]).toEqual({ id: "acct-1", n: 1 });
    await ask("beta", "/flows/counting/kickoff", json);
    expect((await ask("beta", "/runs/r")).json).toMatchObject({
      status: "failed",
      error: {
        code: "invalid_definition",
        message: expect.stringContaining("set persistence to a function, such as (tenant) =>"),
      },
    });
    for (const [path, method] of [
      [states, "GET"],
      [`${states}/history`, "GET"],
      [states, "DELETE"],
    ] as const)
      expect((await ask("beta", path, method)).status).toBe(400);
    expect((await ask("default", states)).json["state"]).toEqual({ id: "acct-1", n: 1 });
  });

  it("OS1: conversations are a tenant's own, in a store of the flow's", async () => {
    const { ask } = await worldOf({ talk: talk(() => new InMemoryFlowStore()) });
    const turn = { message: "secret", sessionId: "s", id: "t" };
    expect((await ask("alpha", "/flows/talk/turns", turn)).status).toBe(202);
    const session = "/flows/talk/sessions/s";
    expect((await ask("alpha", session)).json["turns"]).toBe(1);
    expect((await ask("beta", session)).status).toBe(404);
    expect((await ask("beta", session, "DELETE")).status).toBe(404);
    const run = textOf((await ask("beta", "/flows/talk/turns", turn)).json["id"]);
    expect((await ask("beta", `/runs/${run}`)).json["output"]).toMatchObject({ reply: "1 said" });
  });

  it("OS1: in conversations too, one store for all is refused to other tenants", async () => {
    const { ask } = await worldOf({ talk: talk(new InMemoryFlowStore()) });
    const turn = { message: "secret", sessionId: "s", id: "t" };
    expect((await ask("default", "/flows/talk/turns", turn)).status).toBe(202);
    expect((await ask("beta", "/flows/talk/turns", turn)).status).toBe(400);
    expect((await ask("beta", "/flows/talk/sessions/s")).status).toBe(400);
  });

  it("OS1: a kickoff of a turn stays within its tenant in a deployment without a store", async () => {
    const { world, ask } = await worldOf({ talk: talk() });
    world.flowStates = (() => undefined) as never;
    const inputs = { message: "secret", id: "s" };
    await ask("alpha", "/flows/talk/kickoff", { id: "k", inputs });
    await ask("beta", "/flows/talk/kickoff", { id: "k", inputs });
    expect((await ask("beta", "/runs/k")).json["output"]).toMatchObject({
      reply: "1 said",
      turn: 1,
    });
  });

  it.each([[{}], ["store"], [{ saveState() {} }]])(
    "OS1: is refused when persistence is %j",
    (persistence) => {
      expect(() => counting(persistence as never)).toThrow(
        'flow "counting": persistence must be a FlowStore (saveState, loadState, history, forget), or a function',
      );
    },
  );
});
