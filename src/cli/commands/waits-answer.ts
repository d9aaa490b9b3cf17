import type { JsonValue } from "../../base/json.ts";
import type { ResumeRequest, Wait } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { findRun } from "../find-run.ts";
import { waitOf } from "../waits.ts";

/** `edgecrew waits answer`: answers a wait of a run. */
export const waitsAnswer = command({
  name: "waits answer",
  serves: true,
  about: "answer a run's open question",
  args: "<run> [key]",
  example: "edgecrew waits answer 6dcb20 --approve",
  options: {
    approve: { about: "yes" },
    reject: { about: "no, and a change request", value: "reason" },
    feedback: { about: "an answer in words", value: "text" },
    value: { about: "an answer as data", value: "json" },
    choice: { about: "one of its choices", value: "choice" },
    by: { about: "name of the person", value: "name" },
  },
  run: async ({ client, out }, { args: [text = "", key], options }) => {
    const answer = answerOf(options);
    const edgecrew = await client();
    const id = await findRun(edgecrew, text);
    const wait = await waitOf(edgecrew, { id, key });
    checkChoice(wait, options.choice);
    const { by } = options;
    const request = { key: wait.key, ...answer, ...(by === undefined ? {} : { by }) };
    const run = await edgecrew.runs.handle(id).resume(request);
    out.result(run, () => `run ${id} ${run.status}`);
  },
});

type AnswerOptions = {
  readonly approve: boolean;
  readonly reject: string | undefined;
  readonly feedback: string | undefined;
  readonly value: string | undefined;
  readonly choice: string | undefined;
};

/** An approval may have text; other answers are exclusive. */
function answerOf(options: AnswerOptions): Omit<ResumeRequest, "key"> {
  const { approve, reject, feedback, value, choice } = options;
  const words = feedback === undefined ? {} : { feedback };
  const ways: readonly (Omit<ResumeRequest, "key"> | undefined)[] = [
    approve ? { approve, ...words } : undefined,
    reject === undefined ? undefined : { approve: false, feedback: reject },
    feedback === undefined || approve ? undefined : words,
    value === undefined ? undefined : { value: jsonOf(value) },
    choice === undefined ? undefined : { value: choice },
  ];
  const [answer, another] = ways.filter((way) => way !== undefined);
  if (answer !== undefined && another === undefined) return answer;
  throw wrongUse("say one of --approve, --reject, --feedback, --value and --choice");
}

function jsonOf(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw wrongUse(
      `--value: expected JSON: ${(error as Error).message}`,
      `a text is written '"like this"'`,
    );
  }
}

function checkChoice({ choices }: Wait, choice: string | undefined): void {
  if (choice === undefined || choices?.includes(choice)) return;
  if (choices === undefined)
    throw wrongUse("the question has no choices", "--approve, --feedback or --value");
  throw wrongUse(`--choice: expected one of ${choices.join(", ")}; got ${JSON.stringify(choice)}`);
}
