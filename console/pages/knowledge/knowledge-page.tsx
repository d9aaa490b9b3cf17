import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useId, useState } from "react";
import { client } from "../../api.ts";
import { plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { useMay } from "../../shell/session.ts";
import { Answered, Empty } from "../../shell/states.tsx";
import { CollectionView } from "./collection-view.tsx";
import "./knowledge.css";

export function KnowledgePage() {
  const { collection }: { readonly collection?: string } = useParams({ strict: false });
  useEffect(() => {
    document.title = `${collection ?? "Knowledge"} · Edgecrew`;
  }, [collection]);
  return (
    <div className="page">
      {collection === undefined ? (
        <Collections />
      ) : (
        <CollectionView key={collection} name={collection} />
      )}
    </div>
  );
}

function Collections() {
  const query = useInfiniteQuery({
    queryKey: ["knowledge", "collections"],
    queryFn: ({ pageParam }) =>
      client.knowledge.collections({
        limit: 100,
        ...(pageParam === "" ? undefined : { cursor: pageParam }),
      }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const mayRun = useMay("run");
  return (
    <>
      <div className="page-head">
        <h1>Knowledge</h1>
        <span className="soft">Documents that agents look things up in</span>
      </div>
      <Answered query={query}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          return (
            <div className="stack">
              {mayRun && <NewCollection />}
              {items.length === 0 ? (
                <Empty title="There is no collection yet">
                  <p>
                    A collection is a set of documents under a name. Name one above and add files to
                    it; an agent with <code>knowledge: ["handbook"]</code> then answers from them.
                  </p>
                </Empty>
              ) : (
                <ul className="targets">
                  {items.map(({ name, documents, chunks }) => (
                    <li key={name} className="card target">
                      <Link
                        to="/knowledge/$collection"
                        params={{ collection: name }}
                        className="target-name"
                      >
                        <Icon name="knowledge" /> <PlainText text={name} />
                      </Link>
                      <p className="soft small">
                        {plural(documents, "document")} · {plural(chunks, "chunk")}
                      </p>
                    </li>
                  ))}
                </ul>
              )}
              {query.hasNextPage && (
                <button type="button" className="button" onClick={() => void query.fetchNextPage()}>
                  Show more
                </button>
              )}
            </div>
          );
        }}
      </Answered>
    </>
  );
}

function NewCollection() {
  const id = useId();
  const [name, setName] = useState("");
  const navigate = useNavigate();
  return (
    <form
      className="card card-body cluster"
      onSubmit={(event) => {
        event.preventDefault();
        const collection = name.trim();
        if (collection !== "")
          void navigate({ to: "/knowledge/$collection", params: { collection } });
      }}
    >
      <label htmlFor={id}>New collection</label>
      <input
        id={id}
        className="input new-collection"
        value={name}
        maxLength={128}
        placeholder="handbook"
        onChange={(event) => setName(event.target.value)}
      />
      <button type="submit" className="button" disabled={name.trim() === ""}>
        <Icon name="plus" size={14} /> Add documents to it
      </button>
    </form>
  );
}
