// The API's description beside what it answers: schemathesis asks every operation, in all of its phases.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonEnvironment, pythonOf } from "../needs/python-environment.ts";
import type { PartContext, PartResult, WorldPart } from "../part.ts";
import { explain } from "../support/accepted.ts";
import { Random } from "../support/random.ts";
import { ACCEPTED_ANSWERS } from "./accepted.ts";
import { readReport } from "./report.ts";
import { ADMIN_KEY, startWorker } from "./worker.ts";

const schemathesis = pythonEnvironment({
  name: "schemathesis",
  what: "schemathesis 4.32.5 in a Python environment",
  requirements: new URL("../requirements/schemathesis.txt", import.meta.url),
  seconds: 10,
  megabytes: 120,
});

/** Operations of a slice: these, which were wrong once, and others by the seed. */
const ALWAYS = ["mcp", "acpSend", "acpContext", "a2aSend", "runStep", "kickoffCrew"];
const SLICE_OTHERS = 24;
const SLICE_SECONDS = 45;
const WHOLE_SECONDS = 1_500;

export const part: WorldPart = {
  name: "openapi",
  title: "Answers beside /openapi.json",
  needs: [schemathesis],
  sliceSeconds: 75,
  wholeSeconds: 1_800,
  async run(context): Promise<PartResult> {
    const { scratch, say, count } = context;
    const url = await startWorker(context);
    const ids = await operationIds(url);
    const chosen = context.slice || count !== undefined ? sliceOf(ids, context) : ids;
    say(`${chosen.length} of ${ids.length} operations`);
    await ask(url, chosen.length === ids.length ? [] : chosen, context);
    const file = readdirSync(scratch).find((name) => name.endsWith(".ndjson"));
    if (file === undefined) throw new Error(`schemathesis wrote no report: see ${scratch}/kit.txt`);
    const report = await readReport(join(scratch, file));
    say(`${report.requests} requests`);
    const compared = [...report.byOperation].map(([id, differences]) => ({ id, differences }));
    const { passed, differences, failures } = explain(
      compared,
      ACCEPTED_ANSWERS,
      ({ kind, status, operation, title, message, request }) =>
        `${kind}: ${operation} answers ${status} (${title}: ${message}) to ${JSON.stringify(request).slice(0, 400)}`,
    );
    const errors = report.errors.map(({ operation, message }) => ({ id: operation, message }));
    return {
      upstream: "schemathesis 4.32.5",
      tried: compared.length,
      passed,
      differences,
      failures: [...failures, ...errors],
    };
  },
};

/** The ids of all operations, in the order of the document. */
async function operationIds(url: string): Promise<readonly string[]> {
  const answer = await fetch(`${url}/openapi.json`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  const { paths } = (await answer.json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
}

function sliceOf(
  ids: readonly string[],
  { seed, count = SLICE_OTHERS }: Pick<PartContext, "seed" | "count">,
): readonly string[] {
  const random = new Random(seed);
  const others = ids.filter((id) => !ALWAYS.includes(id));
  const chosen = new Set(ALWAYS);
  while (chosen.size < Math.min(ids.length, ALWAYS.length + count)) chosen.add(random.pick(others));
  return [...chosen];
}

/** Runs the kit. Its exit code says that it found something, which the report says better. */
async function ask(
  url: string,
  only: readonly string[],
  { folders, scratch, seed, slice, signal }: PartContext,
): Promise<void> {
  const command = join(dirname(pythonOf(folders[schemathesis.name] ?? "")), "schemathesis");
  const phases = slice ? "examples,coverage" : "examples,coverage,fuzzing,stateful";
  const child = spawn(
    command,
    [
      ["run", `${url}/openapi.json`, "--header", `Authorization: Bearer ${ADMIN_KEY}`],
      ["--checks", "all", "--phases", phases, "--workers", "1", "--seed", String(seed)],
      ["--max-examples", slice ? "5" : "25", "--no-shrink", "--continue-on-failure"],
      ["--max-time", String(slice ? SLICE_SECONDS : WHOLE_SECONDS), "--request-timeout", "30"],
      ["--generation-database", "none", "--report", "ndjson", "--report-dir", scratch],
      only.flatMap((id) => ["--include-operation-id", id]),
    ].flat(),
    {
      cwd: scratch,
      env: {
        ...process.env,
        SCHEMATHESIS_HOOKS: "hooks",
        PYTHONPATH: fileURLToPath(new URL(".", import.meta.url)),
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const output = createWriteStream(join(scratch, "kit.txt"));
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const kill = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", kill);
  await once(child, "close");
}
