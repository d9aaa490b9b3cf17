// The API's description beside what it answers: schemathesis asks every operation, in all of its phases.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PartContext, PartFailure, PartResult, WorldPart } from "../part.ts";
import { explain } from "../support/accepted.ts";
import { Random } from "../support/random.ts";
import { ACCEPTED_ANSWERS } from "./accepted.ts";
import { runKit, schemathesis, type KitRun } from "./kit.ts";
import { readReports, type Report } from "./report.ts";
import { ADMIN_KEY, startWorker } from "./worker.ts";

/** Operations of a slice: these, which were wrong once, and others by the seed. */
const ALWAYS = ["mcp", "acpSend", "acpContext", "a2aSend", "runStep", "kickoffCrew"];
const SLICE_OTHERS = 24;
const SLICE_SECONDS = 55;
/** Each run of the kit has so many operations: one that is slow, or breaks the kit, costs its group alone. */
const GROUP = 24;
const GROUP_SECONDS = 1_200;
/** About 250 operations are 12 runs, of which each may take its whole time: four in each lane, and the start of its Worker. */
const WHOLE_SECONDS = 4 * GROUP_SECONDS + 300;
/** Runs of the kit beside each other, each with a Worker of its own. */
const LANES = 3;

export const part: WorldPart = {
  name: "openapi",
  title: "Answers beside /openapi.json",
  needs: [schemathesis],
  sliceSeconds: 85,
  wholeSeconds: WHOLE_SECONDS,
  async run(context): Promise<PartResult> {
    const { scratch, say, count, slice } = context;
    const first = await startWorker("worker-1", context);
    const { ids, file: description } = await describe(first, scratch);
    const chosen = slice || count !== undefined ? sliceOf(ids, context) : ids;
    say(`${chosen.length} of ${ids.length} operations`);
    const runs = slice ? sliceRuns(chosen) : wholeRuns(chosen, chosen.length === ids.length);
    const reports: string[] = [];
    const cut: PartFailure[] = [];
    const waiting = [...runs.entries()];
    const lane = async (url: string): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, run] = next;
        const beganAtMs = Date.now();
        const folder = join(scratch, String(index + 1));
        const report = await runKit({ ...run, url, description, folder }, context);
        const own = report === undefined ? undefined : await readReports([report]);
        if (report !== undefined) reports.push(report);
        if (own === undefined || (!own.isWhole && !slice))
          cut.push({
            id: `run ${index + 1}`,
            message: `schemathesis did not end within ${run.seconds} s, or broke: see ${folder}/kit.txt`,
          });
        const seconds = Math.round((Date.now() - beganAtMs) / 1000);
        say(
          `${index + 1} of ${runs.length} in ${seconds} s: ${own === undefined ? "no report" : figuresOf(own)}`,
        );
      }
    };
    const others = Array.from({ length: Math.min(LANES, runs.length) - 1 }, (_, index) =>
      startWorker(`worker-${index + 2}`, context).then(lane),
    );
    await Promise.all([lane(first), ...others]);
    const report = await readReports(reports);
    say(`in all: ${figuresOf(report)}`);
    return { upstream: "schemathesis 4.32.5", ...resultOf(report, cut) };
  },
};

type PartRun = Omit<KitRun, "url" | "description" | "folder">;

/** Whole runs of groups, and chains of requests over all operations. */
function wholeRuns(ids: readonly string[], areAll: boolean): readonly PartRun[] {
  const groups = Array.from({ length: Math.ceil(ids.length / GROUP) }, (_, index) =>
    ids.slice(index * GROUP, (index + 1) * GROUP),
  );
  return [
    { only: areAll ? [] : ids, phases: ["stateful"], examples: 15, seconds: GROUP_SECONDS },
    ...groups.map((only): PartRun => ({
      only,
      phases: ["examples", "coverage", "fuzzing"],
      examples: 5,
      seconds: GROUP_SECONDS,
    })),
  ];
}

function sliceRuns(only: readonly string[]): readonly PartRun[] {
  return [{ only, phases: ["examples", "coverage"], examples: 5, seconds: SLICE_SECONDS }];
}

function figuresOf({ phases }: Report): string {
  return [...phases]
    .map(
      ([phase, { requests, failures }]) => `${phase} ${requests} requests, ${failures} differences`,
    )
    .join("; ");
}

function resultOf(
  { byOperation, errors }: Report,
  cut: readonly PartFailure[],
): Omit<PartResult, "upstream"> {
  const compared = [...byOperation].map(([id, differences]) => ({ id, differences }));
  const { passed, differences, failures } = explain(
    compared,
    ACCEPTED_ANSWERS,
    ({ kind, status, operation, title, message, request, answer }) =>
      `${kind}: ${operation} answers ${status} (${title}: ${message}) to ${JSON.stringify(request).slice(0, 400)} with ${JSON.stringify(answer).slice(0, 400)}`,
  );
  const broken = errors.map(({ operation, message }) => ({ id: operation, message }));
  return {
    tried: compared.length,
    passed,
    differences,
    failures: [...failures, ...broken, ...cut],
  };
}

/** The description as a file, so that its own route is tested as well, and the ids of all operations in its order. */
async function describe(
  url: string,
  scratch: string,
): Promise<{ readonly ids: readonly string[]; readonly file: string }> {
  const answer = await fetch(`${url}/openapi.json`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  const document = (await answer.json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const file = join(scratch, "openapi.json");
  writeFileSync(file, JSON.stringify(document));
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  return { ids, file };
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
