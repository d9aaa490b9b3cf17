import { confirm, isCancel, password, select, text } from "@clack/prompts";
import { CliFailure } from "./cli-failure.ts";
import type { Prompter } from "./prompter.ts";

/** Asks at the terminal of this process, on standard error. */
export function terminalPrompter(): Prompter {
  const output = process.stderr;
  return {
    text: async ({ message, initial, check, signal }) =>
      answered(
        await text({
          message,
          output,
          ...(initial === undefined ? undefined : { initialValue: initial }),
          ...(check === undefined ? undefined : { validate: (value) => check(value ?? "") }),
          ...(signal === undefined ? undefined : { signal }),
        }),
        signal,
      ) ?? "",
    secret: async ({ message, signal }) =>
      answered(
        await password({ message, output, ...(signal === undefined ? undefined : { signal }) }),
        signal,
      ),
    confirm: async ({ message, initial = true, signal }) =>
      answered(
        await confirm({
          message,
          output,
          initialValue: initial,
          ...(signal === undefined ? undefined : { signal }),
        }),
        signal,
      ),
    choose: async ({ message, signal }, choices) =>
      answered(
        await select({
          message,
          output,
          options: choices.map(({ value, hint }) => ({ value, label: value, hint })) as never,
          ...(signal === undefined ? undefined : { signal }),
        }),
        signal,
      ),
  };
}

function answered<Answer>(
  answer: Answer,
  signal: AbortSignal | undefined,
): Exclude<Answer, symbol> {
  signal?.throwIfAborted();
  if (isCancel(answer)) throw new CliFailure(130, "left without an answer");
  return answer as Exclude<Answer, symbol>;
}
