import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { client } from "../../api.ts";
import { formatDuration, plural } from "../../parts/format.ts";
import { PlainText } from "../../parts/text.tsx";
import { Age } from "../../parts/time.tsx";
import { errorText } from "../../shell/error-text.ts";
import { useMay } from "../../shell/session.ts";
import { scorePieces } from "./score.ts";
import type { Match, Recalled } from "./types.ts";

type Depth = "shallow" | "deep";

/** Searches the memory like agents, and shows the reason for each match's rank. */
export function Recall({ scope }: { readonly scope: string }) {
  const id = useId();
  const isAdmin = useMay("admin");
  const [query, setQuery] = useState("");
  const [depth, setDepth] = useState<Depth>("shallow");
  const [limit, setLimit] = useState(10);
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () => client.memory.recall(query, { scope, depth, limit, includePrivate: isAdmin }),
  });
  return (
    <section className="card recall" aria-label="Recall">
      <header>
        <h2>Recall</h2>
        <code className="small soft cut">{scope}</code>
      </header>
      <div className="card-body stack">
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            if (query.trim() !== "") mutate();
          }}
        >
          <div className="field">
            <label htmlFor={`${id}-query`}>Question</label>
            <input
              id={`${id}-query`}
              className="input"
              value={query}
              placeholder="What does the customer prefer?"
              onChange={(event) => setQuery(event.target.value)}
            />
          </div>
          <div className="form-pair">
            <div className="field">
              <label htmlFor={`${id}-depth`}>Depth</label>
              <select
                id={`${id}-depth`}
                className="input"
                value={depth}
                onChange={(event) => setDepth(event.target.value as Depth)}
              >
                <option value="shallow">Shallow: one search, no model</option>
                <option value="deep">Deep: a model plans the search</option>
              </select>
            </div>
            <div className="field">
              <label htmlFor={`${id}-limit`}>At most</label>
              <input
                id={`${id}-limit`}
                className="input"
                type="number"
                min={1}
                max={50}
                value={limit}
                onChange={(event) => setLimit(Number(event.target.value))}
              />
            </div>
          </div>
          <div className="form-actions">
            <button type="submit" className="button main" disabled={isPending}>
              {isPending ? "Recalling …" : "Recall"}
            </button>
          </div>
        </form>
        {error !== null && (
          <p className="fault" role="alert">
            {errorText(error)}
          </p>
        )}
        {data !== undefined && <Matches recalled={data} />}
      </div>
    </section>
  );
}

function Matches({
  recalled: { items, analysis, tookMs, degraded },
}: {
  readonly recalled: Recalled;
}) {
  return (
    <div className="stack" role="region" aria-label="Recalled memories">
      <p className="small soft">
        {plural(items.length, "match", "matches")} in {formatDuration(tookMs)}
      </p>
      {degraded !== undefined && <p className="note wait">{degraded}</p>}
      {analysis !== undefined && (
        <details open>
          <summary>Queries that were made</summary>
          <ul className="queries small">
            {analysis.queries.map((each) => (
              <li key={each}>
                <PlainText text={each} />
              </li>
            ))}
          </ul>
          {analysis.scopes.length > 0 && (
            <p className="small soft">in {analysis.scopes.join(", ")}</p>
          )}
          {analysis.since !== undefined && (
            <p className="small soft">
              since <Age at={analysis.since} />
            </p>
          )}
        </details>
      )}
      {items.length === 0 ? (
        <p className="soft">
          No memory is similar enough. Use words of the memory itself, or choose a wider scope.
        </p>
      ) : (
        <ol className="stack matches">
          {items.map((match) => (
            <OneMatch key={match.record.id} match={match} />
          ))}
        </ol>
      )}
    </div>
  );
}

function OneMatch({ match }: { readonly match: Match }) {
  const pieces = scorePieces(match);
  const said = pieces.map(({ label, value }) => `${label} ${value.toFixed(2)}`).join(" + ");
  return (
    <li className="stack tight" data-match={match.record.id}>
      <p className="value memory-text">
        <PlainText text={match.record.content} />
      </p>
      <div className="score" role="img" aria-label={`Score ${match.score.toFixed(2)}: ${said}`}>
        <span className="score-bar">
          {pieces.map(({ name, label, value, share }) => (
            <span
              key={name}
              className={`score-piece ${name}`}
              title={`${label} ${value.toFixed(3)}`}
              data-part={name}
              data-value={value}
              style={{ width: `${share * 100}%` }}
            />
          ))}
        </span>
        <strong className="number" data-score={match.score}>
          {match.score.toFixed(2)}
        </strong>
      </div>
      <p className="cluster small soft">
        {pieces.map(({ name, label, value }) => (
          <span key={name} className={`score-label ${name}`}>
            {label} {value.toFixed(2)}
          </span>
        ))}
        <code className="cut">{match.record.scope}</code>
      </p>
    </li>
  );
}
