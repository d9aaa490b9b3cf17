// A crew that remembers and knows, whose process is gone after any of its writes: it goes on as if nothing had happened.
import { expect, it } from "vitest";
import { Knowledge } from "../../../src/knowledge/knowledge.ts";
import { knowledgeService } from "../../../src/knowledge/make-knowledge-service.ts";
import { Memory } from "../../../src/memory/memory.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { inMemoryStorage } from "../../../src/memory/in-memory-records.ts";
import { asksForQuery, calling, scriptedAgent, taskFor } from "../../support/crew-harness.ts";
import { cutAfterEveryWrite, type Course, type Subject } from "../../support/cut-off.ts";
import { analysisOf, memoryScript, saidEmbedder } from "../../support/memory-harness.ts";

/** A batch of chunks that is done again finds them embedded (KI3). */
function uncounted({ events, ...course }: Course): Course {
  return { ...course, events: events.map((event) => event.replace(/"embedded":\d+/, "")) };
}

it("MK3, CM1: saves beside the run are the same, wherever it was cut off", async () => {
  const { whole, cut } = await cutAfterEveryWrite((): Subject => {
    const storage = inMemoryStorage();
    const filer = memoryScript({
      extraction: (text) => ({
        memories: [`learned ${/Result:\n(.*)/.exec(text)?.[1] ?? text}`, "also axis=20"],
      }),
      analysis: analysisOf("/notes", 0.7),
      exploration: "nothing",
      consolidation: { actions: [], insert_new: false, insert_reason: "is there" },
    });
    const memory = new Memory({ llm: filer, embedder: saidEmbedder(), storage, recencyWeight: 0 });
    const knowledge = new Knowledge({
      sources: [{ name: "sea.md", text: "# Tide\nIt comes at noon." }],
    });
    const first = scriptedAgent(
      ({ messages }) =>
        messages.at(-1)?.role === "tool"
          ? "Salt axis=4"
          : asksForQuery({ messages })
            ? "tide noon"
            : calling("save_to_memory", { contents: ["mine axis=8", "yours axis=9"] }),
      { role: "First", knowledge },
    );
    const second = scriptedAgent(() => "Done axis=5", { role: "Second" });
    const crew = new Crew({
      name: "sea",
      memory,
      tasks: [taskFor(first.agent), taskFor(second.agent, { description: "axis=4" })],
    });
    const program = crew.program();
    return {
      services: {
        memory: storage,
        knowledge: knowledgeService({ embedder: "offline/hash-embed" }),
      },
      program: {
        ...program,
        run: async (scope, inputs) => {
          const output = await program.run(scope, inputs);
          const { items } = await storage.records.list({}, { limit: 100 });
          return { output, stored: items.map(({ content }) => content).toSorted() };
        },
      },
    };
  });
  expect(whole.run.output).toMatchObject({
    stored: [
      "also axis=20",
      "learned Done axis=5",
      "learned Salt axis=4",
      "mine axis=8",
      "yours axis=9",
    ],
  });
  expect(whole.events.map(({ type }) => type)).toContain("knowledge_search_query_completed");
  expect(cut.length).toBeGreaterThan(60);
  for (const { course } of cut) expect(uncounted(course)).toEqual(uncounted(whole.course));
}, 60_000);
