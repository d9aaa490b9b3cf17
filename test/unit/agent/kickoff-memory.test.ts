// Agents that work alone, and what they remember and know.
import { expect, it } from "vitest";
import { Knowledge } from "../../../src/knowledge/knowledge.ts";
import { knowledgeService } from "../../../src/knowledge/make-knowledge-service.ts";
import { Memory } from "../../../src/memory/memory.ts";
import { memoryService } from "../../../src/memory/make-memory-service.ts";
import { inMemoryStorage } from "../../../src/memory/in-memory-records.ts";
import { asksForQuery, lastTold, scriptedAgent } from "../../support/crew-harness.ts";
import { analysisOf, COMPLETE, memoryScript, saidEmbedder } from "../../support/memory-harness.ts";

it("recalls up to twenty memories for the conversation, and saves the request and the answer", async () => {
  const storage = inMemoryStorage();
  const model = memoryScript({
    extraction: (text) => ({ memories: [text] }),
    analysis: analysisOf("/notes"),
    exploration: "nothing",
  });
  const memory = new Memory({ llm: model, embedder: saidEmbedder(), storage, rootScope: "/desk" });
  for (let index = 0; index < 25; index++) await memory.remember(`fact ${index} cos=0.9`, COMPLETE);
  const { agent, model: own } = scriptedAgent(["Salt"], { memory });
  const { raw } = await agent.kickoff([
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi" },
    { role: "user", content: "What is in the sea?" },
  ]);
  expect(raw).toBe("Salt");
  expect(lastTold(own, 0)).toMatch(/^What is in the sea\?\n\nWhat you remember/);
  expect(lastTold(own, 0).match(/- \(score=/g)).toHaveLength(20);
  const extraction = model.calls[model.kinds().indexOf("extraction")];
  expect(extraction?.request.messages.at(-1)?.content).toBe(
    "<text>\nAsked: Hello\nHi\nWhat is in the sea?\n\nAnswered by: Researcher\n\nAnswer:\nSalt\n</text>",
  );
  const { items } = await storage.records.list({ scope: "/desk/agent/researcher" }, { limit: 9 });
  expect(items).toHaveLength(1);
});

it("has a place of its own in a deployment", async () => {
  const [memory, knowledge] = [
    memoryService({ embedder: "offline/hash-embed" }),
    knowledgeService({ embedder: "offline/hash-embed" }),
  ];
  const { agent, model } = scriptedAgent(
    ({ messages, responseSchema }) =>
      responseSchema === undefined
        ? asksForQuery({ messages })
          ? "the sea"
          : "Salt"
        : JSON.stringify({ memories: ["The sea is salty"] }),
    { role: "Sea Expert", memory: true, knowledgeSources: [{ name: "a", text: "On the sea" }] },
  );
  await agent.kickoff("What is in the sea?", { services: { memory, knowledge } });
  const { items } = await memory.records.list({}, { limit: 9 });
  expect(items.map(({ scope }) => scope)).toEqual(["/agent/sea-expert"]);
  expect(await knowledge.store.info("agent/Sea Expert")).toMatchObject({ documents: 1 });
  expect(lastTold(model, 1)).toContain("[a, line 1]\nOn the sea");
});

it("runs its guardrail again with its memories", async () => {
  const knowledge = new Knowledge({ sources: [{ name: "a", text: "On the sea" }] });
  let asked = 0;
  const { agent, model } = scriptedAgent(
    ({ messages }) => (asksForQuery({ messages }) ? "the sea" : "Salt"),
    { knowledge, guardrail: () => (++asked === 1 ? [false, "more"] : [true, "Salt"]) },
  );
  await agent.kickoff("What is in the sea?");
  expect(asked).toBe(2);
  expect(model.calls.filter(({ request }) => asksForQuery(request))).toHaveLength(1);
});

it("does not share a memory with its own storage between tenants, and warns in the run", async () => {
  const storage = inMemoryStorage();
  const memory = new Memory({
    llm: memoryScript({ extraction: (text) => ({ memories: [text] }) }),
    embedder: saidEmbedder(),
    storage,
  });
  await memory.remember("a secret cos=0.9", { ...COMPLETE, scope: "/" });
  const { agent, model } = scriptedAgent(["Salt"], { memory });
  const run = agent.start("What do you know?", { services: { tenant: "beta" } });
  await run.output();
  expect(lastTold(model, 0)).not.toContain("secret");
  expect(await storage.records.list({}, { limit: 9 })).toMatchObject({ items: [{}] });
  const events: unknown[] = [];
  for await (const event of run.events()) events.push(event);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "memory_retrieval_failed",
      error: expect.stringContaining('cannot be shared by tenant "beta"'),
    }),
  );
});
