// Memory of a person: across runs, crews, agents, flows and conversations, and never of another person.
import { describe, expect, it } from "vitest";
import { defineFlow } from "../../../src/flow/index.ts";
import { inMemoryStorage } from "../../../src/memory/in-memory-records.ts";
import { memoryService } from "../../../src/memory/make-memory-service.ts";
import { Memory } from "../../../src/memory/memory.ts";
import type { MemoryConfig } from "../../../src/memory/memory-service.ts";
import { isInScope } from "../../../src/memory/memory-path.ts";
import { memoryOwner } from "../../../src/memory/person-scope.ts";
import { scripted } from "../../support/conversations.ts";
import { lastTold, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { analysisOf, COMPLETE, memoryScript, saidEmbedder } from "../../support/memory-harness.ts";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";

const PEOPLE = ["anna", "auth0|5f7/../bert"] as const;

/** A deployment whose memory model draws the fact of an answer. Facts of all people are equally near every question. */
function deployment() {
  const storage = inMemoryStorage();
  const llm = memoryScript({
    extraction: (text) => ({ memories: [/fact \d+ of \S+ cos=0\.9/.exec(text)?.[0] ?? "nothing"] }),
    analysis: analysisOf("/notes"),
    exploration: "nothing",
  });
  const service = memoryService({ storage, embedder: saidEmbedder() });
  const memory: MemoryConfig = { scope: "person", llm, minScore: 0.5 };
  return { storage, service, memory };
}

describe('memory: { scope: "person" }', () => {
  it("spans runs, crews, agents, flows and conversations, with no record of another person", async () => {
    const { storage, service, memory } = deployment();
    const told = new Map<string, string[]>(PEOPLE.map((id) => [id, []]));
    let facts = 0;
    for (const round of [1, 2, 3])
      for (const person of PEOPLE) {
        const services = { memory: service, person };
        const name = person.slice(-4);
        const fact = (): string => `fact ${++facts} of ${name} cos=0.9`;
        const hear = (...texts: string[]): void => void told.get(person)?.push(...texts);
        const clerk = scriptedAgent([fact()], { role: `Clerk ${round}` });
        const crew = soloCrew(clerk.agent, { description: "base", crew: { memory } });
        await crew.kickoff({ services });
        hear(lastTold(clerk.model, 0));
        const alone = scriptedAgent([fact()], { role: "Alone", memory });
        await alone.agent.kickoff("base", { services });
        hear(lastTold(alone.model, 0));
        const flow = defineFlow({
          name: `flow ${round}`,
          memory,
          methods: {
            go: {
              start: true,
              run: async ({ remember, recall }) => {
                await remember(fact(), COMPLETE);
                return (await recall("base", { limit: 50 })).map(({ record }) => record.content);
              },
            },
          },
        });
        const { value } = await flow.kickoff({ services });
        hear(...(value as string[]));
        const asked: string[] = [];
        const helper = scripted(
          "helper",
          ({ messages }) => {
            asked.push(messages.map(({ content }) => content).join("\n"));
            return fact();
          },
          { memory },
        );
        const user = new ConversableAgent({ name: "user", humanInputMode: "NEVER", llm: false });
        await user.initiateChat(helper, { message: "base", maxTurns: 1 }, { services });
        hear(...asked);
      }
    const { items } = await storage.records.list({}, { limit: 1000 });
    expect(items).toHaveLength(facts);
    for (const [index, person] of PEOPLE.entries()) {
      const [name, other] = [person.slice(-4), PEOPLE[1 - index]?.slice(-4)];
      const all = told.get(person)?.join("\n") ?? "";
      expect(all).toContain(`of ${name}`);
      expect(all).not.toContain(`of ${other}`);
      const { scope, source } = memoryOwner(person);
      const own = items.filter(({ content }) => content.includes(`of ${name}`));
      expect(own).toHaveLength(facts / 2);
      for (const record of own) expect(record).toMatchObject({ scope, source, private: true });
      // The flow of the last round recalls every fact before it.
      expect(new Set(all.match(/fact \d+/g)).size).toBe(own.length - 1);
    }
  });

  it("fails without a person, naming the field", async () => {
    const { service, memory } = deployment();
    const { agent } = scriptedAgent(["x"]);
    const crew = soloCrew(agent, { crew: { memory } });
    await expect(crew.kickoff({ services: { memory: service } })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("pass person with its start") as string,
    });
  });

  it("MPS2: is left out of recalls of the whole memory, and of their lists of categories", async () => {
    const { storage, service } = deployment();
    const whole = new Memory({ storage, embedder: saidEmbedder() });
    await whole.person("anna").remember("base", { ...COMPLETE, categories: ["secret"] });
    expect(await whole.recall("base", { depth: "shallow" })).toEqual([]);
    expect(await whole.recall("base", { depth: "shallow", source: "anna" })).toEqual([]);
    expect(await whole.person("anna").recall("base", { depth: "shallow" })).toHaveLength(1);
    const options = { path: ["x"], config: {}, person: "anna" };
    expect(await service.create(options).recall("base", { depth: "shallow" })).toHaveLength(1);
    const viewer = { visibleTo: null };
    expect(await whole.listCategories("/", viewer)).toEqual({});
    expect((await whole.info("/", viewer)).recordCount).toBe(0);
    expect(await whole.tree("/", 3, viewer)).not.toContain("person");
  });
});

describe("memoryOwner", () => {
  const ids = [
    "anna",
    "Anna",
    "аnna",
    "ann",
    "anna-",
    "anna/bert",
    "anna/../bert",
    "bert",
    "..",
    ".",
    "/",
    "//",
    "/person/anna",
    "anna\u200b",
    "ａｎｎａ",
    "ａｎｎａ/",
    "\u00e9",
    "e\u0301",
    "日本語",
    "👩‍👩‍👧",
    "אנה",
    "x".repeat(64),
    "x".repeat(65),
    "x".repeat(256),
    `${"x".repeat(255)}y`,
    "anna-0123456789abcdef0123456789abcdef",
    "auth0|1",
    "auth0-1",
    "auth0 1",
    "%2e%2e",
    "a_b",
  ];

  it("MPS1: gives each id a scope of its own, none within another, and keeps plain ids", () => {
    const distinct = [...new Set(ids)];
    const owners = distinct.map(memoryOwner);
    expect(new Set(owners.map(({ scope }) => scope)).size).toBe(distinct.length);
    expect(new Set(owners.map(({ source }) => source)).size).toBe(distinct.length);
    for (const { scope } of owners) {
      expect(scope).toMatch(/^\/person\/[a-z0-9_-]{1,64}$/);
      expect(owners.filter((other) => isInScope(scope, other.scope))).toHaveLength(1);
    }
    expect(memoryOwner("anna")).toEqual({ scope: "/person/anna", source: "person:anna" });
    // The scope of a hashed id is no plain id of another person.
    for (const { scope } of owners.filter((_, index) => distinct[index] === "Anna"))
      expect(memoryOwner(scope.slice("/person/".length)).scope).not.toBe(scope);
  });

  it.each(["", " anna", "anna ", "a\nb", "a\u0000b", "x".repeat(257), "\ud800", 7, undefined])(
    "refuses %j",
    (id) => {
      expect(() => memoryOwner(id as string)).toThrow("person must be a text of 1 to 256");
    },
  );
});
