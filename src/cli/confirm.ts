// Leave to do what cannot be undone.
//
//   CNF1. Whatever deletes or overwrites asks first, with the number of things. `--yes` answers for the person; where nobody can be asked, its absence is wrong use.
import { CliFailure, wrongUse } from "./cli-failure.ts";
import type { CliContext } from "./command.ts";

/** Asks whether to do `what`, as in `delete 3 documents`. Throws exit code 1 for a person who says no, and 2 where nobody can be asked. */
export async function confirm(
  { prompt, global: { yes }, signal }: Pick<CliContext, "prompt" | "global" | "signal">,
  what: string,
): Promise<void> {
  if (yes) return;
  if (prompt === undefined)
    throw wrongUse(`this would ${what}, and nobody can be asked`, "say it with --yes");
  const message = `${what.slice(0, 1).toUpperCase()}${what.slice(1)}?`;
  if (await prompt.confirm({ message, initial: false, signal })) return;
  throw new CliFailure(1, "nothing was changed", { code: "declined" });
}
