// States of a page without content: loading, empty, refused, not found, failed.
import { useEffect, useState, type ReactNode } from "react";
import { EngineError } from "../../src/client/index.ts";
import { Icon } from "../parts/icon.tsx";

/** Grey lines after 200 ms. A faster page does not flicker. */
export function Loading({ lines = 6 }: { readonly lines?: number }) {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="stack" aria-busy="true">
      <span className="unseen">Loading</span>
      {isShown &&
        Array.from({ length: lines }, (_, line) => (
          <div key={line} className="skeleton" style={{ width: `${90 - ((line * 17) % 50)}%` }} />
        ))}
    </div>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** One text for pages that never existed, were deleted, or belong to another tenant. */
function NotThere() {
  return (
    <Empty title="This page does not exist">
      <p>It never existed, was deleted, or belongs to another tenant.</p>
    </Empty>
  );
}

export function Failed({ error, again }: { readonly error: unknown; readonly again?: () => void }) {
  const code = EngineError.is(error) ? error.code : "internal";
  if (code === "not_found") return <NotThere />;
  const detail = error instanceof Error ? error.message : String(error);
  const title =
    code === "forbidden"
      ? "Your key does not allow this"
      : code === "unavailable"
        ? "The server does not answer"
        : "This did not work";
  return (
    <div className="empty" role="alert">
      <Icon name="failed" size={22} />
      <h2>{title}</h2>
      <p>{detail}</p>
      <p className="small">
        Code <code>{code}</code>
      </p>
      {again !== undefined && (
        <button type="button" className="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

type Asked<T> = {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly dataUpdatedAt: number;
  readonly refetch: () => unknown;
};

/**
 * Shows the result of a query, or the reason why there is none. After a failure the previous result stays, with its
 * age.
 */
export function Answered<T>({
  query,
  children,
}: {
  readonly query: Asked<T>;
  readonly children: (data: T) => ReactNode;
}) {
  const { data, error, dataUpdatedAt } = query;
  const again = (): void => void query.refetch();
  if (data === undefined)
    return error === null || error === undefined ? (
      <Loading />
    ) : (
      <Failed error={error} again={again} />
    );
  return (
    <>
      {error !== null && error !== undefined && (
        <div className="note wait" role="status">
          <Icon name="waiting" />
          <div>
            The server does not answer. Data shown is from{" "}
            {new Date(dataUpdatedAt).toLocaleTimeString()}.
          </div>
          <button type="button" className="button small" onClick={again}>
            Try again
          </button>
        </div>
      )}
      {children(data)}
    </>
  );
}
