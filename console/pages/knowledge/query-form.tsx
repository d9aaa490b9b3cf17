import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import { client } from "../../api.ts";
import { plural } from "../../parts/format.ts";
import { PlainText } from "../../parts/text.tsx";
import { errorText } from "../../shell/error-text.ts";
import { snippetPlace } from "./indexing.ts";
import type { Snippet } from "./types.ts";

/** Searches the collection as its agents do. */
export function QueryForm({ collection }: { readonly collection: string }) {
  const id = useId();
  const [query, setQuery] = useState("");
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () => client.knowledge.query(collection, query),
  });
  return (
    <section className="card" aria-label="Query">
      <header>
        <h2>Query</h2>
      </header>
      <div className="card-body stack">
        <form
          className="ask-line"
          onSubmit={(event) => {
            event.preventDefault();
            if (query.trim() !== "") mutate();
          }}
        >
          <label htmlFor={id} className="unseen">
            Question
          </label>
          <input
            id={id}
            className="input"
            value={query}
            placeholder="How long can goods be sent back?"
            onChange={(event) => setQuery(event.target.value)}
          />
          <button type="submit" className="button main" disabled={isPending}>
            {isPending ? "Looking …" : "Find"}
          </button>
        </form>
        {error !== null && (
          <p className="fault" role="alert">
            {errorText(error)}
          </p>
        )}
        {data !== undefined && (
          <div className="stack" role="region" aria-label="Results">
            {data.degraded !== undefined && <p className="note wait">{data.degraded}</p>}
            <p className="small soft">
              {data.items.length === 0
                ? "No passage is similar enough."
                : plural(data.items.length, "passage")}
            </p>
            <ol className="snippets">
              {data.items.map((snippet) => (
                <OneSnippet key={snippet.id} collection={collection} snippet={snippet} />
              ))}
            </ol>
          </div>
        )}
      </div>
    </section>
  );
}

function OneSnippet({
  collection,
  snippet,
}: {
  readonly collection: string;
  readonly snippet: Snippet;
}) {
  const { document, start, end, score, matched, text } = snippet;
  return (
    <li data-snippet={document.name}>
      <p className="cluster small">
        <Link
          to="/knowledge/$collection"
          params={{ collection }}
          search={{ document: document.id, chunk: `${start}-${end}` }}
          className="cut"
        >
          <PlainText text={document.name} />
        </Link>
        <span className="soft">
          <PlainText text={snippetPlace(snippet)} />
        </span>
        <span className="spread" />
        {matched.map((how) => (
          <span key={how} className="badge">
            {how}
          </span>
        ))}
        <strong className="number" title="Similarity in meaning, up to 1">
          {score === null ? "–" : score.toFixed(2)}
        </strong>
      </p>
      <p className="value snippet-text">
        <PlainText text={text} />
      </p>
    </li>
  );
}
