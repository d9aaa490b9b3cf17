// Plays cases on both sides, and lists where they differ.
import type { PartContext } from "../part.ts";
import type { Compared } from "../support/accepted.ts";
import { readJsonLines, writeJsonLines } from "../support/json-lines.ts";
import { runPython } from "../support/run-python.ts";
import { compareOutcomes, type CrewDifference } from "./compare-outcomes.ts";
import type { CrewCase } from "./crew-case.ts";
import type { Outcome } from "./outcome.ts";
import { runOnEdgecrew } from "./run-edgecrew.ts";
import { ScriptServer } from "./script-server.ts";

/** Processes of CrewAI beside each other. */
const PROCESSES = 3;
/** Crews of ours beside each other. */
const AT_ONCE = 4;

type PlayContext = Pick<PartContext, "folders" | "scratch" | "signal" | "say" | "atEnd">;

export async function playOnBoth(
  cases: readonly CrewCase[],
  context: PlayContext,
): Promise<readonly Compared<CrewDifference>[]> {
  const { scratch, say, atEnd } = context;
  const server = new ScriptServer(cases);
  atEnd(() => server.close());
  const address = await server.listen();
  writeJsonLines(`${scratch}/cases.jsonl`, cases);
  const [ours, theirs] = await Promise.all([
    runOurs(cases, server, address).then((outcomes) => {
      writeJsonLines(`${scratch}/ours.jsonl`, [...outcomes.values()]);
      say(`${outcomes.size} crews ran on Edgecrew`);
      return outcomes;
    }),
    runTheirs(cases, address, context),
  ]);
  say(`${theirs.size} crews ran on CrewAI`);
  return cases.map((each) => {
    const our = ours.get(each.id) ?? missing(each);
    const their = theirs.get(each.id) ?? missing(each);
    return { id: each.id, differences: compareOutcomes(each, our, their) };
  });
}

async function runOurs(
  cases: readonly CrewCase[],
  server: ScriptServer,
  address: string,
): Promise<Map<string, Outcome>> {
  const waiting = [...cases];
  const outcomes = new Map<string, Outcome>();
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      // oxlint-disable-next-line no-await-in-loop -- that is one of the lanes
      const ended = await runOnEdgecrew(next, address);
      outcomes.set(next.id, { ...ended, ...server.asked("ours", next.id) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcomes;
}

/** Each process has cases of all profiles. */
async function runTheirs(
  cases: readonly CrewCase[],
  address: string,
  { folders, scratch, signal }: PlayContext,
): Promise<Map<string, Outcome>> {
  const script = new URL("run_crewai.py", import.meta.url);
  const lanes = await Promise.all(
    Array.from({ length: PROCESSES }, async (_, lane) => {
      const file = `${scratch}/theirs-${lane}.jsonl`;
      const own = `${scratch}/cases-${lane}.jsonl`;
      writeJsonLines(
        own,
        cases.filter((__, index) => index % PROCESSES === lane),
      );
      await runPython({
        environment: folders["crewai"] ?? "",
        script,
        args: [own, address],
        env: { CREWAI_STORAGE_DIR: `world-crews-${lane}` },
        cwd: scratch,
        output: file,
        signal,
      });
      return readJsonLines<Outcome>(file);
    }),
  );
  return new Map(lanes.flat().map((outcome) => [outcome.id, outcome]));
}

function missing({ id }: CrewCase): Outcome {
  return {
    id,
    status: "hangs",
    toolCalls: [],
    done: [],
    steps: [],
    marks: [],
    calls: {},
    seen: {},
  };
}
