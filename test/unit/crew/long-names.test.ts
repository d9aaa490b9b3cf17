// Roles and names of any length: identifiers made of them are shortened.
import { expect, it } from "vitest";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { knowledgeService } from "../../../src/entry/knowledge.ts";
import { memoryService } from "../../../src/entry/memory.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { scriptedAgent, taskFor } from "../../support/crew-harness.ts";

const SERVICES = () => ({
  files: new InMemoryFileStore(),
  knowledge: knowledgeService(),
  memory: memoryService(),
});
const LONG = "Researcher of many things ".repeat(40);

it.each([
  ["knowledge of an agent", { knowledgeSources: [{ source_type: "string", content: "tea" }] }],
  ["memory of an agent", { memory: true }],
] as const)("a long role runs with %s", async (_, options) => {
  const { agent } = scriptedAgent(() => "done", { role: LONG, ...options });
  const crew = new Crew({ name: LONG, tasks: [taskFor(agent)] });
  const run = crew.start({ services: SERVICES() });
  const types: string[] = [];
  for await (const { type } of run.events()) types.push(type);
  expect((await run.output()).raw).toBe("done");
  expect(types.filter((type) => type.endsWith("_failed"))).toEqual([]);
});

it("a crew of a long name remembers", async () => {
  const { agent } = scriptedAgent(() => "done", { role: LONG });
  const run = new Crew({ name: LONG, memory: true, tasks: [taskFor(agent)] }).start({
    services: SERVICES(),
  });
  const types: string[] = [];
  for await (const { type } of run.events()) types.push(type);
  await run.output();
  expect(types).not.toContain("memory_save_failed");
});
