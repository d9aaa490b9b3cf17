import { describe, expect, it } from "vitest";
import { Memory } from "../../../src/memory/memory.ts";
import { memoryService } from "../../../src/memory/make-memory-service.ts";
import type { ResetType } from "../../../src/crew/crew-sources.ts";
import { scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { COMPLETE, saidEmbedder } from "../../support/memory-harness.ts";

const { agent } = scriptedAgent([]);

async function filled() {
  const memory = new Memory({ embedder: saidEmbedder() });
  await memory.remember("a axis=1", { ...COMPLETE, scope: "/sea" });
  await memory.remember("b axis=2", { ...COMPLETE, scope: "/tea" });
  const left = async () => (await memory.listRecords()).items.map(({ content }) => content);
  return { memory, left };
}

describe("resetMemories", () => {
  it.each<ResetType>(["memory", "long", "short", "entity", "external", "all"])(
    "empties a whole memory for %s",
    async (type) => {
      const { memory, left } = await filled();
      await soloCrew(agent, { crew: { memory } }).resetMemories(type);
      expect(await left()).toEqual([]);
    },
  );

  it("deletes only a scope's memories", async () => {
    const { memory, left } = await filled();
    await soloCrew(agent, { crew: { memory: memory.scope("/sea") } }).resetMemories("memory");
    expect(await left()).toEqual(["b axis=2"]);
  });

  it("deletes the crew's own root in a deployment, and no other memories", async () => {
    const service = memoryService({ embedder: "offline/hash-embed" });
    const { create } = service;
    await create({ path: ["crew", "solo"] }).remember("mine", COMPLETE);
    await create({ path: ["crew", "other"] }).remember("theirs", COMPLETE);
    const crew = soloCrew(agent, { crew: { memory: true } });
    await crew.resetMemories("memory", { services: { memory: service } });
    const { items } = await service.records.list({}, { limit: 9 });
    expect(items.map(({ content }) => content)).toEqual(["theirs"]);
  });

  it("refuses a slice, and a read-only memory", async () => {
    const { memory } = await filled();
    const slice = memory.slice({ scopes: ["/sea"], readOnly: false });
    await expect(
      soloCrew(agent, { crew: { memory: slice } }).resetMemories("memory"),
    ).rejects.toThrow("a slice of a memory cannot be reset");
    const read = new Memory({ readOnly: true });
    await expect(soloCrew(agent, { crew: { memory: read } }).resetMemories("all")).rejects.toThrow(
      "this memory is read-only",
    );
  });

  it.each([
    ["memory", "has no memory that could be reset"],
    ["knowledge", "has no knowledge that could be reset"],
    ["agent_knowledge", "has no agent_knowledge that could be reset"],
    ["everything", "type must be one of long, short"],
  ])("refuses %s for a crew without it", async (type, message) => {
    await expect(soloCrew(agent).resetMemories(type as ResetType)).rejects.toThrow(message);
  });

  it("does no work for outputs, nor for all of an empty crew", async () => {
    const crew = soloCrew(agent);
    await expect(crew.resetMemories("kickoff_outputs")).resolves.toBeUndefined();
    await expect(crew.resetMemories("all")).resolves.toBeUndefined();
  });
});
