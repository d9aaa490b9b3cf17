import {
  foldWords,
  type CallWords,
  type RemoteRun,
  type Run,
  type Words,
} from "../client/index.ts";
import { ask, questionsOf } from "./ask.ts";
import { CliFailure } from "./cli-failure.ts";
import type { CliContext } from "./command.ts";
import { plain } from "./output.ts";

/**
 * Follows a turn to its end: prints text as it arrives, and asks questions. Returns the run; `shown` is the text
 * already printed.
 */
export async function followTurn(
  context: CliContext,
  run: RemoteRun,
): Promise<{ readonly run: Run; readonly shown: string }> {
  const { out, signal } = context;
  const streams = out.stdout.isTerminal && !out.isJson;
  let words: Words = {};
  const live = new Set<string>();
  let speaker: string | undefined;
  let shown = "";
  for await (const event of run.events({ signal })) {
    words = foldWords(words, event);
    if (event.type === "run_waiting") await answerWaits(context, run);
    if (!streams) continue;
    if (!("seq" in event) && "callId" in event) live.add(event.callId);
    const call = Object.values(words).find(
      (each) => live.has(each.callId) && isSaid(each) && (speaker ?? each.callId) === each.callId,
    );
    if (call === undefined || !call.text.startsWith(shown)) continue;
    speaker = call.callId;
    out.stdout.write(visible(call.text.slice(shown.length)));
    shown = call.text;
  }
  signal.throwIfAborted();
  return { run: await run.status(), shown };
}

/**
 * True for text meant for the person: not of a crew that works within the turn, and no data such as a router's label.
 */
const isSaid = ({ callId, text }: CallWords): boolean =>
  text !== "" && !callId.includes("task:") && !/^\s*[[{]/.test(text);

const MOVES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Removes cursor movements, except line ends. */
export function visible(text: string): string {
  return text.replace(MOVES, "");
}

async function answerWaits({ prompt, signal }: CliContext, run: RemoteRun): Promise<void> {
  const { waits } = await run.status();
  for (const wait of questionsOf(waits)) {
    if (prompt === undefined)
      throw new CliFailure(3, `run ${run.id} waits: ${plain(wait.prompt ?? wait.key)}`, {
        fix: `edgecrew waits answer ${run.id} ${wait.key}`,
      });
    await run.resume(await ask(prompt, wait, signal));
  }
}
