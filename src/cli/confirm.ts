import { CliFailure, wrongUse } from "./cli-failure.ts";
import type { CliContext } from "./command.ts";

/**
 * Asks before something is deleted or overwritten; `what` is said with the number of things, as in `delete 3 documents`.
 * Returns where the person says yes, or `--yes` does. Throws exit code 2 where nobody can be asked, and 1 after a no.
 */
export async function confirm(
  { prompt, global: { yes } }: Pick<CliContext, "prompt" | "global">,
  what: string,
): Promise<void> {
  if (yes) return;
  if (prompt === undefined)
    throw wrongUse(`this would ${what}, and nobody can be asked`, "say it with --yes");
  if (await prompt.confirm({ message: `${capital(what)}?`, initial: false })) return;
  throw new CliFailure(1, "nothing was done", { code: "declined" });
}

/** `1 document`, `3 documents`. */
export function count(number: number, thing: string, plural = `${thing}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? thing : plural}`;
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
