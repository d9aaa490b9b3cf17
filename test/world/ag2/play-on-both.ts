// Plays conversations on both sides, and lists where they differ.
import { mapAtMost } from "../../../src/base/concurrency.ts";
import type { PartContext } from "../part.ts";
import type { Compared } from "../support/accepted.ts";
import { writeJsonLines } from "../support/json-lines.ts";
import { runPythonLanes } from "../support/python-lanes.ts";
import { compareOutcomes, type ConversationDifference } from "./compare-outcomes.ts";
import type { ConversationCase } from "./conversation-case.ts";
import type { Outcome } from "./outcome.ts";
import { runOnEdgecrew } from "./run-edgecrew.ts";
import { ScriptServer } from "./script-server.ts";

/** Processes of AG2 beside each other. */
const PROCESSES = 2;
/** Conversations of ours beside each other. */
const AT_ONCE = 4;

type PlayContext = Pick<PartContext, "folders" | "scratch" | "signal" | "say" | "atEnd">;

export async function playOnBoth(
  cases: readonly ConversationCase[],
  context: PlayContext,
): Promise<readonly Compared<ConversationDifference>[]> {
  const { scratch, say, atEnd } = context;
  const server = new ScriptServer(cases);
  atEnd(() => server.close());
  const address = await server.listen();
  const ours = await runOurs(cases, server, address);
  writeJsonLines(`${scratch}/cases.jsonl`, cases);
  writeJsonLines(`${scratch}/ours.jsonl`, [...ours.values()]);
  say(`${ours.size} conversations ran on Edgecrew`);
  const theirs = await runTheirs(cases, address, context);
  say(`${theirs.size} conversations ran on AG2`);
  return cases.map((each) => {
    const our = ours.get(each.id) ?? missing(each);
    const their = theirs.get(each.id) ?? missing(each);
    return { id: each.id, differences: compareOutcomes(each, our, their) };
  });
}

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
  { folders, scratch, signal }: PlayContext,
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
