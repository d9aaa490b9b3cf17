// A group that talks in a Durable Object beside a crew's agent with as many model calls: CPU of workerd per model call, and rows
// per model call. A call of the crew is followed by a call of a tool; a round of the group has words alone.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../test/support/wrangler-dev.ts";
import { startCannedServer } from "./canned-server-process.ts";
import { workerdCpuMs } from "./process-cpu.ts";

const ROUNDS = [10, 40, 160];
/** Model calls that each variant makes for one number of rounds, in each repetition. */
const CALLS = 1000;
const REPETITIONS = 5;

const peer = await startCannedServer();
const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-bench-`);
const project = { cwd: fileURLToPath(new URL(".", import.meta.url)), persistTo };
const vars = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${peer.url}/v1` };
migrate(project);
const dev = await WranglerDev.start({ ...project, vars });

try {
  console.log(
    "rounds   crew ms   group ms   group / crew   rows and KiB per call: crew   group   (CPU of workerd per model call, median)",
  );
  for (const rounds of ROUNDS) await compare(rounds);
} finally {
  await dev.kill();
  peer.stop();
  rmSync(persistTo, { recursive: true, force: true });
}

async function compare(rounds: number): Promise<void> {
  const variants = [
    () => kickoff(`crews/rounds-${rounds}`, {}),
    () => kickoff(`conversations/group-${rounds + 1}`, { message: "Look the words up" }),
  ];
  const samples: number[][] = variants.map(() => []);
  for (const run of variants) await measure(run, rounds, CALLS / 5);
  for (let repetition = 0; repetition < REPETITIONS; repetition++)
    for (const [index, run] of variants.entries())
      samples[index]?.push(await measure(run, rounds, CALLS));
  const [crewMs = 0, groupMs = 0] = samples.map(median);
  const written: string[] = [];
  for (const run of variants) written.push(await writtenBy(run, rounds));
  console.log(
    [
      String(rounds).padEnd(6),
      crewMs.toFixed(3).padStart(8),
      groupMs.toFixed(3).padStart(9),
      (groupMs / crewMs).toFixed(2).padStart(13),
      ...written.map((each) => each.padStart(28)),
    ].join("  "),
  );
}

/** What a run keeps for each of its model calls. */
async function writtenBy(run: () => Promise<Response>, rounds: number): Promise<string> {
  const { id } = (await (await run()).json()) as { id: string };
  const steps = await stepsOf(id);
  const stream = await (await fetch(`${dev.url}/runs/${id}/events`)).text();
  const events = stream.match(/^data: .*$/gm) ?? [];
  const bytes =
    steps.reduce((sum, step) => sum + step.bytes, 0) +
    events.reduce((sum, event) => sum + event.length, 0);
  const perCall = (count: number): string => (count / (rounds + 1)).toFixed(1);
  return `${perCall(steps.length)} + ${perCall(events.length)}, ${perCall(bytes / 1024)}`;
}

async function stepsOf(id: string): Promise<ReadonlyArray<{ readonly bytes: number }>> {
  const steps: Array<{ readonly bytes: number }> = [];
  for (let cursor: string | undefined = "0"; cursor !== undefined;) {
    const page = (await (
      await fetch(`${dev.url}/runs/${id}/journal?limit=200&cursor=${cursor}`)
    ).json()) as { items: typeof steps; nextCursor?: string };
    steps.push(...page.items);
    cursor = page.nextCursor;
  }
  return steps;
}

/** CPU time of workerd per model call, in milliseconds. */
async function measure(
  run: () => Promise<Response>,
  rounds: number,
  count: number,
): Promise<number> {
  const runs = Math.max(1, Math.round(count / (rounds + 1)));
  const before = workerdCpuMs(dev.pid);
  for (let index = 0; index < runs; index++) await (await run()).arrayBuffer();
  return (workerdCpuMs(dev.pid) - before) / (runs * (rounds + 1));
}

async function kickoff(path: string, body: object): Promise<Response> {
  const response = await fetch(`${dev.url}/${path}/kickoff`, {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "wait=60" },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return response;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
