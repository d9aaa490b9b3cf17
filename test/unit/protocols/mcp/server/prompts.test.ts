import { describe, expect, it } from "vitest";
import { McpWorld } from "../../../../support/mcp-world.ts";

describe("prompts of crews", () => {
  it.each([false, true])(
    "have their tasks' texts, with inputs as arguments (older: %s)",
    async (legacy) => {
      const world = new McpWorld();
      const client = await world.connect({ legacy });
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual([
        "briefing_research",
        "briefing_report",
        "greeting_greet",
      ]);
      expect(prompts[0]?.arguments).toEqual([{ name: "topic", required: true }]);
      const { messages } = await client.getPrompt({
        name: "briefing_research",
        arguments: { topic: "{topic} $& edges" },
      });
      expect(messages).toEqual([
        {
          role: "user",
          content: { type: "text", text: "Research {topic} $& edges\n\nExpected result: Facts" },
        },
      ]);
      await expect(client.getPrompt({ name: "briefing_research" })).rejects.toThrow("topic");
      await expect(client.getPrompt({ name: "toString" })).rejects.toThrow("no prompt");
    },
  );

  it("are left out with crewPrompts: false", async () => {
    const { json } = await new McpWorld({ expose: "all", crewPrompts: false }).rpc("prompts/list");
    expect(json).toMatchObject({ result: { prompts: [] } });
  });
});

describe("prompts of the options", () => {
  it("ask the client, and complete arguments", async () => {
    const schema = { type: "object", properties: { tone: { type: "string" } }, required: ["tone"] };
    const world = new McpWorld({
      prompts: [
        {
          name: "letter",
          arguments: [
            { name: "to", complete: (typed) => ["Ada", "Alan"].filter((n) => n.startsWith(typed)) },
          ],
          get: async ({ to = "you" }, { ask }) => {
            const { content } = await ask("tone", { form: { message: "Tone?", schema } });
            return `Write to ${to}, ${(content as { tone: string }).tone}`;
          },
        },
      ],
    });
    const capabilities = { elicitation: {} };
    const sent = { name: "letter", arguments: { to: "Ada" } };
    const asked = await world.rpc("prompts/get", sent, { capabilities });
    expect(asked.json).toMatchObject({
      result: {
        resultType: "input_required",
        inputRequests: { tone: { method: "elicitation/create" } },
      },
    });
    const wrong = { ...sent, inputResponses: { tone: { action: "accept", content: {} } } };
    expect((await world.rpc("prompts/get", wrong as never, { capabilities })).json).toMatchObject({
      result: { resultType: "input_required" },
    });
    const client = await world.connect({ capabilities });
    client.setRequestHandler("elicitation/create", () => ({
      action: "accept" as const,
      content: { tone: "kindly" },
    }));
    const { messages } = await client.getPrompt(sent);
    expect(messages).toMatchObject([{ content: { text: "Write to Ada, kindly" } }]);
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "letter" },
      argument: { name: "to", value: "Al" },
    });
    expect(completion.values).toEqual(["Alan"]);
    expect((await world.rpc("prompts/get", sent)).json).toMatchObject({ error: { code: -32021 } });
  });
});
