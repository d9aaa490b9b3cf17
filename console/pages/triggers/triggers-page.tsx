import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { ScheduleView, WebhookView } from "../../../src/client/index.ts";
import { client } from "../../api.ts";
import { Age } from "../../parts/time.tsx";
import { useMay } from "../../shell/session.ts";
import { Answered, Empty } from "../../shell/states.tsx";
import { useCronWords } from "./cron-words.ts";
import { HookDetails } from "./hook-details.tsx";
import { HookForm } from "./hook-form.tsx";
import { ScheduleDetails } from "./schedule-details.tsx";
import { ScheduleForm } from "./schedule-form.tsx";
import "./triggers.css";

const LIMIT = 200;

export type TriggerSearch = {
  readonly schedule?: string;
  readonly hook?: string;
  readonly outcome?: string;
};

export function TriggersPage() {
  const search: TriggerSearch = useSearch({ from: "/triggers" });
  const [form, setForm] = useState<"schedule" | "hook">();
  const isAdmin = useMay("admin");
  const schedules = useQuery({
    queryKey: ["triggers", "schedules"],
    queryFn: () => client.schedules.list({ limit: LIMIT }),
  });
  const hooks = useQuery({
    queryKey: ["triggers", "hooks"],
    queryFn: () => client.webhooks.list({ limit: LIMIT }),
  });
  useEffect(() => {
    document.title = `${search.schedule ?? search.hook ?? "Triggers"} · Edgecrew`;
  }, [search.schedule, search.hook]);
  const isChosen = search.schedule !== undefined || search.hook !== undefined;
  const close = (): void => setForm(undefined);
  return (
    <div className="page">
      <div className="page-head">
        <h1>Triggers</h1>
        {isAdmin && (
          <div className="cluster">
            <button type="button" className="button main" onClick={() => setForm("schedule")}>
              New schedule
            </button>
            <button type="button" className="button" onClick={() => setForm("hook")}>
              New webhook
            </button>
          </div>
        )}
      </div>
      <div className={`triggers${isChosen ? " chosen" : ""}`}>
        <div className="stack triggers-lists">
          <section className="card" aria-label="Schedules">
            <header>
              <h2>Schedules</h2>
            </header>
            <Answered query={schedules}>
              {({ items, nextCursor }) => (
                <>
                  {items.length === 0 && <NoSchedules />}
                  <ul className="rows">
                    {items.map((schedule) => (
                      <li key={schedule.id}>
                        <ScheduleRow
                          schedule={schedule}
                          isChosen={schedule.id === search.schedule}
                        />
                      </li>
                    ))}
                  </ul>
                  {nextCursor !== undefined && <More what="schedules" />}
                </>
              )}
            </Answered>
          </section>
          <section className="card" aria-label="Webhooks">
            <header>
              <h2>Webhooks</h2>
            </header>
            <Answered query={hooks}>
              {({ items, nextCursor }) => (
                <>
                  {items.length === 0 && <NoHooks />}
                  <ul className="rows">
                    {items.map((hook) => (
                      <li key={hook.name}>
                        <HookRow hook={hook} isChosen={hook.name === search.hook} />
                      </li>
                    ))}
                  </ul>
                  {nextCursor !== undefined && <More what="webhooks" />}
                </>
              )}
            </Answered>
          </section>
        </div>
        {search.schedule !== undefined && (
          <ScheduleDetails key={search.schedule} id={search.schedule} />
        )}
        {search.schedule === undefined && search.hook !== undefined && (
          <HookDetails key={search.hook} name={search.hook} outcome={search.outcome} />
        )}
      </div>
      {form === "schedule" && <ScheduleForm onClose={close} />}
      {form === "hook" && <HookForm onClose={close} />}
    </div>
  );
}

type ScheduleRowProps = { readonly schedule: ScheduleView; readonly isChosen: boolean };

function ScheduleRow({ schedule, isChosen }: ScheduleRowProps) {
  const { id, cron, target, paused, next } = schedule;
  const { words } = useCronWords(cron);
  return (
    <Link
      to="/triggers"
      search={{ schedule: id }}
      className="row-link trigger"
      aria-current={isChosen ? "true" : undefined}
    >
      <span className="cut">
        <strong>{id}</strong> <span className="soft">{words || cron}</span>
        <br />
        <span className="soft small">
          {target.kind} {target.name}
        </span>
      </span>
      <span className="soft small">
        {paused ? (
          <span className="badge wait">paused</span>
        ) : (
          next[0] !== undefined && <Age at={next[0]} />
        )}
      </span>
    </Link>
  );
}

function HookRow({ hook, isChosen }: { readonly hook: WebhookView; readonly isChosen: boolean }) {
  return (
    <Link
      to="/triggers"
      search={{ hook: hook.name }}
      className="row-link trigger"
      aria-current={isChosen ? "true" : undefined}
    >
      <span className="cut">
        <strong>{hook.name}</strong>
        <br />
        <span className="soft small">
          {hook.target.kind} {hook.target.name}
        </span>
      </span>
      <span className="badge">{hook.scheme}</span>
    </Link>
  );
}

function More({ what }: { readonly what: string }) {
  return (
    <p className="table-foot small soft">
      The first {LIMIT} {what}; the others are in the API.
    </p>
  );
}

function NoSchedules() {
  return (
    <Empty title="No schedules">
      <p>
        A schedule starts a crew, a flow or an agent at times that a cron expression names. Make one
        here, or name it in the code: <code>{"triggers({ schedules: { … } })"}</code>.
      </p>
    </Empty>
  );
}

function NoHooks() {
  return (
    <Empty title="No service starts runs">
      <p>
        A webhook is an address to which a service such as GitHub or Stripe sends signed events;
        each starts a run.
      </p>
    </Empty>
  );
}
