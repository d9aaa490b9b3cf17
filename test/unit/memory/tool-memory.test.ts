// `context.memory` of tools.
import { expect, it } from "vitest";
import * as z from "zod";
import { inMemoryStorage } from "../../../src/memory/in-memory-records.ts";
import { Memory } from "../../../src/memory/memory.ts";
import { memoryService } from "../../../src/memory/make-memory-service.ts";
import { tool } from "../../../src/tools/tool.ts";
import { calling, runCrewToEnd, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { cutAfterEveryWrite, type Subject } from "../../support/cut-off.ts";
import { COMPLETE, memoryScript, saidEmbedder } from "../../support/memory-harness.ts";

const note = tool({
  name: "note",
  description: "Notes.",
  input: z.object({ text: z.string() }),
  run: async ({ text }, { memory }) => {
    const record = await memory.remember(text, {
      ...COMPLETE,
      source: "tool",
      metadata: { by: 1 },
    });
    await memory.rememberMany([`${text} more axis=7`, `${text} again axis=8`], COMPLETE);
    const found = await memory.recall(text, { depth: "shallow", limit: 1 });
    return `${record?.content}; ${found.length}`;
  },
});

function agentThatNotes() {
  return scriptedAgent(
    ({ messages }) =>
      messages.at(-1)?.role === "tool" ? "Done" : calling("note", { text: "tea axis=3" }),
    { role: "Clerk", tools: [note] },
  );
}

it("TM1: saves exactly once, wherever the run is cut off", async () => {
  const storages: ReturnType<typeof inMemoryStorage>[] = [];
  const { whole, cut } = await cutAfterEveryWrite((): Subject => {
    const storage = inMemoryStorage();
    storages.push(storage);
    const llm = memoryScript({ extraction: { memories: [] } });
    const memory = new Memory({ llm, embedder: saidEmbedder(), rootScope: "/desk" });
    const program = soloCrew(agentThatNotes().agent, { crew: { memory } }).program();
    return { program, services: { memory: storage } };
  });
  expect(whole.run.status).toBe("completed");
  expect(cut.length).toBeGreaterThan(10);
  for (const storage of storages) {
    const { items } = await storage.records.list({}, { limit: 100 });
    expect(items.map(({ content }) => content).toSorted()).toEqual([
      "tea axis=3",
      "tea axis=3 again axis=8",
      "tea axis=3 more axis=7",
    ]);
    expect(new Set(items.map(({ scope }) => scope))).toEqual(new Set(["/desk/agent/clerk"]));
    expect(items.find(({ content }) => content === "tea axis=3")).toMatchObject({ source: "tool" });
  }
});

it("is the person's in a run of a person, and its source cannot be changed", async () => {
  const service = memoryService({ embedder: saidEmbedder() });
  const llm = memoryScript({ extraction: { memories: [] } });
  const crew = soloCrew(agentThatNotes().agent, { crew: { memory: { scope: "person", llm } } });
  await crew.kickoff({ services: { memory: service, person: "anna" } });
  const { items } = await service.records.list({}, { limit: 10 });
  expect(items).toHaveLength(3);
  for (const item of items)
    expect(item).toMatchObject({ scope: "/person/anna", source: "person:anna", private: true });
});

it("fails for an agent without memory, naming the option", async () => {
  const { kept } = await runCrewToEnd(soloCrew(agentThatNotes().agent));
  expect(JSON.stringify(kept("tool_usage_error", "tool_usage_finished"))).toContain(
    'agent \\"Clerk\\" has no memory: set memory on the agent or its crew',
  );
});
