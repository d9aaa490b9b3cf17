import { describe, expect, it } from "vitest";
import { Knowledge } from "../../../src/knowledge/knowledge.ts";
import { knowledgeTool } from "../../../src/knowledge/knowledge-tool.ts";
import { calling, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { runWhole } from "../../support/cut-off.ts";

const manual = () =>
  new Knowledge({
    name: "manual",
    sources: [
      { name: "kettle.md", text: "# Kettle\n\n## Lid\nThe lid has the order number 99-1874-B.\n" },
    ],
  });

async function asked(args: object, options: object = {}) {
  const tools = [knowledgeTool({ knowledge: manual(), ...options })];
  const { agent } = scriptedAgent([calling("knowledge_base", { ...args }), "done"], { tools });
  const { events } = await runWhole({ program: soloCrew(agent).program() });
  return events.find(({ type }) => type.startsWith("tool_usage_") && !type.endsWith("started"));
}

describe("knowledgeTool", () => {
  it("finds passages of the documents with their place", async () => {
    expect(await asked({ query: "99-1874-B" })).toMatchObject({
      type: "tool_usage_finished",
      toolName: "knowledge_base",
      output: expect.stringMatching(/^Relevant Content:\n[^]*kettle\.md[^]*99-1874-B/),
    });
  });

  it("reports no relevant content without a match", async () => {
    expect(await asked({ query: "the moons of Jupiter" })).toMatchObject({
      output: "Relevant Content:\nNo relevant content found.",
    });
  });

  it("lets the agent say how near, and how much", async () => {
    const vague = { query: "which cover does my boiler need, to order" };
    expect(await asked({ ...vague, similarity_threshold: 0.6 })).toMatchObject({
      output: expect.stringContaining("No relevant"),
    });
    expect(await asked({ ...vague, similarity_threshold: 0, limit: 1 })).toMatchObject({
      output: expect.stringContaining("99-1874-B"),
    });
  });

  it("refuses knowledge without a name", () => {
    expect(() => knowledgeTool({ knowledge: new Knowledge({ sources: [] }) })).toThrow(
      /must have a name/,
    );
  });
});
