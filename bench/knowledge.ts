// CPU of indexing a text of 300 pages and of asking it, and of saving 1,000 memories, with what these ask of embedders and
// models. All in this process: the offline embedder, records and chunks in SQLite. Run: node bench/knowledge.ts
import { Memory } from "../src/memory/memory.ts";
import { knowledgeService } from "../src/knowledge/make-knowledge-service.ts";
import type { JsonValue } from "../src/base/json.ts";
import { D1KnowledgeStore } from "../src/cloudflare/stores/d1-knowledge-store.ts";
import { D1MemoryRecords } from "../src/cloudflare/stores/d1-memory-records.ts";
import type { RunScope } from "../src/events/run-scope.ts";
import { indexDocument } from "../src/knowledge/index-document.ts";
import { queryKnowledge } from "../src/knowledge/query-knowledge.ts";
import { scriptedModel } from "../src/llm/scripted/scripted-model.ts";
import { LocalRun } from "../src/runtime/handle/local-run.ts";
import type { Embedder } from "../src/vectors/embedder.ts";
import { InMemoryVectorStores } from "../src/vectors/exact-vectors.ts";
import { hashEmbedder } from "../src/vectors/hash-embedder.ts";
import { sqliteD1 } from "../test/support/sqlite-d1.ts";

const PAGES = 300;
const WORDS_PER_PAGE = 450;
const QUESTIONS = 100;
const MEMORIES = 1000;

let state = 11;
function random(below: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) | 0;
  return Math.floor(((state >>> 0) / 0x1_0000_0000) * below);
}

/** Words by Zipf's law, as languages have them. */
const words = Array.from({ length: 8000 }, () =>
  Array.from(
    { length: 2 + random(3) },
    () => "bdfgklmnprst"[random(12)]! + "aeiou"[random(5)]!,
  ).join(""),
);
const word = (): string => words[Math.floor(8000 ** (random(10_000) / 10_000)) % words.length]!;
const sentence = (count: number): string => `${Array.from({ length: count }, word).join(" ")}.`;

function counted(): Embedder & { calls: number; texts: number } {
  const inner = hashEmbedder();
  const counter = {
    ...inner,
    calls: 0,
    texts: 0,
    embed: (texts: readonly string[], options: Parameters<Embedder["embed"]>[1]) => {
      counter.calls++;
      counter.texts += texts.length;
      return inner.embed(texts, options);
    },
  };
  return counter;
}

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function inRun(work: (scope: RunScope) => Promise<unknown>): Promise<JsonValue> {
  const program = { run: (scope: RunScope) => work(scope) as Promise<JsonValue>, tasks: [] };
  return new LocalRun({ kind: "knowledge", name: "bench", inputs: {} }, program).output();
}

const pages = Array.from({ length: PAGES }, () =>
  Array.from({ length: WORDS_PER_PAGE / 15 }, () => sentence(15)).join(" "),
);
const source = { name: "book.txt", text: pages.join("\n\n") };

for (const round of ["first", "second"]) {
  const embedder = counted();
  const service = knowledgeService({
    tenant: "t",
    store: new D1KnowledgeStore(sqliteD1(), "t"),
    vectors: new InMemoryVectorStores(),
    embedder,
  });
  const index = () => inRun((scope) => indexDocument(scope, service, { collection: "c", source }));
  const indexing = await cpuMs(index);
  const { calls, texts } = embedder;
  const again = await cpuMs(index);
  const { signal } = new AbortController();
  const asking = await cpuMs(async () => {
    for (let question = 0; question < QUESTIONS; question++) {
      const page = pages[random(PAGES)]!;
      const query = page.slice(0, 80);
      await queryKnowledge(
        service,
        { collection: "c", queries: [query], scoreThreshold: 0.2 },
        signal,
      );
    }
  });
  if (round === "first") continue; // the code is cold
  console.log(
    `a text of ${PAGES} pages (${(source.text.length / 1e6).toFixed(1)} M characters): ${(indexing / PAGES).toFixed(2)} ms CPU per page, ` +
      `${texts} chunks in ${calls} calls of the embedder; unchanged: ${again.toFixed(0)} ms, ${embedder.calls - calls - QUESTIONS} calls; ` +
      `a question ${(asking / QUESTIONS).toFixed(1)} ms`,
  );
}

for (const isComplete of [true, false]) {
  const embedder = counted();
  const model = scriptedModel(() =>
    JSON.stringify({
      suggested_scope: "/facts",
      categories: ["fact"],
      importance: 0.5,
      extracted_metadata: { entities: [], dates: [], topics: [] },
    }),
  );
  const storage = {
    tenant: "t",
    records: new D1MemoryRecords(sqliteD1(), "t"),
    vectors: new InMemoryVectorStores(),
  };
  const memory = new Memory({ storage, embedder, llm: model });
  const contents = Array.from({ length: MEMORIES }, (_, index) => `${index} ${sentence(20)}`);
  const where = isComplete ? { scope: "/facts", categories: ["fact"], importance: 0.5 } : {};
  const saving = await cpuMs(() => memory.rememberAll(contents, where));
  const { calls, texts } = embedder;
  const recalling = await cpuMs(async () => {
    for (let question = 0; question < QUESTIONS; question++)
      await memory.recall(contents[random(MEMORIES)]!.slice(0, 60), { depth: "shallow" });
  });
  console.log(
    `saving ${MEMORIES} memories, ${isComplete ? "told where they belong" : "told nothing"}: ${(saving / MEMORIES).toFixed(2)} ms CPU each, ` +
      `${texts} texts in ${calls} calls of the embedder, ${model.calls.length} of the model; a shallow recall ${(recalling / QUESTIONS).toFixed(1)} ms`,
  );
}
