import { EngineError, type WaitSummary } from "../../client/index.ts";
import { ask } from "../ask.ts";
import { command, type CliContext } from "../command.ts";
import { counted } from "../counted.ts";
import type { Prompter } from "../prompter.ts";
import { age } from "../times.ts";
import { openWaits } from "../waits.ts";
import { listWaits } from "./waits-ls.ts";

/** `edgecrew waits`: goes through the inbox, one question after the other. Prints a list without a terminal. */
export const waits = command({
  name: "waits",
  serves: true,
  about: "answer open questions of runs, one by one; without a terminal, list them",
  example: "edgecrew waits",
  options: {},
  run: async (context) => {
    const client = await context.client();
    const { prompt, out } = context;
    if (prompt === undefined || out.isJson) return listWaits(context, client);
    const skipped = new Set<string>();
    let answered = 0;
    for (;;) {
      const left = (await openWaits(client)).filter((wait) => !skipped.has(placeOf(wait)));
      const [wait] = left;
      if (wait === undefined) break;
      const did = await answerOne(context, prompt, { wait, left: left.length });
      if (did === "stop") break;
      if (did === "answered") answered++;
      skipped.add(placeOf(wait)); // the list may still contain answered waits
    }
    out.note(answered === 0 ? "No question was answered." : `${counted(answered, "answer")} sent.`);
    return 0;
  },
});

const placeOf = ({ run, key, openedAt }: WaitSummary): string => `${run.id} ${key} ${openedAt}`;

async function answerOne(
  { client, out, signal, clock }: CliContext,
  prompt: Prompter,
  { wait, left }: { readonly wait: WaitSummary; readonly left: number },
): Promise<"answered" | "skip" | "stop" | "gone"> {
  const { run, openedAt } = wait;
  const message = `${run.kind} ${run.name}, run ${run.id}, for ${age(openedAt, clock.now())}; ${counted(left, "question")} left`;
  const chosen = await prompt.choose({ message, signal }, [
    { value: "answer" as const },
    { value: "skip" as const },
    { value: "stop" as const },
  ]);
  if (chosen !== "answer") return chosen;
  const handle = (await client()).runs.handle(run.id);
  for (;;) {
    const answer = await ask(prompt, wait, signal);
    try {
      await handle.resume(answer);
      return "answered";
    } catch (error) {
      if (!EngineError.is(error)) throw error;
      if (error.code === "conflict" || error.code === "not_found") {
        out.note("It was answered elsewhere.");
        return "gone";
      }
      if (error.code !== "invalid_input") throw error;
      out.fault(error.message);
    }
  }
}
