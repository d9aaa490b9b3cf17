import { CliFailure, wrongUse } from "./cli-failure.ts";
import type { CliContext } from "./command.ts";

/** Asks before something is deleted or overwritten. Throws exit code 2 where nobody can be asked, and 130 for a no. */
export async function confirmed(
  { global, prompt, signal }: Pick<CliContext, "global" | "prompt" | "signal">,
  message: string,
): Promise<void> {
  if (global.yes) return;
  if (prompt === undefined) throw wrongUse(message, "--yes does it without a question");
  if (!(await prompt.confirm({ message, signal })))
    throw new CliFailure(130, "nothing was changed");
}
