import { errorMessage } from "../base/error.ts";
import type { CliContext } from "./command.ts";
import type { ExitCode } from "./exit-code.ts";

/** Applies an action to several items and prints a table of the results. Exit code 1 if one fails. */
export async function eachOf(
  { out }: Pick<CliContext, "out">,
  names: readonly string[],
  act: (name: string) => Promise<string>,
): Promise<ExitCode> {
  const rows: { readonly name: string; readonly state: string; readonly error?: string }[] = [];
  for (const name of names)
    try {
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
