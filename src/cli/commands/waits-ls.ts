import type { JsonValue } from "../../base/json.ts";
import type { EdgecrewClient } from "../../client/index.ts";
import { command, type CliContext } from "../command.ts";
import { openWaits, waitColumns } from "../waits.ts";

/** `edgecrew waits ls`: lists the inbox of people who answer. */
export const waitsLs = command({
  name: "waits ls",
  serves: true,
  about: "list the questions that runs wait for, the oldest first",
  example: "edgecrew waits ls",
  options: {},
  run: async (context) => listWaits(context, await context.client()),
});

export async function listWaits({ out, clock }: CliContext, client: EdgecrewClient): Promise<void> {
  const rows = await openWaits(client);
  const value = rows as unknown as JsonValue;
  out.table({ rows, value, none: "No run waits for an answer." }, waitColumns(clock.now()));
}
