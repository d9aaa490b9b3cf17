import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { WaitRow } from "../../api-types.ts";
import { client } from "../../api.ts";
import { shortId } from "../../parts/format.ts";
import { PlainText } from "../../parts/text.tsx";
import { Age } from "../../parts/time.tsx";
import { useKeys } from "../../shell/keys.ts";
import { Answered, Empty } from "../../shell/states.tsx";
import { readKept } from "../../shell/preferences.ts";
import { draftOf } from "./answer.ts";
import { WaitForm } from "./wait-form.tsx";

const PAGE = 100;

type InboxSearch = { readonly run?: string; readonly key?: string; readonly order?: string };

export function InboxPage() {
  const search: InboxSearch = useSearch({ from: "/inbox" });
  const query = useInfiniteQuery({
    queryKey: ["waits", "inbox", search.order],
    queryFn: ({ pageParam }) =>
      client.waits.list({
        limit: PAGE,
        ...(search.order === "expires" && { order: search.order }),
        ...(pageParam !== undefined && { cursor: pageParam }),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  useEffect(() => {
    document.title = "Inbox · Edgecrew";
  }, []);
  return (
    <div className="page inbox-page">
      <div className="page-head">
        <h1>Inbox</h1>
        <div className="cluster">
          <Link
            to="/inbox"
            search={{ ...search, order: undefined }}
            className="chip"
            data-on={search.order === undefined}
          >
            Oldest first
          </Link>
          <Link
            to="/inbox"
            search={{ ...search, order: "expires" }}
            className="chip"
            data-on={search.order === "expires"}
          >
            By expiry
          </Link>
        </div>
      </div>
      <Answered query={query}>
        {({ pages }) => (
          <Questions
            items={pages.flatMap(({ items }) => items)}
            search={search}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
          />
        )}
      </Answered>
    </div>
  );
}

function Questions({
  items,
  search,
  onMore,
}: {
  readonly items: readonly WaitRow[];
  readonly search: InboxSearch;
  /** Reads the next page, while there is one. */
  readonly onMore: (() => void) | undefined;
}) {
  const navigate = useNavigate();
  const chosenAt = items.findIndex(
    ({ run, key }) => run.id === search.run && (search.key === undefined || key === search.key),
  );
  const last = useRef<WaitRow>(undefined);
  const isKept =
    last.current !== undefined &&
    (search.run ?? last.current.run.id) === last.current.run.id &&
    !items.some(({ run, key }) => run.id === last.current?.run.id && key === last.current.key) &&
    readKept(draftOf(last.current.run.id, last.current.key), { text: "" }).text.trim() !== "";
  const chosen = isKept ? last.current : items[Math.max(0, chosenAt)];
  useEffect(() => {
    last.current = chosen;
  });
  const go = (step: number): void => {
    const next = items[Math.max(0, Math.min(items.length - 1, Math.max(0, chosenAt) + step))];
    if (next !== undefined)
      void navigate({
        to: "/inbox",
        search: { ...search, run: next.run.id, key: next.key },
        replace: true,
      });
  };
  useKeys({
    j: () => go(1),
    k: () => go(-1),
    ...(chosen !== undefined && {
      Enter: () => void navigate({ to: "/runs/$id", params: { id: chosen.run.id } }),
    }),
  });
  if (chosen === undefined) return <NoQuestions />;
  return (
    <div className={`inbox${search.run === undefined ? "" : " chosen"}`}>
      <ul className="card inbox-list" aria-label="Open questions">
        {items.map((wait) => (
          <li key={`${wait.run.id} ${wait.key}`}>
            <Link
              to="/inbox"
              search={{ ...search, run: wait.run.id, key: wait.key }}
              aria-current={wait === chosen ? "true" : undefined}
              activeOptions={{ exact: true }}
            >
              <span className="cluster nowrap">
                <strong className="cut">{wait.run.name}</strong>
                <span className="soft small mono">{shortId(wait.run.id)}</span>
                <span className="spread" />
                <span className="soft small">
                  <Age at={wait.openedAt} />
                </span>
              </span>
              <span className="soft two-lines">
                <PlainText text={wait.prompt ?? `Waits for ${wait.event ?? wait.kind}`} />
              </span>
              {wait.expiresAt !== undefined && (
                <span className="badge wait">
                  expires <Age at={wait.expiresAt} />
                </span>
              )}
            </Link>
          </li>
        ))}
        {onMore !== undefined && (
          <li>
            <button type="button" className="button small plain whole-row" onClick={onMore}>
              More questions
            </button>
          </li>
        )}
      </ul>
      <section className="card" aria-label="The question">
        <header>
          <h2 className="cut">{chosen.run.name}</h2>
          <Link to="/inbox" search={{ order: search.order }} className="button small only-narrow">
            All questions
          </Link>
          <Link to="/runs/$id" params={{ id: chosen.run.id }} className="button small">
            Open the run
          </Link>
        </header>
        <ChosenWait
          key={`${chosen.run.id} ${chosen.key}`}
          wait={chosen}
          isOpen={!isKept}
          onSent={() =>
            void navigate({ to: "/inbox", search: { order: search.order }, replace: true })
          }
        />
      </section>
    </div>
  );
}

/** Loads the run, which has more of the question than the list, such as the judged answer. */
function ChosenWait({
  wait,
  isOpen,
  onSent,
}: {
  readonly wait: WaitRow;
  readonly isOpen: boolean;
  readonly onSent: () => void;
}) {
  const query = useQuery({
    queryKey: ["run", wait.run.id],
    queryFn: () => client.runs.get(wait.run.id),
  });
  const whole = query.data?.waits.find(({ key }) => key === wait.key) ?? wait;
  return <WaitForm runId={wait.run.id} wait={whole} isOpen={isOpen} hasKeys onSent={onSent} />;
}

function NoQuestions() {
  return (
    <Empty title="No open questions">
      <p>
        A run asks when a task has <code>humanInput: true</code>, a flow's method has{" "}
        <code>@humanFeedback</code>, a tool needs an approval, or a person takes part in a
        conversation. Its question then appears here, and waits for as long as it takes.
      </p>
      <Link to="/flows" className="button">
        Choose a flow that asks
      </Link>
    </Empty>
  );
}
