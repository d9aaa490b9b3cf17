// Plays cases on both sides, and lists where they differ.
import { mapAtMost } from "../../../src/base/concurrency.ts";
import type { PartContext } from "../part.ts";
import type { Compared } from "../support/accepted.ts";
import { writeJsonLines } from "../support/json-lines.ts";
import { runPythonLanes } from "../support/python-lanes.ts";
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
  const outcomes = await mapAtMost(cases, AT_ONCE, async (each): Promise<Outcome> => ({
    ...(await runOnEdgecrew(each, address)),
    ...server.asked("ours", each.id),
  }));
  return new Map(outcomes.map((outcome) => [outcome.id, outcome]));
}

function runTheirs(
  cases: readonly CrewCase[],
  address: string,
  { folders, scratch, signal }: PlayContext,
): Promise<Map<string, Outcome>> {
  const environment = folders["crewai"] ?? "";
  return runPythonLanes({
    cases,
    processes: PROCESSES,
    address,
    scratch,
    environment,
    script: new URL("run_crewai.py", import.meta.url),
    signal,
    env: (lane) => ({ CREWAI_STORAGE_DIR: `world-crews-${lane}` }),
  });
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
