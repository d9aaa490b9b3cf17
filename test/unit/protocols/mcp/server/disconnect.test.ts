import { expect, it } from "vitest";
import * as z from "zod";
import { tool } from "../../../../../src/tools/tool.ts";
import { McpWorld, MODERN } from "../../../../support/mcp-world.ts";

const slow = tool({
  name: "slow",
  description: "Takes ten seconds.",
  input: z.object({}),
  run: async (_, { sleep }) => {
    await sleep("time", 10_000);
    return "done";
  },
});

/** A call whose client goes away while its run waits for a timer. */
async function left(world: McpWorld, legacy: boolean, own: object = {}): Promise<void> {
  const gone = new AbortController();
  const meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "slow", arguments: {}, _meta: legacy ? own : { ...meta, ...own } };
  const modern = {
    "mcp-protocol-version": MODERN,
    "mcp-method": "tools/call",
    "mcp-name": "slow",
  };
  const pending = world.app.request("/mcp", {
    method: "POST",
    signal: gone.signal,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(legacy ? undefined : modern),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  // The older transport answers with a stream at once, the other once there is an answer.
  void Promise.resolve(pending)
    .then((response) => response.text())
    .catch(() => undefined);
  await expect
    .poll(
      async () => {
        await world.clock.settle();
        return statuses(world);
      },
      { timeout: 10_000, interval: 2 },
    )
    .toEqual(["waiting"]);
  gone.abort();
  await world.clock.settle();
  await world.clock.advance(20_000);
}

async function statuses(world: McpWorld): Promise<readonly string[]> {
  const { items } = await world.runs.list({ tenant: "default", limit: 5 });
  const runs = await Promise.all(items.map(({ id }) => world.runs.get("default", id)));
  return runs.map(({ status }) => status);
}

it.each([
  ["goes on by default", {}, {}, "completed"],
  ["is cancelled where the app says so", { cancelOnDisconnect: true }, {}, "cancelled"],
  ["is cancelled where the call says so", {}, { "edgecrew/cancelOnDisconnect": true }, "cancelled"],
  [
    "is not cancelled by anything but true",
    {},
    { "edgecrew/cancelOnDisconnect": "yes" },
    "completed",
  ],
] as const)(
  "the run of a call whose client has disconnected %s",
  async (...[, options, meta, status]) => {
    for (const legacy of [false, true]) {
      const world = new McpWorld({ tools: [slow], ...options });
      await left(world, legacy, meta);
      expect(await statuses(world)).toEqual([status]);
      expect(world.reported).toEqual([]);
    }
  },
);
