// Random conversations on AG2 and on Edgecrew, against one scripted model server.
import { writeFileSync } from "node:fs";
import { ag2 } from "../needs/environments.ts";
import type { PartContext, WorldPart } from "../part.ts";
import { explain } from "../support/accepted.ts";
import { readJsonLines, writeJsonLines } from "../support/json-lines.ts";
import { runPython } from "../support/run-python.ts";
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

/** Each process has every second conversation. */
async function runTheirs(
  cases: readonly ConversationCase[],
  address: string,
  { folders, scratch, signal }: PartContext,
): Promise<Map<string, Outcome>> {
  const script = new URL("run_ag2.py", import.meta.url);
  const lanes = await Promise.all(
    Array.from({ length: PROCESSES }, async (_, lane) => {
      const output = `${scratch}/theirs-${lane}.jsonl`;
      const own = `${scratch}/cases-${lane}.jsonl`;
      writeJsonLines(
        own,
        cases.filter((__, index) => index % PROCESSES === lane),
      );
      const environment = folders["ag2"] ?? "";
      const env = { PYTHONDONTWRITEBYTECODE: "", PYTHONPYCACHEPREFIX: `${environment}/compiled` };
      const args = [own, address];
      await runPython({ environment, script, args, env, cwd: scratch, output, signal });
      return readJsonLines<Outcome>(output);
    }),
  );
  return new Map(lanes.flat().map((outcome) => [outcome.id, outcome]));
}

function missing({ id }: ConversationCase): Outcome {
  return { id, status: "hangs", chats: [], toolCalls: [], calls: {}, seen: {} };
}
