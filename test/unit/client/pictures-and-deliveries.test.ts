import { describe, expect, it } from "vitest";
import { EdgecrewClient } from "../../../src/client/index.ts";
import { HttpWorld } from "../../support/http-app.ts";
import { SIGN } from "../../support/signed-deliveries.ts";
import { TriggerWorld } from "../../support/trigger-world.ts";

function clientOf(world: HttpWorld, apiKey?: string): EdgecrewClient {
  return new EdgecrewClient({
    baseUrl: "http://crews.test",
    ...(apiKey === undefined ? {} : { apiKey }),
    clock: world.clock,
    fetch: (url, init) => Promise.resolve(world.app.request(url, init)),
  });
}

describe("pictures", () => {
  it("are of a flow, and of a run with the state of its methods", async () => {
    const world = new HttpWorld();
    const client = clientOf(world);
    expect(await client.flows.plot("review")).toMatch(/^<svg/);
    const plain = await client.flows.plot("review", "json");
    const run = await client.flows.kickoff("review", { inputs: { topic: "tea" } });
    await world.clock.settle();
    expect(JSON.parse(await run.plot("json"))).not.toEqual(JSON.parse(plain));
    await expect(client.flows.plot("nope")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("deliveries", () => {
  const secret = "a secret of sixteen and more";

  it("start a run; the same one is the same run", async () => {
    const world = new TriggerWorld();
    const client = clientOf(world, "boss");
    await client.webhooks.put("h", {
      scheme: "github",
      secret,
      target: { kind: "crew", name: "greeting" },
    });
    const signed = SIGN["github"]?.({ secret, body: "{}", at: world.clock.now() / 1000 });
    if (signed === undefined) throw new Error("no such scheme");
    const first = await client.webhooks.deliver("h", signed);
    const second = await client.webhooks.deliver("h", signed);
    expect([first?.id, second?.id]).toEqual([expect.stringMatching(/^hook-/), first?.id]);
    const wrong = client.webhooks.deliver("h", { ...signed, body: '{"a":1}' });
    await expect(wrong).rejects.toMatchObject({ code: "unauthorized" });
    const others = client.webhooks.deliver("h", { ...signed, tenant: "other" });
    await expect(others).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("to Slack's scheme name no run", async () => {
    const world = new TriggerWorld();
    const client = clientOf(world, "boss");
    await client.webhooks.put("s", {
      scheme: "slack",
      secret,
      target: { kind: "crew", name: "greeting" },
    });
    const at = Math.floor(world.clock.now() / 1000);
    const signed = SIGN["slack"]?.({ secret, body: '{"event_id":"e1"}', at });
    if (signed === undefined) throw new Error("no such scheme");
    expect(await client.webhooks.deliver("s", signed)).toBeUndefined();
    expect(world.startedIds()).toHaveLength(1);
  });
});
