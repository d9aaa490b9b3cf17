import { describe, expect, it } from "vitest";
import { McpWorld } from "../../../../support/mcp-world.ts";

describe.each([
  ["2026-07-28", false],
  ["2025-11-25", true],
])("a client of %s", (revision, legacy) => {
  it("lists the tools of crews, flows and agents with their schemas", async () => {
    const world = new McpWorld();
    const client = await world.connect({ legacy });
    const { tools } = await client.listTools();
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(tools.map(({ name }) => name)).toEqual([
      "get_run",
      "answer_run",
      "cancel_run",
      "briefing",
      "greeting",
      "researcher",
      "writer",
      "review",
    ]);
    expect(tools.find(({ name }) => name === "briefing")?.inputSchema).toMatchObject({
      type: "object",
      properties: { topic: { type: "string" } },
      required: ["topic"],
    });
    expect(tools.find(({ name }) => name === "researcher")?.inputSchema).toMatchObject({
      properties: { message: { type: "string" }, topic: { type: "string" } },
      required: ["message", "topic"],
    });
  });

  it("calls a crew and gets its answer", async () => {
    const world = new McpWorld();
    const client = await world.connect({ legacy });
    const result = await world.until(
      client.callTool({ name: "briefing", arguments: { topic: "edges" } }),
    );
    expect(result).toMatchObject({ content: [{ type: "text", text: "A fine answer" }] });
    expect(result.isError).toBeUndefined();
  });

  it("calls an agent with a message", async () => {
    const world = new McpWorld();
    const client = await world.connect({ legacy });
    await world.until(client.callTool({ name: "writer", arguments: { message: "Write a line" } }));
    expect(JSON.stringify(world.model.calls.at(-1))).toContain("Write a line");
  });
});
