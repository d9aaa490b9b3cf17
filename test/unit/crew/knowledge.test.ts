// Crews whose agents know documents: what is looked for, what is told, and what is whose.
import { EngineError } from "../../../src/base/error.ts";
import { describe, expect, it } from "vitest";
import { Knowledge } from "../../../src/knowledge/knowledge.ts";
import { knowledgeService } from "../../../src/knowledge/make-knowledge-service.ts";
import type { AgentOptions } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import type { CrewOptions } from "../../../src/crew/crew-options.ts";
import type { RunEvent } from "../../../src/events/run-event.ts";
import { citedText } from "../../../src/knowledge/cited-text.ts";
import type { Snippet } from "../../../src/knowledge/knowledge-query.ts";
import type { ModelRequest } from "../../../src/llm/language-model.ts";
import {
  asksForQuery,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  taskFor,
} from "../../support/crew-harness.ts";
import { countingEmbedder } from "../../support/knowledge-world.ts";

const SEA = {
  name: "sea.md",
  text: "# Tides\nThe tide comes at noon.\n# Salt\nSea water is salty.",
};
const TEA = { name: "tea.csv", text: "kind,minutes\ngreen tide,3\nblack tide,5" };

/** Says what to search for, and what to answer. */
const searching =
  (query = "when does the tide come", answer = "At noon") =>
  ({ messages }: ModelRequest) =>
    asksForQuery({ messages }) ? query : answer;

function agentThat(options: Partial<AgentOptions> = {}, query?: string) {
  return scriptedAgent(searching(query), options);
}

const offline = () => knowledgeService({ embedder: "offline/hash-embed" });

async function runWith(
  crew: Crew,
  services = { knowledge: offline() },
): Promise<readonly RunEvent[]> {
  const handle = crew.start({ services, id: "run-1" });
  const events: RunEvent[] = [];
  const heard = (async () => {
    for await (const event of handle.events()) if ("seq" in event) events.push(event);
  })();
  await handle.output();
  await heard;
  return events;
}

describe("before a task", () => {
  it("adds the found pieces after the task, with their headings", async () => {
    const { agent, model } = agentThat({ knowledge: new Knowledge({ sources: [SEA] }) });
    await runCrewToEnd(soloCrew(agent, { description: "Say when to swim" }));
    expect(lastTold(model, 0)).toContain("<task>\nSay when to swim\n");
    expect(lastTold(model, 1)).toMatch(
      /^Say when to swim[^]*Expected result: A result\n\nAdditional Information: [^]*<knowledge>\n\[sea.md, Tides\]\n# Tides\nThe tide comes at noon\.\n/,
    );
  });

  it("AS1: adds the agent's own first, then the crew's, by the same query", async () => {
    const { agent, model } = agentThat({ knowledge: new Knowledge({ sources: [TEA] }) }, "tide");
    const knowledge = new Knowledge({ sources: [SEA] });
    const { kept } = await runCrewToEnd(soloCrew(agent, { crew: { knowledge } }));
    const told = lastTold(model, 1);
    expect(told.indexOf("[tea.csv")).toBeGreaterThan(0);
    expect(told.indexOf("[tea.csv")).toBeLessThan(told.indexOf("[sea.md"));
    expect(told.match(/Additional Information/g)).toHaveLength(2);
    expect(kept("knowledge_query_completed")).toMatchObject([{ query: "tide" }]);
    expect(
      kept("knowledge_search_query_started").map((event) => (event as { query?: string }).query),
    ).toEqual(["tide", "tide"]);
  });

  const lines = Array.from({ length: 9 }, (_, index) => ({
    name: `${index}.txt`,
    text: `The tide of day ${index}`,
  }));
  const count = (text: string): number => text.match(/The tide of day/g)?.length ?? 0;

  it.each<[string, { agent?: Partial<AgentOptions>; crew?: Partial<CrewOptions> }, number]>([
    ["five pieces of the agent's", { agent: { knowledgeSources: lines } }, 5],
    ["three pieces of the crew's", { crew: { knowledgeSources: lines } }, 3],
    [
      "the agent's number of pieces",
      { agent: { knowledgeConfig: { resultsLimit: 7 } }, crew: { knowledgeSources: lines } },
      7,
    ],
    [
      "the crew's number of pieces",
      { crew: { knowledgeSources: lines, knowledgeConfig: { resultsLimit: 2 } } },
      2,
    ],
  ])("adds %s", async (_, { agent: options = {}, crew = {} }, expected) => {
    const { agent, model } = agentThat(options, "the tide of day");
    await runWith(soloCrew(agent, { crew }));
    expect(count(lastTold(model, 1))).toBe(expected);
  });

  it("adds only pieces above the threshold", async () => {
    const asked = async (knowledgeConfig: object): Promise<string> => {
      const { agent, model } = agentThat(
        { knowledgeSources: lines, knowledgeConfig },
        "tidal days",
      );
      await runWith(soloCrew(agent));
      return lastTold(model, 1);
    };
    expect(await asked({ scoreThreshold: 0.01 })).toContain("Additional Information");
    expect(await asked({ scoreThreshold: 0.99 })).not.toContain("Additional Information");
  });

  it("searches for the task itself when rewording is off", async () => {
    const { agent, model } = scriptedAgent(["At noon"], {
      knowledge: new Knowledge({ sources: [SEA] }),
      knowledgeConfig: { rewrite: false, scoreThreshold: 0.1 },
    });
    const { kept } = await runCrewToEnd(soloCrew(agent, { description: "When comes the tide?" }));
    expect(model.calls).toHaveLength(1);
    expect(lastTold(model, 0)).toContain("The tide comes at noon");
    expect(kept("knowledge_query_started")).toEqual([]);
  });

  it("asks for the query in the crew's own words, also under CrewAI's names", async () => {
    const { agent, model } = scriptedAgent(() => "tide", {
      knowledge: new Knowledge({ sources: [SEA] }),
    });
    const slices = {
      knowledge_search_query: "FIND {task_prompt}",
      knowledge_search_query_system_prompt: "BE SHORT",
    } as object;
    await runCrewToEnd(soloCrew(agent, { crew: { prompts: { slices } } }));
    expect(model.calls[0]?.request.messages.map(({ content }) => content)).toEqual([
      "BE SHORT",
      expect.stringMatching(/^FIND Do the work/),
    ]);
  });

  it("KW1: continues without knowledge, when the query cannot be written", async () => {
    const model = ({ messages }: ModelRequest) =>
      asksForQuery({ messages }) ? ("  " as never) : "At noon";
    const { agent } = scriptedAgent(model, { knowledge: new Knowledge({ sources: [SEA] }) });
    const { kept, result } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("At noon");
    expect(kept("knowledge_query_failed")).toHaveLength(1);
    expect(kept("knowledge_search_query_started")).toEqual([]);
  });

  it("KW2: continues without knowledge, when the search fails", async () => {
    const service = offline();
    const { agent } = agentThat({ knowledge: "handbook" });
    const store = new Proxy(service.store, {
      get: () => () => Promise.reject(new Error("the store is gone")),
    });
    const events = await runWith(soloCrew(agent), { knowledge: { ...service, store } });
    expect(events.at(-1)?.type).toBe("run_completed");
    expect(events.filter(({ type }) => type === "knowledge_search_query_failed")).toMatchObject([
      { collection: "handbook", error: "the store is gone" },
    ]);
  });
});

describe("at the start of a run", () => {
  it("embeds new documents, and reads the rest once", async () => {
    const embedder = countingEmbedder();
    const service = knowledgeService({ embedder });
    const { agent } = agentThat();
    const crew = soloCrew(agent, { crew: { knowledgeSources: [SEA] } });
    await runWith(crew, { knowledge: service });
    const first = embedder.embedded.length;
    const events = await runWith(crew, { knowledge: service });
    expect(embedder.embedded.length - first).toBe(1); // the question
    expect(events.filter(({ type }) => type === "knowledge_document_completed")).toMatchObject([
      { collection: "crew/solo", document: "sea.md", embedded: 0 },
    ]);
  });

  it("AS2: fails before the first task, naming the unreadable document", async () => {
    const { agent, model } = agentThat();
    const knowledge = new Knowledge({ sources: [{ name: "gone.txt", path: "gone.txt" }] });
    const { error } = await runCrewToFailure(soloCrew(agent, { crew: { knowledge } }));
    expect(error.message).toContain('document "gone.txt"');
    expect(model.calls).toHaveLength(0);
  });

  it.each([
    [{ knowledgeSources: [SEA] }, "knowledgeSources"],
    [{ knowledge: "handbook" }, "knowledge by name"],
  ])("fails when %j has no service, and names the remedy", async (options, what) => {
    const { agent } = agentThat(options);
    const { error } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({ code: "invalid_definition" });
    expect(error.message).toContain(what);
    expect(error.message).toContain("services.knowledge");
  });
});

describe("collections of knowledge", () => {
  it.each([
    ["unavailable", false], // the wait for it is over
    ["model_failed", true],
    ["model_unauthorized", false],
  ] as const)(
    "fail with %s when their embedder does, which is not the document's fault",
    async (code, retryable) => {
      const embedder = {
        ...countingEmbedder(),
        embed: () => Promise.reject(new EngineError(code, "no answer", { retryable })),
      };
      const { agent } = agentThat({ knowledge: new Knowledge({ sources: [SEA], embedder }) });
      const { error } = await runCrewToFailure(soloCrew(agent));
      expect(error).toMatchObject({ code, retryable });
      expect(error.message).toContain('document "sea.md": no answer');
    },
  );

  it("are separate for crews and agents, and shared under one name", async () => {
    const knowledge = offline();
    const first = agentThat({ role: "First", knowledgeSources: [SEA] });
    const second = agentThat({ role: "Second", knowledge: "handbook" });
    const tasks = [taskFor(first.agent), taskFor(second.agent)];
    const handbook = new Knowledge({ name: "handbook", sources: [SEA] });
    await runWith(new Crew({ name: "desk", tasks, knowledge: handbook }), { knowledge });
    await runWith(
      new Crew({ name: "other", tasks: [taskFor(first.agent)], knowledgeSources: [TEA] }),
      { knowledge },
    );
    const names = (await knowledge.store.collections({ limit: 10 })).map(({ name }) => name);
    expect(names).toEqual([
      "crew/desk/agent/First",
      "crew/other",
      "crew/other/agent/First",
      "handbook",
    ]);
    expect(lastTold(second.model, 1)).toContain("[sea.md, Tides]");
  });

  it("are deleted on demand: the agents' alone, or all", async () => {
    const knowledge = offline();
    const { agent } = agentThat({ knowledgeSources: [SEA] });
    const crew = soloCrew(agent, { crew: { knowledgeSources: [TEA] } });
    await runWith(crew, { knowledge });
    const names = async (): Promise<readonly string[]> =>
      (await knowledge.store.collections({ limit: 10 })).map(({ name }) => name);
    await crew.resetMemories("agent_knowledge", { services: { knowledge } });
    expect(await names()).toEqual(["crew/solo"]);
    await crew.resetMemories("knowledge", { services: { knowledge } });
    expect(await names()).toEqual([]);
  });
});

it("KW3: a piece names document, page, sheet, row and headings", () => {
  const snippet = {
    document: { id: "1", name: "a.xlsx" },
    page: 2,
    sheet: "S",
    row: 3,
    heading: "H",
  };
  expect(citedText({ ...snippet, text: " text\n" } as unknown as Snippet)).toBe(
    "[a.xlsx, page 2, sheet S, row 3, H]\ntext",
  );
});

describe("Knowledge without a crew", () => {
  it("is added, queried and forgotten in a process of its own", async () => {
    const knowledge = new Knowledge({ sources: [SEA], chunking: { rule: "markdown", size: 60 } });
    await knowledge.addSources();
    const [best] = await knowledge.query("when does the tide come", { scoreThreshold: 0.1 });
    expect(best).toMatchObject({ document: { name: "sea.md" }, heading: "Tides" });
    await knowledge.reset();
    await expect(knowledge.query("tide")).rejects.toMatchObject({ code: "conflict" });
  });

  it("refuses a query before any source has been added, and names addSources()", async () => {
    const knowledge = new Knowledge({ name: "sea", sources: [SEA] });
    await expect(knowledge.query("when does the tide come")).rejects.toThrow(
      'knowledge "sea" has no documents yet: await addSources()',
    );
    expect(await new Knowledge({ sources: [] }).query("tide")).toEqual([]);
    await knowledge.addSources();
    expect(await knowledge.query("nothing like it", { scoreThreshold: 1 })).toEqual([]);
  });

  it("names an unreadable document once, and its possible readers", async () => {
    const knowledge = new Knowledge({
      name: "shop",
      sources: [{ name: "prices.pdf", base64: "AAAA", mediaType: "application/pdf" }],
    });
    await expect(knowledge.addSources()).rejects.toThrow(
      /^knowledge "shop" cannot be indexed: document "prices.pdf": no reader for application\/pdf: DOCUMENT_READERS of edgecrew\/knowledge\/readers does/,
    );
  });

  it.each([
    [{ sources: "a" as never }, "knowledge.sources must be a list"],
    [{ sources: [{ name: "x" }] as never }, "must have one of text, path, url and base64"],
    [{ name: " ", sources: [] }, "knowledge.name must be a text"],
  ])("refuses %j", (options, message) => {
    expect(() => new Knowledge(options)).toThrow(message);
  });
});
