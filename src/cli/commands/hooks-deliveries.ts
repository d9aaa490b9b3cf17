import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { Run } from "../../client/index.ts";
import { command } from "../command.ts";
import { everyPage } from "../every-page.ts";
import { age } from "../times.ts";

/** Number of runs of the webhook's target to search. */
const LOOKED_THROUGH = 500;

/** `edgecrew hooks deliveries`: lists the runs of deliveries. */
export const hooksDeliveries = command({
  name: "hooks deliveries",
  about: "list the runs that deliveries to a webhook started, newest first",
  args: "<name>",
  example: "edgecrew hooks deliveries issues",
  options: { limit: { about: "maximum number", value: "n", integer: { least: 1, most: 100 } } },
  run: async ({ client, out, clock }, { args: [name = ""], options: { limit = 20 } }) => {
    const { webhooks, runs } = await client();
    const { target } = await webhooks.get(name);
    const { kind } = target;
    const started = await everyPage(
      (page) => runs.list({ ...page, kind, name: target.name }),
      LOOKED_THROUGH,
    );
    const rows: Delivered[] = [];
    for (const { id } of started.filter((run) => run.id.startsWith("hook-"))) {
      if (rows.length === limit) break;
      const delivery = deliveryOf(await runs.get(id), name);
      if (delivery !== undefined) rows.push(delivery);
    }
    const nowMs = clock.now();
    const value = { items: rows } as unknown as JsonValue;
    out.table({ rows, value, none: `No delivery to ${name} has started a run.` }, [
      { title: "RUN", of: ({ runId }) => runId },
      { title: "STATUS", of: ({ status }) => status },
      { title: "AGE", of: ({ at }) => age(at, nowMs) },
      { title: "EVENT", of: ({ event }) => event ?? "" },
      { title: "DELIVERY", of: ({ delivery }) => delivery },
    ]);
  },
});

type Delivered = {
  readonly runId: string;
  readonly status: string;
  readonly at: string;
  readonly delivery: string;
  readonly event: string | null;
};

function deliveryOf({ id, status, createdAt, meta }: Run, hook: string): Delivered | undefined {
  const trigger = meta?.["trigger"];
  if (!isJsonObject(trigger) || trigger["kind"] !== "hook" || trigger["name"] !== hook)
    return undefined;
  const { delivery, event } = trigger;
  return {
    runId: id,
    status,
    at: createdAt,
    delivery: typeof delivery === "string" ? delivery : "",
    event: typeof event === "string" ? event : null,
  };
}
