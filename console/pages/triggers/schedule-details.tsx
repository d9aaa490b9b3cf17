import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { ScheduleDetails as Details } from "../../../src/client/index.ts";
import { client } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { inWords, shortId } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Age, Moment } from "../../parts/time.tsx";
import { Viewer } from "../../parts/viewer.tsx";
import { errorText } from "../../shell/error-text.ts";
import { useMay } from "../../shell/session.ts";
import { Answered } from "../../shell/states.tsx";
import { useCronWords } from "./cron-words.ts";
import { TargetLink } from "./target-link.tsx";
import { ownZone, timeIn } from "./zones.ts";
import { TableScroll } from "../../parts/table-scroll.tsx";

const REFRESH_MS = 10_000;

export function ScheduleDetails({ id }: { readonly id: string }) {
  const query = useQuery({
    queryKey: ["triggers", "schedule", id],
    queryFn: () => client.schedules.get(id),
    refetchInterval: REFRESH_MS,
  });
  return (
    <section className="card" aria-label={`Schedule ${id}`}>
      <Answered query={query}>{(schedule) => <Shown schedule={schedule} />}</Answered>
    </section>
  );
}

function Shown({ schedule }: { readonly schedule: Details }) {
  const { id, cron, timeZone, target, paused, source, missed, overlap, inputs } = schedule;
  const { words } = useCronWords(cron);
  return (
    <>
      <header>
        <h2 className="cut">{id}</h2>
        {paused && <span className="badge wait">paused</span>}
        <Link to="/triggers" className="button small only-narrow">
          All triggers
        </Link>
      </header>
      <div className="card-body stack">
        <p>
          <strong>{words || cron}</strong>
          <span className="soft">, {timeZone}</span>
        </p>
        <Actions schedule={schedule} />
        <dl className="facts">
          <dt>Cron</dt>
          <dd>
            <code>{cron}</code>
          </dd>
          <dt>Starts</dt>
          <dd>
            <TargetLink target={target} />
          </dd>
          <dt>Comes from</dt>
          <dd>
            {source === "code" ? "the deployed code" : "stored in the console or over the API"}
          </dd>
          <dt>Missed times</dt>
          <dd>
            {missed === "skip"
              ? "are not made up for"
              : missed === "latest"
                ? "the newest is started"
                : "all are started"}
          </dd>
          <dt>While one runs</dt>
          <dd>{overlap === "allow" ? "the next one starts, too" : "the next one is left out"}</dd>
        </dl>
        {Object.keys(inputs).length > 0 && (
          <section>
            <h3>Inputs</h3>
            <Viewer value={inputs} label="inputs" />
          </section>
        )}
        <NextTimes schedule={schedule} />
        <Firings schedule={schedule} />
      </div>
    </>
  );
}

function NextTimes({ schedule: { next, timeZone, paused } }: { readonly schedule: Details }) {
  const own = ownZone();
  if (next.length === 0)
    return (
      <p className="soft">{paused ? "No run starts while it is paused." : "No time comes."}</p>
    );
  const zones = own === timeZone ? [timeZone] : [timeZone, own];
  return (
    <section className="stack">
      <h3>Next times</h3>
      <TableScroll label="Next times">
        <table aria-label="Next times">
          <thead>
            <tr>
              <th>In</th>
              {zones.map((zone, index) => (
                <th key={zone}>
                  {zone}
                  {index === 1 && " (here)"}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {next.map((at) => (
              <tr key={at}>
                <td className="soft">
                  <Age at={at} />
                </td>
                {zones.map((zone) => (
                  <td key={zone}>
                    <time dateTime={at} title={at}>
                      {timeIn(zone, at)}
                    </time>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
    </section>
  );
}

const LOOKS = { started: "good", skipped: "wait", missed: "wait", failed: "bad" } as const;

function Firings({ schedule: { runs, timeZone } }: { readonly schedule: Details }) {
  if (runs.length === 0) return <p className="soft">It has not started anything yet.</p>;
  return (
    <section className="stack">
      <h3>Last times</h3>
      <TableScroll label="Last times">
        <table aria-label="Last times">
          <thead>
            <tr>
              <th>When</th>
              <th>For</th>
              <th>Outcome</th>
              <th>Run</th>
            </tr>
          </thead>
          <tbody>
            {runs.map(({ at, slot, outcome, runId, until, error }) => (
              <tr key={`${at} ${slot ?? ""}`}>
                <td>
                  <Moment at={at} />
                </td>
                <td className="soft">
                  {slot === undefined ? "by hand" : timeIn(timeZone, slot)}
                  {until !== undefined && ` to ${timeIn(timeZone, until)}`}
                </td>
                <td>
                  <span className={`badge ${LOOKS[outcome]}`}>{inWords(outcome)}</span>{" "}
                  {error !== undefined && <PlainText text={error} />}
                </td>
                <td>
                  {runId !== undefined && (
                    <Link to="/runs/$id" params={{ id: runId }} className="mono">
                      {shortId(runId)}
                    </Link>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
    </section>
  );
}

function Actions({ schedule: { id, paused, source } }: { readonly schedule: Details }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayRun = useMay("run");
  const isAdmin = useMay("admin");
  const [asks, ask] = useState(false);
  const [runId, setRunId] = useState<string>();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (how: "run" | "pause" | "unpause" | "delete"): Promise<void> => {
      if (how === "run") setRunId((await client.schedules.run(id)).id);
      else await client.schedules[how](id);
    },
    onSuccess: async (_, how) => {
      if (how === "delete") await navigate({ to: "/triggers" });
      await queries.invalidateQueries({
        predicate: ({ queryKey }) =>
          queryKey[0] === "triggers" && !(how === "delete" && queryKey[2] === id),
      });
    },
  });
  return (
    <div className="stack">
      <div className="cluster">
        {mayRun && (
          <button
            type="button"
            className="button"
            disabled={isPending}
            onClick={() => mutate("run")}
          >
            <Icon name="play" size={15} /> Run now
          </button>
        )}
        {isAdmin && (
          <button
            type="button"
            className="button"
            disabled={isPending}
            onClick={() => mutate(paused ? "unpause" : "pause")}
          >
            <Icon name={paused ? "play" : "pause"} size={15} /> {paused ? "Go on" : "Pause"}
          </button>
        )}
        {isAdmin && source === "stored" && (
          <button type="button" className="button" onClick={() => ask(true)}>
            Delete
          </button>
        )}
      </div>
      {runId !== undefined && (
        <p className="note" role="status">
          <span>
            Started{" "}
            <Link to="/runs/$id" params={{ id: runId }}>
              {shortId(runId)}
            </Link>
            .
          </span>
        </p>
      )}
      {error !== null && !asks && (
        <p className="fault" role="alert">
          {errorText(error)}
        </p>
      )}
      {asks && (
        <Dialog title={`Delete the schedule ${id}?`} onClose={() => ask(false)}>
          <p>It no longer starts runs. Runs that it has started continue.</p>
          {error !== null && (
            <p className="fault" role="alert">
              {errorText(error)}
            </p>
          )}
          <div className="form-actions">
            <button
              type="button"
              className="button main"
              disabled={isPending}
              onClick={() => mutate("delete")}
            >
              Delete the schedule
            </button>
            <button type="button" className="button" onClick={() => ask(false)}>
              Keep it
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
