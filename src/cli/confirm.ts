// Leave to do what cannot be undone.
//
//   CNF1. Whatever deletes or overwrites asks first, with the number of things. `--yes` answers for the person; where nobody can be asked, its absence is wrong use.
import { CliFailure, wrongUse } from "./cli-failure.ts";
import type { CliContext } from "./command.ts";

/** Resolves when it may be done. Throws exit code 1 for a person who says no, and 2 where nobody can be asked. */
export async function confirmed(
  { global, prompt, signal }: Pick<CliContext, "global" | "prompt" | "signal">,
  question: string,
): Promise<void> {
  if (global.yes) return;
  if (prompt === undefined)
    throw wrongUse(`${question} Nobody can be asked here`, "add --yes to do it");
  if (await prompt.confirm({ message: question, initial: false, signal })) return;
  throw new CliFailure(1, "nothing was changed", { code: "declined" });
}
