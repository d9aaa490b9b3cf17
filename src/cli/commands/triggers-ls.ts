import type { JsonValue } from "../../base/json.ts";
import { command } from "../command.ts";
import { everyPage } from "../every-page.ts";
import { inZone } from "../schedule-lines.ts";

/** `edgecrew triggers ls`: schedules and webhooks. */
export const triggersLs = command({
  name: "triggers ls",
  about: "list schedules and webhooks",
  example: "edgecrew triggers ls",
  options: {},
  run: async ({ client, out }) => {
    const { schedules, webhooks } = await client();
    const [timed, hooks] = await Promise.all([
      everyPage((page) => schedules.list(page)),
      everyPage((page) => webhooks.list(page)),
    ]);
    const rows = [
      ...timed.map(({ id, target, cron, paused, next: [next], timeZone }) => ({
        kind: "schedule",
        name: id,
        target,
        when:
          paused || next === undefined ? `${cron}, paused` : `${cron}, ${inZone(next, timeZone)}`,
      })),
      ...hooks.map(({ name, target, scheme, path }) => ({
        kind: "webhook",
        name,
        target,
        when: `${scheme}, POST ${path}`,
      })),
    ];
    const value = { schedules: timed, webhooks: hooks } as unknown as JsonValue;
    out.table({ rows, value, none: "No schedules and no webhooks." }, [
      { title: "KIND", of: ({ kind }) => kind },
      { title: "NAME", of: ({ name }) => name },
      { title: "STARTS", of: ({ target }) => `${target.kind} ${target.name}` },
      { title: "WHEN", of: ({ when }) => when },
    ]);
  },
});
