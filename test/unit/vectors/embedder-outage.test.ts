// Embedders that are away, refuse, or answer something else: the codes, and runs that wait.
import { describe, expect, it } from "vitest";
import { InMemoryKnowledgeStore } from "../../../src/knowledge/in-memory-knowledge-store.ts";
import { knowledgeService } from "../../../src/knowledge/make-knowledge-service.ts";
import { knowledgeRun, knowledgeStart } from "../../../src/knowledge/operations/knowledge-run.ts";
import { queryKnowledge } from "../../../src/knowledge/query-knowledge.ts";
import { resolveEmbedder } from "../../../src/vectors/embedders/resolve-embedder.ts";
import type { Embedder } from "../../../src/vectors/embedder.ts";
import { runWhole } from "../../support/cut-off.ts";

const HTML = { "content-type": "text/html" };
const refusal = (status: number) => () =>
  new Response(JSON.stringify({ error: { message: "no" } }), { status });

type Outcome = { readonly code: string; readonly retryable: boolean };

const AWAY: Outcome = { code: "model_unavailable", retryable: true };
const LIMITED = "model_rate_limited";

const ANSWERS: readonly [name: string, answer: () => Response, outcome: Outcome][] = [
  [
    "connection refused",
    () => {
      throw new TypeError("fetch failed");
    },
    AWAY,
  ],
  ["503", refusal(503), AWAY],
  ["429", refusal(429), { code: LIMITED, retryable: true }],
  ["401", refusal(401), { code: "model_unauthorized", retryable: false }],
  ["402", refusal(402), { code: LIMITED, retryable: false }],
  [
    "a page",
    () => new Response("<html>", { headers: HTML }),
    { code: "model_failed", retryable: true },
  ],
  ["the page of a proxy", () => new Response("<html>", { status: 502, headers: HTML }), AWAY],
];

const PROVIDERS = [
  "openai/text-embedding-3-small",
  "cohere/embed-v4.0",
  "gemini/gemini-embedding-001",
  "voyageai/voyage-3",
];

function embedderWith(spec: string, answer: () => Response): Embedder {
  const keys = ["OPENAI", "COHERE", "GEMINI", "VOYAGE"].map((name) => [`${name}_API_KEY`, "k"]);
  const variables = Object.fromEntries(keys) as Record<string, string>;
  return resolveEmbedder(spec, { variables, fetch: async () => answer() });
}

describe.each(PROVIDERS)("%s", (spec) => {
  it.each(ANSWERS)("says for %s what happens next", async (_, answer, outcome) => {
    const { signal } = new AbortController();
    const asked = embedderWith(spec, answer).embed(["x"], { signal });
    await expect(asked).rejects.toMatchObject(outcome);
  });
});

describe("knowledge", () => {
  const offline = resolveEmbedder("offline/hash-embed", { variables: {} });

  function indexing(embedder: Embedder) {
    const store = new InMemoryKnowledgeStore();
    const knowledge = knowledgeService({ embedder, store, tenant: "default" });
    const start = knowledgeStart("sea", [{ name: "a", text: "The sea is salty." }]);
    const program = knowledgeRun({ ...start, id: "r", tenant: "default" });
    return { knowledge, subject: { services: { knowledge }, program } };
  }

  it("KI5: waits for an embedder that is away, and goes on by itself", async () => {
    let left = 6; // more than the tries of a step
    const down = embedderWith("openai/text-embedding-3-small", refusal(503));
    const { subject } = indexing({
      ...offline,
      embed: (texts, options) => (left-- > 0 ? down : offline).embed(texts, options),
    });
    const { run } = await runWhole(subject);
    expect(run.output).toMatchObject({ documents: [{ state: "ready", chunks: 1, embedded: 1 }] });
  });

  it.each([
    ["503", "model_unavailable"],
    ["401", "model_unauthorized"],
  ])("KI4: says %s of a document that could not be indexed", async (name, code) => {
    const answer = ANSWERS.find(([each]) => each === name)?.[1] ?? refusal(500);
    const { subject } = indexing(embedderWith("openai/text-embedding-3-small", answer));
    const { run } = await runWhole(subject);
    expect(run.output).toMatchObject({
      documents: [{ state: "failed", failure: { code } }],
    });
  });

  it("KQ2: is searched by words meanwhile, with the reason", async () => {
    let isDown = false;
    const down = embedderWith("openai/text-embedding-3-small", refusal(503));
    const { knowledge, subject } = indexing({
      ...offline,
      embed: (texts, options) => (isDown ? down : offline).embed(texts, options),
    });
    await runWhole(subject);
    isDown = true;
    const { signal } = new AbortController();
    const answer = await queryKnowledge(knowledge, { collection: "sea", queries: ["sea"] }, signal);
    expect(answer).toMatchObject({
      snippets: [{ text: "The sea is salty." }],
      degraded: expect.stringContaining("503") as string,
    });
  });
});
