import type { JsonValue } from "../../base/json.ts";
import { command } from "../command.ts";
import { everyPage } from "../every-page.ts";
import { inZone } from "../schedule-lines.ts";

/** `edgecrew schedules ls`: schedules with their next time. */
export const schedulesLs = command({
  name: "schedules ls",
  about: "list schedules, each with its next time",
  example: "edgecrew schedules ls",
  options: {},
  run: async ({ client, out }) => {
    const { schedules } = await client();
    const rows = await everyPage((page) => schedules.list(page));
    const value = { items: rows } as unknown as JsonValue;
    out.table({ rows, value, none: "There are no schedules." }, [
      { title: "ID", of: ({ id }) => id },
      { title: "CRON", of: ({ cron }) => cron },
      { title: "STARTS", of: ({ target }) => `${target.kind} ${target.name}` },
      { title: "FROM", of: ({ source }) => source },
      {
        title: "NEXT",
        of: ({ paused, next: [next], timeZone }) =>
          paused ? "paused" : next === undefined ? "never" : inZone(next, timeZone),
      },
    ]);
  },
});
