import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useRef } from "react";
import { client } from "../../api.ts";
import { formatCount, plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Answered, Empty } from "../../shell/states.tsx";
import { overlaps, placeOf, rangeIn } from "./indexing.ts";

const PAGE = 100;

type Props = {
  readonly collection: string;
  readonly id: string;
  /** `start-end` of the found text. */
  readonly range: string | undefined;
};

/** Chunks of a document in order. Marks the found text and scrolls to it. */
export function DocumentChunks({ collection, id, range }: Props) {
  const found = useMemo(() => rangeIn(range), [range]);
  const details = useQuery({
    queryKey: ["knowledge", "document", collection, id],
    queryFn: () => client.knowledge.document(collection, id),
  });
  const query = useInfiniteQuery({
    queryKey: ["knowledge", "chunks", collection, id],
    queryFn: ({ pageParam }) =>
      client.knowledge.chunks(collection, id, {
        limit: PAGE,
        ...(pageParam === "" ? undefined : { cursor: pageParam }),
      }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const isMissing =
    found !== undefined && !items.some((chunk) => overlaps(chunk, found)) && hasNextPage;
  useEffect(() => {
    if (isMissing && !isFetching) void fetchNextPage();
  }, [isMissing, isFetching, fetchNextPage]);
  const marked = useRef<HTMLLIElement>(null);
  const first = found === undefined ? undefined : items.find((chunk) => overlaps(chunk, found));
  useEffect(() => {
    if (first !== undefined) marked.current?.scrollIntoView({ block: "center" });
  }, [first?.ordinal, range]);
  return (
    <section className="card" aria-label="Chunks of the document">
      <header>
        <h2 className="cut">
          <PlainText text={details.data?.name ?? "Document"} />
        </h2>
        <span className="soft small">
          {details.data !== undefined && plural(details.data.chunks, "chunk")}
        </span>
        <Link
          to="/knowledge/$collection"
          params={{ collection }}
          className="button small plain icon"
          aria-label="Close the document"
        >
          <Icon name="close" size={15} />
        </Link>
      </header>
      <Losses of={details.data?.losses ?? []} />
      <Answered query={query}>
        {() =>
          items.length === 0 ? (
            <Empty title="There are no chunks">
              <p>The document has no text, or is not read yet.</p>
            </Empty>
          ) : (
            <ol className="chunks">
              {items.map((chunk) => {
                const isFound = found !== undefined && overlaps(chunk, found);
                return (
                  <li
                    key={chunk.ordinal}
                    ref={chunk.ordinal === first?.ordinal ? marked : undefined}
                    className={isFound ? "found" : undefined}
                    data-chunk={chunk.ordinal}
                    data-found={isFound}
                  >
                    <p className="cluster small soft">
                      <span>#{formatCount(chunk.ordinal + 1)}</span>
                      <span>
                        <PlainText text={placeOf(chunk.place)} />
                      </span>
                      <span>
                        characters {formatCount(chunk.start)}–{formatCount(chunk.end)}
                      </span>
                      {!chunk.indexed && <span className="badge wait">not searchable yet</span>}
                      {isFound && <span className="badge good">found here</span>}
                    </p>
                    <p className="value">
                      <PlainText text={chunk.text} />
                    </p>
                  </li>
                );
              })}
              {hasNextPage && (
                <li>
                  <button
                    type="button"
                    className="button"
                    disabled={isFetching}
                    onClick={() => void fetchNextPage()}
                  >
                    {isFetching ? "Loading …" : "Show more"}
                  </button>
                </li>
              )}
            </ol>
          )
        }
      </Answered>
    </section>
  );
}

/** Content that the document's text does not have. */
function Losses({
  of,
}: {
  readonly of: readonly { readonly kind: string; readonly detail: string }[];
}) {
  if (of.length === 0) return null;
  return (
    <div className="card-body" role="region" aria-label="Not in the text">
      <p className="small">Not in the text of this document:</p>
      <ul className="small soft">
        {of.map(({ kind, detail }) => (
          <li key={kind} data-loss={kind}>
            <PlainText text={detail} />
          </li>
        ))}
      </ul>
    </div>
  );
}
