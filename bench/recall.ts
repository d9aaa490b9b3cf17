// Recall@10 on public sets, and the time of a question among 10,000 records beside MiniSearch and plain FTS5.
//
// Recall@10 of a question is the share of its evidence among the first ten records; a figure is the mean over the
// questions. The memory has its default settings, and each conversation a tenant of its own. Weights were chosen on the
// conversations of even position (0, 2, ...); the other half is printed beside them.
//
// Run: npm run bench:recall. PEERS names a folder with `minisearch` installed, EMBEDDINGS_URL a server of
// MiniLM; without it the embedder is that of `npm run world:setup -- real-model`. ONLY names one of locomo, zh, de, time.
import { createRequire } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { D1MemoryRecords } from "../src/cloudflare/stores/d1-memory-records.ts";
import { Memory } from "../src/memory/memory.ts";
import type { Embedder } from "../src/vectors/embedder.ts";
import { InMemoryVectorStores } from "../src/vectors/exact-vectors.ts";
import { hashEmbedder } from "../src/vectors/hash-embedder.ts";
import { queryWords } from "../src/text/index.ts";
import { folderOf, isMade } from "../test/world/needs/cache.ts";
import { startEmbedder } from "../test/world/real-model/embedder-process.ts";
import { smallModels } from "../test/world/real-model/needs.ts";
import { sqliteD1 } from "../test/support/sqlite-d1.ts";
import { locomo, xquad, type SetPart, type SetQuestion } from "./recall-sets.ts";

const LIMIT = 10;
const RECORDS = 10_000;
const TIMED_QUESTIONS = 300;

type Find = (question: string) => Promise<readonly string[]>;

/** Ways to find records, by name. Each gets the memory and the ids of the set by the ids of records. */
type Way = {
  readonly name: string;
  readonly embedder: Embedder;
  readonly find: (made: Made) => Find;
};

type Made = {
  readonly memory: Memory;
  readonly records: D1MemoryRecords;
  readonly idOf: (record: { readonly content: string; readonly id: string }) => string;
};

const words: Way = {
  name: "words",
  embedder: hashEmbedder(),
  find:
    ({ records, idOf }) =>
    async (question) =>
      (await records.searchText(question, { limit: LIMIT, filter: { visibleTo: null } })).map(
        ({ record }) => idOf(record),
      ),
};

const recall = (name: string, embedder: Embedder, hybrid?: boolean): Way => ({
  name,
  embedder,
  find:
    ({ memory, idOf }) =>
    async (question) =>
      (await memory.recall(question, { limit: LIMIT, depth: "shallow", hybrid })).map(
        ({ record }) => idOf(record),
      ),
});

async function makeMemory(part: SetPart, embedder: Embedder): Promise<Made> {
  const records = new D1MemoryRecords(sqliteD1(), "t");
  const memory = new Memory({
    storage: { tenant: "t", records, vectors: new InMemoryVectorStores() },
    embedder,
  });
  const ids = new Map<string, string>();
  for (const batch of part.batches) {
    const saved = await memory.rememberAll(
      batch.map(({ text }) => text),
      {
        scope: "/",
        categories: [],
        importance: 0.5,
        conversation: part.name,
        each: batch.map(({ speaker, at }) => ({ speaker, at })),
      },
    );
    for (const record of await records.get(saved)) {
      const own = batch.filter(({ text }) => text.trim() === record.content);
      for (const { id } of own) ids.set(record.id, ids.get(record.id) ?? id);
    }
  }
  return { memory, records, idOf: ({ id }) => ids.get(id) ?? id };
}

type Sums = Map<string, { sum: number; count: number }>;

async function measure(
  parts: readonly SetPart[],
  ways: readonly Way[],
): Promise<Map<string, Sums>> {
  const figures = new Map<string, Sums>(ways.map(({ name }) => [name, new Map()]));
  for (const [place, part] of parts.entries()) {
    const made = new Map<Embedder, Made>();
    for (const { name, embedder, find } of ways) {
      let memory = made.get(embedder);
      if (memory === undefined) made.set(embedder, (memory = await makeMemory(part, embedder)));
      const ask = find(memory);
      for (const question of part.questions) {
        const found = new Set(await ask(question.question));
        const { evidence } = question;
        const share = evidence.filter((id) => found.has(id)).length / evidence.length;
        for (const row of rowsOf(question, place)) add(figures.get(name), row, share);
      }
    }
    console.error(`${part.name}: ${part.questions.length} questions`);
  }
  return figures;
}

function rowsOf({ category }: SetQuestion, place: number): readonly string[] {
  return [
    "all",
    ...(category === "adversarial" ? [] : ["all but adversarial"]),
    place % 2 === 0 ? "chosen on" : "held out",
    category,
  ];
}

function add(sums: Sums | undefined, row: string, share: number): void {
  const known = sums?.get(row) ?? { sum: 0, count: 0 };
  sums?.set(row, { sum: known.sum + share, count: known.count + 1 });
}

function print(title: string, figures: ReadonlyMap<string, Sums>): void {
  const rows = [...new Set(Array.from(figures.values(), (sums) => [...sums.keys()]).flat())];
  console.log(`\n${title}, recall@${LIMIT}\n`);
  console.log(`| questions | number | ${[...figures.keys()].join(" | ")} |`);
  console.log(`| --- | --- |${" --- |".repeat(figures.size)}`);
  for (const row of rows) {
    const cells = Array.from(figures.values(), (sums) => {
      const { sum, count } = sums.get(row) ?? { sum: 0, count: 1 };
      return (sum / count).toFixed(3);
    });
    const [first] = figures.values();
    console.log(`| ${row} | ${first?.get(row)?.count ?? 0} | ${cells.join(" | ")} |`);
  }
}

/** MiniLM behind an HTTP API: the server at EMBEDDINGS_URL, else the one of the world tier. */
async function miniLm(): Promise<{ embedder: Embedder; stop: () => void } | undefined> {
  const { EMBEDDINGS_URL } = process.env;
  if (EMBEDDINGS_URL === undefined && !isMade(smallModels)) {
    console.log("MiniLM is absent: npm run world:setup -- real-model makes it");
    return undefined;
  }
  const { url, stop } =
    EMBEDDINGS_URL === undefined
      ? await startEmbedder(folderOf(smallModels))
      : { url: EMBEDDINGS_URL, stop: () => undefined };
  const embed: Embedder["embed"] = async (input, { signal }) => {
    const response = await fetch(`${url}/embeddings`, {
      method: "POST",
      body: JSON.stringify({ model: "minilm", input }),
      signal,
    });
    const { data } = (await response.json()) as {
      readonly data: readonly { readonly embedding: readonly number[] }[];
    };
    return data.map(({ embedding }) => Float32Array.from(embedding));
  };
  return { stop, embedder: { id: "minilm", model: "minilm", maxBatch: 100, embed } };
}

/** Prints the time of a question among 10,000 records. */
async function timed(parts: readonly SetPart[]): Promise<void> {
  const texts = parts.flatMap(({ batches }) => batches.flat());
  const all = Array.from({ length: RECORDS }, (_, index) => {
    const { text, speaker, at } = texts[index % texts.length]!;
    const round = Math.floor(index / texts.length);
    return { text: round === 0 ? text : `${text} (${round})`, speaker, at };
  });
  const records = new D1MemoryRecords(sqliteD1(), "t");
  const embedder = hashEmbedder();
  const storage = { tenant: "t", records, vectors: new InMemoryVectorStores() };
  const memory = new Memory({ storage, embedder });
  for (let start = 0; start < RECORDS; start += 500) {
    const batch = all.slice(start, start + 500);
    await memory.rememberAll(
      batch.map(({ text }) => text),
      { scope: "/", categories: [], importance: 0.5, each: batch },
    );
  }
  const plain = new DatabaseSync(":memory:");
  plain.exec("CREATE VIRTUAL TABLE plain USING fts5(content, tokenize = 'porter unicode61')");
  const insert = plain.prepare("INSERT INTO plain (content) VALUES (?)");
  for (const { text } of all) insert.run(text);
  const select = plain.prepare(
    "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 50",
  );
  const questions = parts.flatMap(({ questions: each }) => each).map(({ question }) => question);
  const step = Math.max(1, Math.floor(questions.length / TIMED_QUESTIONS));
  const asked = questions.filter((_, index) => index % step === 0).slice(0, TIMED_QUESTIONS);
  console.log(`\nTime of a question among ${RECORDS} records, CPU in ms\n`);
  console.log("| | p50 | mean | p95 |\n| --- | --- | --- | --- |");
  await time("words, ranked in SQLite", asked, (question) =>
    records.searchText(question, { limit: 50, filter: { visibleTo: null } }),
  );
  await time("recall, offline embedder", asked, (question) =>
    memory.recall(question, { limit: LIMIT, depth: "shallow" }),
  );
  await time("plain FTS5, words without stop words", asked, async (question) =>
    select.all(
      queryWords(question)
        .map((word) => `"${word}"`)
        .join(" OR "),
    ),
  );
  const MiniSearch = peer("minisearch") as MiniSearchPeer | undefined;
  if (MiniSearch === undefined) return;
  const mini = new MiniSearch({ fields: ["text"], storeFields: [] });
  mini.addAll(all.map(({ text }, id) => ({ id, text })));
  await time("MiniSearch, words without stop words", asked, async (question) =>
    mini.search(queryWords(question).join(" ")),
  );
}

/** The part of MiniSearch that is measured. */
type MiniSearchPeer = new (options: { fields: string[]; storeFields: string[] }) => {
  addAll(documents: ReadonlyArray<{ readonly id: number; readonly text: string }>): void;
  search(query: string): unknown;
};

async function time(
  name: string,
  questions: readonly string[],
  ask: (question: string) => Promise<unknown>,
): Promise<void> {
  for (const question of questions.slice(0, 50)) await ask(question);
  const times: number[] = [];
  for (const question of questions) {
    const before = process.cpuUsage();
    await ask(question);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  times.sort((one, other) => one - other);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  const mean = times.reduce((sum, each) => sum + each, 0) / times.length;
  console.log(`| ${name} | ${at(0.5)} | ${mean.toFixed(1)} | ${at(0.95)} |`);
}

function peer(name: string): unknown {
  const { PEERS } = process.env;
  if (PEERS === undefined) {
    console.log(`${name} is absent: npm install it in a folder, and name the folder in PEERS`);
    return undefined;
  }
  return createRequire(`${PEERS}/`)(name);
}

const conversations = await locomo();
const isAll = process.env["ONLY"] === undefined;
const model = isAll || process.env["ONLY"] === "locomo" ? await miniLm() : undefined;
const offline = hashEmbedder();
const ways = [
  { ...words, embedder: offline },
  recall("default, offline", offline),
  ...(model === undefined
    ? []
    : [
        recall("vectors alone, MiniLM", model.embedder, false),
        recall("default, MiniLM", model.embedder),
      ]),
];
try {
  const { ONLY } = process.env;
  if (conversations !== undefined && (ONLY ?? "locomo") === "locomo")
    print("LoCoMo", await measure(conversations, ways));
  for (const language of ["zh", "de"] as const) {
    if ((ONLY ?? language) !== language) continue;
    const set = await xquad(language);
    if (set !== undefined)
      print(`XQuAD ${language}, sentences`, await measure(set, ways.slice(0, 2)));
  }
  if (conversations !== undefined && (ONLY ?? "time") === "time") await timed(conversations);
} finally {
  model?.stop();
}
