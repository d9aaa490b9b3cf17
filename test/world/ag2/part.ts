// Random conversations on AG2 and on Edgecrew, against one scripted model server.
import { writeFileSync } from "node:fs";
import { ag2 } from "../needs/environments.ts";
import { mapAtMost } from "../../../src/base/concurrency.ts";
import type { PartContext, WorldPart } from "../part.ts";
import { explain } from "../support/accepted.ts";
import { writeJsonLines } from "../support/json-lines.ts";
import { runPythonLanes } from "../support/python-lanes.ts";
import { ACCEPTED_CONVERSATIONS } from "./accepted.ts";
import { compareOutcomes, describeDifference } from "./compare-outcomes.ts";
import type { ConversationCase } from "./conversation-case.ts";
import { generateCases } from "./generate.ts";
import type { Outcome } from "./outcome.ts";
import { runOnEdgecrew } from "./run-edgecrew.ts";
import { ScriptServer } from "./script-server.ts";

const SLICE = 32;
const WHOLE = 1_000;
/** Processes of AG2 beside each other. */
const PROCESSES = 2;
/** Conversations of ours beside each other. */
const AT_ONCE = 4;

export const part: WorldPart = {
  name: "ag2",
  title: "Random conversations",
  needs: [ag2],
  sliceSeconds: 150,
  wholeSeconds: 3_600,
  async run(context) {
    const { seed, slice, count = slice ? SLICE : WHOLE, scratch, say, atEnd } = context;
    const cases = generateCases(seed, count);
    const server = new ScriptServer(cases);
    atEnd(() => server.close());
    const address = await server.listen();
    const ours = await runOurs(cases, server, address);
    writeJsonLines(`${scratch}/cases.jsonl`, cases);
    writeJsonLines(`${scratch}/ours.jsonl`, [...ours.values()]);
    say(`${ours.size} conversations ran on Edgecrew`);
    const theirs = await runTheirs(cases, address, context);
    say(`${theirs.size} conversations ran on AG2`);
    const compared = cases.map((each) => {
      const our = ours.get(each.id) ?? missing(each);
      const their = theirs.get(each.id) ?? missing(each);
      return { id: each.id, differences: compareOutcomes(each, our, their) };
    });
    const { passed, differences, failures } = explain(
      compared,
      ACCEPTED_CONVERSATIONS,
      describeDifference,
    );
    writeFileSync(`${scratch}/failures.json`, JSON.stringify(failures, undefined, 2));
    return { upstream: "AG2 0.14.0", tried: cases.length, passed, differences, failures };
  },
};

async function runOurs(
  cases: readonly ConversationCase[],
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
  cases: readonly ConversationCase[],
  address: string,
  { folders, scratch, signal }: PartContext,
): Promise<Map<string, Outcome>> {
  const environment = folders["ag2"] ?? "";
  return runPythonLanes({
    cases,
    processes: PROCESSES,
    address,
    scratch,
    environment,
    script: new URL("run_ag2.py", import.meta.url),
    signal,
    env: () => ({
      PYTHONDONTWRITEBYTECODE: "",
      PYTHONPYCACHEPREFIX: `${environment}/compiled`,
    }),
  });
}

function missing({ id }: ConversationCase): Outcome {
  return { id, status: "hangs", chats: [], toolCalls: [], calls: {}, seen: {} };
}
