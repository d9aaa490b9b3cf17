import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { DeliveryView } from "../../../src/triggers/deliveries.ts";
import { DELIVERY_OUTCOMES, type DeliveryOutcome } from "../../../src/triggers/delivery-store.ts";
import { client } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { formatBytes, inWords, shortId } from "../../parts/format.ts";
import { PlainText } from "../../parts/text.tsx";
import { Moment } from "../../parts/time.tsx";
import { Viewer } from "../../parts/viewer.tsx";
import { useMay } from "../../shell/session.ts";
import { Answered, Empty, Failed } from "../../shell/states.tsx";
import { TableScroll } from "../../parts/table-scroll.tsx";

const REFRESH_MS = 10_000;
const LOOKS: Readonly<Record<DeliveryOutcome, string>> = {
  started: "good",
  repeated: "busy",
  handshake: "busy",
  refused: "bad",
  failed: "bad",
};

/** Texts for the API's one-word reasons. */
const REASONS: Readonly<Record<string, string>> = {
  signature: "The signature does not fit the secret.",
  time: "It was signed too long ago, or the clocks differ.",
};

type Props = { readonly hook: string; readonly outcome: string | undefined };

const isOutcome = (text: string | undefined): text is DeliveryOutcome =>
  (DELIVERY_OUTCOMES as readonly (string | undefined)[]).includes(text);

/** Received requests of the webhook, newest first. */
export function Deliveries({ hook, outcome: wanted }: Props) {
  const navigate = useNavigate();
  const isAdmin = useMay("admin");
  const [opened, open] = useState<string>();
  const outcome = isOutcome(wanted) ? wanted : undefined;
  const query = useInfiniteQuery({
    queryKey: ["triggers", "deliveries", hook, outcome],
    queryFn: ({ pageParam }) =>
      client.webhooks.deliveries(hook, {
        limit: 50,
        ...(outcome === undefined ? undefined : { outcome }),
        ...(pageParam === "" ? undefined : { cursor: pageParam }),
      }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: REFRESH_MS,
  });
  return (
    <section className="card" aria-label="Deliveries">
      <header>
        <h2>Deliveries</h2>
        <select
          className="chip"
          aria-label="Outcome"
          value={outcome ?? ""}
          onChange={(event) => {
            const chosen = event.target.value;
            void navigate({
              to: "/triggers",
              search: { hook, ...(chosen === "" ? undefined : { outcome: chosen }) },
            });
          }}
        >
          <option value="">All outcomes</option>
          {DELIVERY_OUTCOMES.map((each) => (
            <option key={each} value={each}>
              {inWords(each)}
            </option>
          ))}
        </select>
      </header>
      <Answered query={query}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0)
            return (
              <Empty
                title={
                  outcome === undefined ? "No deliveries yet" : "No deliveries with this outcome"
                }
              >
                <p>The newest 100 deliveries of the last 30 days appear here.</p>
              </Empty>
            );
          return <DeliveryTable items={items} onOpen={isAdmin ? open : undefined} />;
        }}
      </Answered>
      {query.hasNextPage && (
        <p className="table-foot">
          <button type="button" className="button small" onClick={() => void query.fetchNextPage()}>
            Older ones
          </button>
        </p>
      )}
      {opened !== undefined && (
        <OneDelivery hook={hook} id={opened} onClose={() => open(undefined)} />
      )}
    </section>
  );
}

type TableProps = {
  readonly items: readonly DeliveryView[];
  readonly onOpen: ((id: string) => void) | undefined;
};

function DeliveryTable({ items, onOpen }: TableProps) {
  return (
    <TableScroll label="All deliveries">
      <table aria-label="Deliveries">
        <thead>
          <tr>
            <th>When</th>
            <th>Outcome</th>
            <th>Event</th>
            <th>Run, or why not</th>
            <th className="number">Size</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ id, at, outcome, status, event, runId, reason, bytes, count }) => (
            <tr key={id} className="delivery">
              <td>
                {onOpen === undefined ? (
                  <Moment at={at} />
                ) : (
                  <button type="button" className="button small plain" onClick={() => onOpen(id)}>
                    <Moment at={at} />
                  </button>
                )}
              </td>
              <td>
                <span className={`badge ${LOOKS[outcome]}`}>{inWords(outcome)}</span>{" "}
                <span className="soft">{status}</span>
                {count > 1 && <span className="badge"> ×{count}</span>}
              </td>
              <td>{event}</td>
              <td className="reason">
                {runId === undefined ? (
                  <PlainText text={REASONS[reason ?? ""] ?? reason ?? ""} />
                ) : (
                  <Link to="/runs/$id" params={{ id: runId }} className="mono">
                    {shortId(runId).slice(0, 18)}
                  </Link>
                )}
              </td>
              <td className="number">{formatBytes(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  );
}

type OneProps = { readonly hook: string; readonly id: string; readonly onClose: () => void };

function OneDelivery({ hook, id, onClose }: OneProps) {
  const query = useQuery({
    queryKey: ["triggers", "delivery", hook, id],
    queryFn: () => client.webhooks.delivery(hook, id),
  });
  return (
    <Dialog title="Delivery" isWide onClose={onClose}>
      {query.error !== null && <Failed error={query.error} />}
      {query.data !== undefined && (
        <>
          <dl className="facts">
            <dt>Came</dt>
            <dd>
              <Moment at={query.data.at} />
            </dd>
            <dt>Outcome</dt>
            <dd>
              {query.data.outcome}, answered with {query.data.status}
            </dd>
            {query.data.reason !== undefined && (
              <>
                <dt>Reason</dt>
                <dd>
                  <PlainText text={query.data.reason} />
                </dd>
              </>
            )}
          </dl>
          {query.data.body === undefined ? (
            <p className="soft">This webhook keeps no bodies.</p>
          ) : (
            <Viewer value={query.data.body} label="body" />
          )}
          {query.data.truncated !== undefined && (
            <p className="small soft">Cut: the body had {formatBytes(query.data.truncated)}.</p>
          )}
        </>
      )}
      <div className="form-actions">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
