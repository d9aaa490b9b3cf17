import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { client } from "../../api.ts";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Age } from "../../parts/time.tsx";
import { onChange } from "../../shell/changes.ts";
import { useMay } from "../../shell/session.ts";
import { CHAT_TAG, sessionsOf, startOf, titleOf, type ChatKind } from "./talk.ts";

const MAX_RUNS = 200;
const MAX_SESSIONS = 30;

type Props = {
  readonly kind: ChatKind;
  readonly name: string;
  readonly chosen: string | undefined;
};

/** Chats begun here, newest first. */
export function Sessions({ kind, name, chosen }: Props) {
  const queries = useQueryClient();
  const mayRun = useMay("run");
  const { data } = useQuery({
    queryKey: ["chat", "sessions", kind, name],
    queryFn: () =>
      client.runs.list({
        kind,
        name,
        limit: MAX_RUNS,
        ...(kind === "conversation" ? undefined : { tag: CHAT_TAG }),
      }),
  });
  useEffect(
    () =>
      onChange((change) => {
        if (change.type !== "run" || (change.run.kind === kind && change.run.name === name))
          void queries.invalidateQueries({ queryKey: ["chat", "sessions", kind, name] });
      }),
    [queries, kind, name],
  );
  const sessions = sessionsOf(kind, data?.items ?? []).slice(0, MAX_SESSIONS);
  const titles = useQueries({
    queries: sessions.map(({ firstRun }) => ({
      queryKey: ["chat", "title", firstRun],
      queryFn: async () => {
        const { history, said } = startOf(await client.runs.get(firstRun));
        return titleOf(history[0]?.content ?? said) || titleOf(said);
      },
      staleTime: Infinity,
    })),
  });
  return (
    <aside className="card chat-sessions">
      <header>
        <h2 className="cut">
          <PlainText text={name} />
        </h2>
        {mayRun && (
          <Link to="/chat/$kind/$name" params={{ kind, name }} className="button small">
            <Icon name="plus" size={14} /> New
          </Link>
        )}
      </header>
      <nav aria-label="Sessions">
        {sessions.length === 0 && <p className="card-body soft small">No talk yet</p>}
        <ul>
          {sessions.map(({ session, updatedAt, status }, index) => (
            <li key={session}>
              <Link
                to="/chat/$kind/$name/$session"
                params={{ kind, name, session }}
                aria-current={session === chosen ? "page" : undefined}
              >
                <span className="cut">
                  <PlainText text={titles[index]?.data ?? "…"} />
                </span>
                <span className="small soft">
                  {status === "waiting" ? "waits for you · " : ""}
                  <Age at={updatedAt} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </aside>
  );
}
