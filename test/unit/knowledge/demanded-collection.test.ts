import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import type { BroughtDocument } from "../../../src/knowledge/brought-document.ts";
import { demandCollection, sweepCollections } from "../../../src/knowledge/demanded-collection.ts";
import { InMemoryKnowledgeStore } from "../../../src/knowledge/in-memory-knowledge-store.ts";
import type { DemandedCollection, UnreadDocument } from "../../../src/knowledge/on-demand.ts";
import { queryKnowledge } from "../../../src/knowledge/query-knowledge.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { LocalRun } from "../../../src/runtime/handle/local-run.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";
import { knowledgeService, lastingStore } from "../../support/knowledge-world.ts";

const DAY_MS = 86_400_000;
const chunking = { rule: "recursive", size: 40, overlap: 0 } as const;

/** Documents that count how often they are loaded. */
function texts(named: Readonly<Record<string, string | Error>>) {
  const loaded: string[] = [];
  const documents = async (): Promise<readonly BroughtDocument[]> =>
    Object.entries(named).map(([name, text]) => ({
      name,
      chunking,
      load: async () => {
        loaded.push(name);
        if (text instanceof Error) throw text;
        return { bytes: new Uint8Array(new TextEncoder().encode(text)), mediaType: "text/plain" };
      },
    }));
  return { loaded, documents };
}

function world() {
  const service = knowledgeService({ store: lastingStore() });
  const clock = new SimulatedClock();
  const demand = (demanded: DemandedCollection): Promise<readonly UnreadDocument[]> => {
    const program = {
      tasks: [],
      run: (scope: RunScope) => demandCollection(scope, service, demanded) as Promise<never>,
    };
    const start = { kind: "agent", name: "test", inputs: {} } as const;
    return new LocalRun(start, program, { clock }).output();
  };
  const find = async (collection: string, query: string) => {
    const asked = { collection, queries: [query] };
    const { snippets } = await queryKnowledge(service, asked, new AbortController().signal);
    return snippets.map(({ document }) => document.name);
  };
  return { service, clock, demand, find };
}

describe("demandCollection", () => {
  it("KD1: looks at documents once, whichever run asks", async () => {
    const { demand, find, service } = world();
    const { documents, loaded } = texts({ "tea.txt": "Tea needs water of ninety degrees." });
    expect(await demand({ collection: "c", documents })).toEqual([]);
    expect(await demand({ collection: "c", documents })).toEqual([]);
    expect(loaded).toEqual(["tea.txt"]);
    expect(service.embedder.embedded).toHaveLength(1);
    expect(await find("c", "How hot is the water for tea?")).toEqual(["tea.txt"]);
  });

  it("KD1: reads documents again when they are too old or of another version, and embeds only new text", async () => {
    const { demand, clock, service } = world();
    const named = { "tea.txt": "Tea needs water of ninety degrees.\n\n" };
    const { documents, loaded } = texts(named);
    const aged = { collection: "c", maxAgeMs: 1000, documents };
    await demand(aged);
    await clock.advance(1000);
    await demand(aged);
    expect(loaded).toHaveLength(1);
    await clock.advance(1);
    await demand(aged);
    expect(loaded).toHaveLength(2);
    await demand({ ...aged, version: "2" });
    expect(loaded).toHaveLength(3);
    await demand({ ...aged, version: "2" });
    expect(loaded).toHaveLength(3);
    expect(service.embedder.embedded).toHaveLength(1);
    named["tea.txt"] += "Coffee needs water that almost boils.";
    await demand({ ...texts(named), collection: "c", version: "3" });
    expect(service.embedder.embedded).toHaveLength(2);
  });

  it("KD1: rebuilds a deleted collection", async () => {
    const { demand, find, service } = world();
    const { documents, loaded } = texts({ "tea.txt": "Tea needs hot water." });
    await demand({ collection: "c", documents });
    await service.store.deleteCollection("c");
    await demand({ collection: "c", documents });
    expect(loaded).toHaveLength(2);
    expect(await find("c", "tea")).toEqual(["tea.txt"]);
  });

  it("works with a store without uses: documents are read each time", async () => {
    const store = new InMemoryKnowledgeStore();
    Object.defineProperty(store, "uses", { value: undefined });
    const service = knowledgeService({ store });
    const { documents, loaded } = texts({ "tea.txt": "Tea needs hot water." });
    for (let time = 0; time < 2; time++)
      await new LocalRun(
        { kind: "agent", name: "test", inputs: {} },
        {
          tasks: [],
          run: (scope: RunScope) =>
            demandCollection(scope, service, { collection: "c", documents }) as Promise<never>,
        },
      ).output();
    expect(loaded).toHaveLength(2);
    expect(service.embedder.embedded).toHaveLength(1);
  });

  it("KD2: loses no text and repeats no recorded embedding, wherever its run is cut off", async () => {
    const text = Array.from({ length: 230 }, (_, index) => `Rule ${index}: keep it dry.\n\n`);
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const service = knowledgeService({ store: lastingStore() });
      const { documents } = texts({ "a.txt": text.join(""), "b.txt": "Another one." });
      return {
        calls: service.embedder.embedded,
        program: {
          tasks: [],
          run: async (scope: RunScope) => {
            await demandCollection(scope, service, { collection: "c", documents });
            return scope.at("list").step({
              kind: "effect",
              run: async () =>
                (await service.store.documents("c", { limit: 9 })).map(
                  ({ name, state, chunks, indexed }) => ({ name, state, chunks, indexed }),
                ),
            });
          },
        },
      };
    });
    expect(whole.run.output).toMatchObject([
      { name: "a.txt", state: "ready", chunks: 230, indexed: 230 },
      { name: "b.txt", state: "ready" },
    ]);
    expect(cut.length).toBeGreaterThan(15);
    for (const { course, calls } of cut) {
      expect(course.error).toBeUndefined();
      expect(course.output).toEqual(whole.course.output);
      // A batch that is not on record has reached the store all the same: it is not embedded again.
      expect(calls).toHaveLength(231);
    }
  });

  it("KD2: two calls at once embed a document once", async () => {
    const { service } = world();
    const { documents } = texts({ "tea.txt": "Tea needs water of ninety degrees." });
    await new LocalRun(
      { kind: "agent", name: "test", inputs: {} },
      {
        tasks: [],
        run: async (scope: RunScope) => {
          const ask = (at: string) =>
            demandCollection(scope.at(at), service, { collection: "c", documents });
          await Promise.all([ask("one"), ask("other")]);
          return null;
        },
      },
    ).output();
    expect(service.embedder.embedded).toHaveLength(1);
  });

  it("KD3: reports unreadable documents among several", async () => {
    const { demand, find } = world();
    const { documents } = texts({
      "tea.txt": "Tea needs hot water.",
      "gone.txt": new EngineError("not_found", "there is no gone.txt"),
    });
    expect(await demand({ collection: "c", documents })).toEqual([
      { name: "gone.txt", error: "there is no gone.txt" },
    ]);
    expect(await find("c", "tea")).toEqual(["tea.txt"]);
  });

  it("KD3: fails as its only document does, and tries again the next time", async () => {
    const { demand } = world();
    const named: Record<string, string | Error> = {
      "gone.txt": new EngineError("not_found", "there is no gone.txt"),
    };
    const { documents, loaded } = texts(named);
    await expect(demand({ collection: "c", documents })).rejects.toMatchObject({
      code: "not_found",
      message: "there is no gone.txt",
    });
    named["gone.txt"] = "It is back.";
    expect(await demand({ ...texts(named), collection: "c" })).toEqual([]);
    expect(loaded).toEqual(["gone.txt"]);
  });

  it("KD4: removes documents missing from the list", async () => {
    const { demand, find } = world();
    const tea = { "tea.txt": "Tea needs hot water." };
    await demand({
      collection: "c",
      version: "1",
      ...texts({ ...tea, "milk.txt": "Milk is cold." }),
    });
    await demand({ collection: "c", version: "2", ...texts(tea) });
    expect(await find("c", "cold milk")).toEqual([]);
    expect(await find("c", "hot tea")).toEqual(["tea.txt"]);
  });

  it("KD4: leaves documents of other owners in a shared collection", async () => {
    const { demand, find } = world();
    await demand({ collection: "c", id: "c#1", ...texts({ "tea.txt": "Tea needs hot water." }) });
    await demand({ collection: "c", id: "c#2", ...texts({ "milk.txt": "Milk is cold." }) });
    expect(await find("c", "hot tea")).toEqual(["tea.txt"]);
    expect(await find("c", "cold milk")).toEqual(["milk.txt"]);
  });
});

describe("demandCollection, with an in-process store", () => {
  it("KD6: rebuilds a collection lost with the process, although the run has it on record", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      let drives = 0;
      let service = knowledgeService();
      const { documents } = texts({ "tea.txt": "Tea needs hot water." });
      return {
        program: {
          tasks: [],
          run: async (scope: RunScope) => {
            if (drives++ > 0) service = knowledgeService();
            return scope.at("call").step({
              kind: "tool",
              run: async ({ signal }, inside) => {
                await demandCollection(inside, service, { collection: "c", documents });
                const asked = { collection: "c", queries: ["hot tea"] };
                return (await queryKnowledge(service, asked, signal)).snippets.length;
              },
            });
          },
        },
      };
    });
    expect(whole.run.output).toBe(1);
    for (const { course } of cut) expect(course).toEqual(whole.course);
  });

  it("KD1: looks at documents once, too", async () => {
    const service = knowledgeService();
    const { documents, loaded } = texts({ "tea.txt": "Tea needs hot water." });
    const run = async (scope: RunScope) => {
      for (const at of ["one", "two"])
        await demandCollection(scope.at(at), service, { collection: "c", documents });
      return null;
    };
    await new LocalRun({ kind: "agent", name: "t", inputs: {} }, { tasks: [], run }).output();
    expect(loaded).toEqual(["tea.txt"]);
  });
});

describe("sweepCollections", () => {
  it("KD5: removes collections unused for a week, with their vectors", async () => {
    const { demand, find, service, clock } = world();
    const { documents } = texts({ "tea.txt": "Tea needs hot water." });
    await demand({ collection: "old", documents });
    await demand({ collection: "used", documents });
    await demand({ collection: "shared", id: "shared#1", documents });
    await clock.advance(6 * DAY_MS);
    await demand({ collection: "used", documents });
    await clock.advance(DAY_MS + 1);
    await sweepCollections(service, clock.now());
    expect(await find("old", "tea")).toEqual([]);
    expect(await find("used", "tea")).toEqual(["tea.txt"]);
    expect(await find("shared", "tea")).toEqual(["tea.txt"]);
    const { model } = service.embedder;
    const vectors = service.vectors.open({ tenant: "t", collection: "knowledge/old", model });
    expect(await vectors.info()).toBeUndefined();
  });

  it("KD5: removes failed documents, too", async () => {
    const { demand, service, clock } = world();
    const { documents } = texts({ "gone.txt": new EngineError("not_found", "no") });
    await demand({ collection: "c", documents }).catch(() => undefined);
    expect((await service.store.info("c")).documents).toBe(1);
    await clock.advance(7 * DAY_MS + 1);
    await sweepCollections(service, clock.now());
    expect((await service.store.info("c")).documents).toBe(0);
  });
});
