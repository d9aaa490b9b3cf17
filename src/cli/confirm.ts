// Asks before irreversible actions.
//
//   CNF1. Commands that delete or overwrite ask first, with the number of items. `--yes` answers for the person.
//         Without it and without a terminal, the command is wrong use.
import { CliFailure, wrongUse } from "./cli-failure.ts";
import type { CliContext } from "./command.ts";

/**
 * Asks for permission to do `what`, as in `delete 3 documents`. Throws exit code 1 if the person refuses, and 2 without
 * a terminal.
 */
export async function confirm(
  { prompt, global: { yes }, signal }: Pick<CliContext, "prompt" | "global" | "signal">,
  what: string,
): Promise<void> {
  if (yes) return;
  if (prompt === undefined)
    throw wrongUse(`this would ${what}, and no terminal is there to confirm it`, "add --yes");
  const message = `${what.slice(0, 1).toUpperCase()}${what.slice(1)}?`;
  if (await prompt.confirm({ message, initial: false, signal })) return;
  throw new CliFailure(1, "no change was made", { code: "declined" });
}
