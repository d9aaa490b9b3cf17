import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Agent, Crew, Task } from "../../src/index.ts";
import { registry } from "./support/crews.ts";
import { killAll } from "./support/faults.ts";
import { plays, type Turn } from "./support/models.ts";
import { eventsOf, evict, reaches, runs, start, TENANT } from "./support/runs.ts";
import { guarded, shop } from "./support/shops.ts";

/** Registers a crew whose agent uses this server of the catalog. */
function crewWith(name: string, server: string, ...turns: readonly Turn[]): void {
  const agent = new Agent({
    role: "Buyer",
    goal: "buy it",
    backstory: "made for a test",
    llm: plays(...turns),
    mcps: [server],
  });
  const task = new Task({ name: "buy", description: "Buy", expectedOutput: "it", agent });
  Object.assign(registry, { [name]: new Crew({ name, tasks: [task] }) });
}

describe("an agent with tools of an MCP server", () => {
  it("XQ1: waits for a person whom the server asks, through an eviction and a kill", async () => {
    crewWith("buying", "shop", [{ name: "shop_confirm", arguments: { article: "cup" } }]);
    const id = await start("buying");
    const { waits } = await reaches(id, "waiting");
    expect(waits).toMatchObject([{ kind: "human", declinable: true }]);
    await evict(id);
    await killAll(id);
    await runs.resume(TENANT, id, { value: { pieces: 2 } });
    const run = await reaches(id, "completed");
    expect(run.output).toMatchObject({ raw: expect.stringContaining("sold 2 cup") });
    expect(shop.calls).toEqual(['confirm {"article":"cup"}', 'confirm {"article":"cup"}']);
    const lists = shop.requests.filter(({ body }) => body.method === "tools/list");
    expect(lists).toHaveLength(1);
    const types = (await eventsOf(id)).map(({ type }) => type);
    expect(types.filter((type) => type === "mcp_connection_completed")).toHaveLength(1);
    expect(types.filter((type) => type === "mcp_tool_execution_completed")).toHaveLength(1);
  });

  it("XO2: keeps its token in D1, encrypted, for other runs", async () => {
    crewWith("signing", "guarded", [{ name: "guarded_order", arguments: { article: "cup" } }]);
    for (let time = 0; time < 2; time++) {
      const run = await reaches(await start("signing"), "completed");
      expect(run.output).toMatchObject({ raw: expect.stringContaining("ordered cup") });
    }
    expect(guarded.tokenRequests).toHaveLength(1);
    const { results } = await env.DB.prepare("SELECT * FROM mcp_tokens").all();
    expect(results).toMatchObject([{ tenant: TENANT }]);
    expect(JSON.stringify(results)).not.toContain("token-number");
  });
});
