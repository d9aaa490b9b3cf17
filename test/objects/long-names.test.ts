// Names of roles, crews, collections and flows that are long, or of any script: real objects, D1 and vectors.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { D1MemoryRecords } from "../../src/cloudflare/stores/d1-memory-records.ts";
import { D1KnowledgeStore } from "../../src/cloudflare/stores/d1-knowledge-store.ts";
import { knowledgeSession } from "../../src/knowledge/knowledge-session.ts";
import { knowledgeService } from "../../src/knowledge/make-knowledge-service.ts";
import { memoryService } from "../../src/memory/make-memory-service.ts";
import { LocalRun } from "../../src/runtime/handle/local-run.ts";
import type { RunScope } from "../../src/events/run-scope.ts";
import { durableVectors, type VectorIndex } from "../../src/worker.ts";
import { newId } from "./support/runs.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      readonly VECTORS: DurableObjectNamespace<VectorIndex>;
    }
  }
}

/** Two names of each kind that begin alike. */
const NAMES: readonly [string, string][] = [
  ["Researcher", "Writer"],
  [`${"R".repeat(600)}a`, `${"R".repeat(600)}b`],
  [`${"研究员".repeat(200)}甲`, `${"研究员".repeat(200)}乙`],
  ["研究员", "写作者"],
  [`${"👩‍🔬".repeat(150)}1`, `${"👩‍🔬".repeat(150)}2`],
  [`${"מחקר ".repeat(120)}א`, `${"מחקר ".repeat(120)}ב`],
  [`a/b/../c ${"x/".repeat(260)}1`, `a/b/../c ${"x/".repeat(260)}2`],
  [
    `line\none ${"\n".repeat(260)}${"y".repeat(300)}1`,
    `line\none ${"\n".repeat(260)}${"y".repeat(300)}2`,
  ],
  ["👍", "👎"],
];

const SAVE = { scope: "/", categories: [], importance: 0.5 };

describe.each(NAMES)("%.20s", (first, second) => {
  const tenant = newId("tenant");
  const vectors = durableVectors(env);

  it("are roots of memories of their own: as crew, agent and person", async () => {
    const records = new D1MemoryRecords(env.DB, tenant);
    const storage = { tenant, records, vectors };
    const service = memoryService({ storage, embedder: "offline/hash-embed" });
    const scopes = new Set<string>();
    for (const path of [["crew", "desk", "agent"], ["crew"], ["agent"], ["flow"]])
      for (const name of [first, second]) {
        const memory = service.create({ path: [...path, name], config: {} });
        const content = `The kettle of ${path.join(" ")} ${name === first ? "one" : "two"}`;
        const record = await memory.remember(content, SAVE);
        scopes.add(record?.scope ?? "");
        const found = await memory.recall("The kettle", { depth: "shallow", minScore: 0 });
        expect(found.map((match) => match.record.content)).toEqual([content]);
      }
    expect(scopes.size).toBe(8);
    expect(await records.indexState()).toMatchObject({ missing: 0, records: 8 });
  });

  it("are collections of their own", async () => {
    const store = new D1KnowledgeStore(env.DB, tenant);
    const knowledge = knowledgeService({ tenant, store, vectors, embedder: "offline/hash-embed" });
    const program = {
      tasks: [],
      run: async (scope: RunScope) => {
        const names: string[] = [];
        for (const name of [first, second]) {
          const [collection] = knowledgeSession(scope).open({
            label: "agent",
            collection: `crew/desk/agent/${name}`,
            knowledgeSources: [
              { name: "a.txt", text: `The tide of ${name === first ? "one" : "two"}` },
            ],
          });
          await collection?.index(scope.at(name === first ? "one" : "two"));
          const { signal } = new AbortController();
          const answer = await collection?.query({ queries: ["tide"], limit: 5 }, signal);
          names.push(collection?.name ?? "", ...(answer?.snippets.map(({ text }) => text) ?? []));
          expect(answer).not.toHaveProperty("degraded");
        }
        return names;
      },
    };
    const start = { kind: "agent", name: "x", inputs: {} } as const;
    const [one, text, two, other] = await new LocalRun(start, program, {
      services: { knowledge },
    }).output();
    expect([text, other]).toEqual(["The tide of one", "The tide of two"]);
    expect(one).not.toBe(two);
  });
});
