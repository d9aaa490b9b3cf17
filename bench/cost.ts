// What the platform bills for a run: rows written and read by objects and D1, requests and CPU, on real workerd. First
// runs of known size, then one of each example, in dollars per million runs beyond what is included.
//
//   node bench/cost.ts [--tables]      --tables: where the rows go
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../test/support/wrangler-dev.ts";
import { startCannedServer } from "./canned-server-process.ts";
import type { Counts } from "./counts.ts";
import { workerdCpuMs } from "./process-cpu.ts";

/** Dollars per million, on the paid plan, beyond what is included. */
const PRICE = {
  rowsWritten: 1,
  rowsRead: 0.001,
  objectRequests: 0.15,
  workerRequests: 0.3,
  cpuMs: 0.02,
};

const withTables = process.argv.includes("--tables");

type Subject = {
  readonly label: string;
  readonly path: string;
  readonly inputs?: object;
  /** In place of `inputs`. */
  readonly body?: object;
  /** Answers to its questions, one after the other. */
  readonly answers?: readonly object[];
};

type Bill = {
  readonly object: number;
  readonly d1: number;
  readonly read: number;
  readonly requests: number;
  readonly cpuMs: number;
  readonly counts: Counts;
};

const sample = (name: string): object =>
  JSON.parse(
    readFileSync(new URL(`../examples/samples/${name}.json`, import.meta.url), "utf8"),
  ) as object;

const inputsOf = (name: string): object => (sample(name) as { inputs: object }).inputs;

const SIZES: readonly Subject[] = [
  { label: "a crew of one task, no tool", path: "/crews/rounds-0" },
  { label: "with one turn of a tool", path: "/crews/rounds-1" },
  { label: "with ten", path: "/crews/rounds-10" },
  { label: "with fifty", path: "/crews/rounds-50" },
  {
    label: "a crew of two tasks, answered at once",
    path: "/crews/two-tasks",
    inputs: { topic: "tea" },
  },
  { label: "a flow of one method", path: "/flows/chain-1" },
  { label: "a flow of ten", path: "/flows/chain-10" },
  { label: "a flow of a hundred", path: "/flows/chain-100" },
];

const EXAMPLES: readonly Subject[] = [
  { label: "crew release-notes", path: "/crews/release-notes", inputs: inputsOf("release-notes") },
  { label: "crew support-reply", path: "/crews/support-reply", inputs: inputsOf("support-reply") },
  { label: "crew answer-a-letter", path: "/crews/answer-a-letter", answers: [{ feedback: "yes" }] },
  { label: "agent clerk", path: "/agents/clerk", body: { messages: "When do you open?" } },
  { label: "flow announce", path: "/flows/announce", inputs: inputsOf("announce") },
  { label: "flow tighten", path: "/flows/tighten", inputs: inputsOf("tighten") },
  { label: "conversation debate", path: "/conversations/debate", body: sample("debate") },
  {
    label: "conversation incident-review",
    path: "/conversations/incident-review",
    body: sample("incident-review"),
  },
];

const peer = await startCannedServer();
try {
  await table("cost-sizes.toml", SIZES);
  if (process.argv[2] !== "sizes") await table("cost.toml", EXAMPLES);
} finally {
  peer.stop();
}

async function table(config: string, subjects: readonly Subject[]): Promise<void> {
  const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-cost-`);
  const project = { cwd: fileURLToPath(new URL(".", import.meta.url)), config, persistTo };
  migrate(project);
  const vars =
    config === "cost.toml" ? {} : { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${peer.url}/v1` };
  const dev = await WranglerDev.start({ ...project, vars });
  try {
    console.log(
      "| a run of | rows of its object | rows of D1 | rows read | requests to it | CPU | dollars per million runs |\n| --- | --- | --- | --- | --- | --- | --- |",
    );
    for (const subject of subjects) {
      await billOf(dev, subject);
      const { object, d1, read, requests, cpuMs, counts } = await billOf(dev, subject);
      const dollars =
        (object + d1) * PRICE.rowsWritten +
        read * PRICE.rowsRead +
        requests * PRICE.objectRequests +
        PRICE.workerRequests +
        cpuMs * PRICE.cpuMs;
      const figures = [object, d1, read, requests, `${cpuMs} ms`, dollars.toFixed(2)];
      console.log(`| ${[subject.label, ...figures].join(" | ")} |`);
      if (withTables)
        for (const [name, rows] of Object.entries(counts.written))
          console.log(`    ${rows} ${name}`);
    }
  } finally {
    await dev.kill();
    rmSync(persistTo, { recursive: true, force: true });
  }
}

async function billOf({ url, pid }: WranglerDev, subject: Subject): Promise<Bill> {
  const { path, inputs = {}, body = { inputs }, answers = [] } = subject;
  await fetch(`${url}/counts/clear`);
  const before = workerdCpuMs(pid);
  const started = await fetch(`${url}${path}/kickoff`, {
    ...post(body),
    headers: { "content-type": "application/json", prefer: "wait=60" },
  });
  const { id, status } = (await started.json()) as { id: string; status: string };
  let ended = status;
  for (const answer of answers) {
    if (ended !== "waiting") break;
    await fetch(`${url}/runs/${id}/resume`, post(answer));
    const run = await fetch(`${url}/runs/${id}`, { headers: { prefer: "wait=60" } });
    ended = ((await run.json()) as { status: string }).status;
  }
  if (ended !== "completed" && withTables) console.log(`    ${subject.label} is ${ended}`);
  await new Promise((resolve) => setTimeout(resolve, 400)); // what is done after the answer
  const cpuMs = Math.round(workerdCpuMs(pid) - before);
  const counts = (await (await fetch(`${url}/counts`)).json()) as Counts;
  return {
    object: sum(counts.written, "object"),
    d1: sum(counts.written, "D1"),
    read: sum(counts.read),
    requests: counts.requests,
    cpuMs,
    counts,
  };
}

/** Of the rows at this place. */
function sum(rows: Record<string, number>, place = ""): number {
  const counted = Object.entries(rows).filter(([name]) => name.startsWith(place));
  return counted.reduce((all, [, count]) => all + count, 0);
}

function post(body: object): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}
