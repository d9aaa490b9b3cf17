import { useQuery } from "@tanstack/react-query";
import { EngineError } from "../../../src/client/index.ts";
import type { WebhookAttempts as Delivery } from "../../../src/runtime/deliveries/webhook-list.ts";
import type { Page, RunView } from "../../api-types.ts";
import { transport } from "../../api.ts";
import { plural } from "../../parts/format.ts";
import { TableScroll } from "../../parts/table-scroll.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Age, Moment } from "../../parts/time.tsx";
import { Answered } from "../../shell/states.tsx";
import { isOver } from "./use-run.ts";

const REFRESH_MS = 5000;

/** A run's events not accepted by its webhooks: pending retries, and abandoned ones. */
export function WebhookAttempts({ run }: { readonly run: RunView }) {
  const query = useQuery({
    queryKey: ["run", run.id, "webhooks"],
    queryFn: ({ signal }) =>
      transport.json<Page<Delivery>>(`/runs/${encodeURIComponent(run.id)}/webhooks`, { signal }),
    retry: false,
    refetchInterval: ({ state }) =>
      !isOver(run.status) || state.data?.items.some((each) => each.state === "pending") === true
        ? REFRESH_MS
        : false,
  });
  // A run from a file has no deliveries.
  if (EngineError.is(query.error) && query.error.code === "not_found") return null;
  return (
    <section className="card" aria-label="Webhooks">
      <header>
        <h2>Webhooks</h2>
        {query.data !== undefined && query.data.items.length > 0 && (
          <span className="soft small">
            {plural(query.data.items.length, "delivery", "deliveries")} not taken
          </span>
        )}
      </header>
      <Answered query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="card-body soft">
              No delivery is pending. The <code>webhooks</code> of a kickoff get this run&apos;s
              events. Failed deliveries appear here, with the reason.
            </p>
          ) : (
            <Deliveries items={items} />
          )
        }
      </Answered>
    </section>
  );
}

function Deliveries({ items }: { readonly items: readonly Delivery[] }) {
  return (
    <TableScroll label="Deliveries of webhooks">
      <table aria-label="Deliveries of webhooks">
        <thead>
          <tr>
            <th>State</th>
            <th>To</th>
            <th>Event</th>
            <th className="number">Attempts</th>
            <th>Next attempt, or abandoned</th>
            <th>Why not yet</th>
          </tr>
        </thead>
        <tbody>
          {items.map((each) => (
            <tr key={`${each.target} ${each.seq} ${each.state}`}>
              <td>
                <span className={`badge ${each.state === "pending" ? "wait" : "bad"}`}>
                  {each.state === "pending" ? "Tried again" : "Abandoned"}
                </span>
              </td>
              <td className="mono">
                <PlainText text={each.target} />
              </td>
              <td>
                <span className="soft number">{each.seq}</span> {each.type}
              </td>
              <td className="number">{each.attempts}</td>
              <td>
                {each.nextAt !== undefined && <Age at={each.nextAt} />}
                {each.at !== undefined && <Moment at={each.at} />}
              </td>
              <td>
                <PlainText text={each.error ?? ""} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  );
}
