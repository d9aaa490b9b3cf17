import { errorMessage } from "../base/error.ts";
import type { CliContext, ExitCode } from "./command.ts";

/** Does something to each of several things: a table of what became of them. Exit code 1 when one failed. */
export async function eachOf(
  { out }: Pick<CliContext, "out">,
  names: readonly string[],
  act: (name: string) => Promise<string>,
): Promise<ExitCode> {
  const rows: { readonly name: string; readonly state: string; readonly error?: string }[] = [];
  for (const name of names)
    try {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as they were named
      rows.push({ name, state: await act(name) });
    } catch (error) {
      rows.push({ name, state: "failed", error: errorMessage(error) });
    }
  out.table({ rows, value: { items: rows }, none: "" }, [
    { title: "NAME", of: ({ name }) => name },
    { title: "STATE", of: ({ state }) => state },
    { title: "ERROR", of: ({ error = "" }) => error },
  ]);
  return rows.some(({ error }) => error !== undefined) ? 1 : 0;
}
