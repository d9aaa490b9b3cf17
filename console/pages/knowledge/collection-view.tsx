import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../api.ts";
import { formatCount, plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Age } from "../../parts/time.tsx";
import { useMay } from "../../shell/session.ts";
import { Answered, Empty } from "../../shell/states.tsx";
import { AddDocuments } from "./add-documents.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { DocumentChunks } from "./document-chunks.tsx";
import { QueryForm } from "./query-form.tsx";
import type { DocumentRow } from "./types.ts";
import { useIndexing } from "./use-indexing.ts";
import { TableScroll } from "../../parts/table-scroll.tsx";

const PAGE = 100;

export function CollectionView({ name }: { readonly name: string }) {
  const { document, chunk }: { readonly document?: string; readonly chunk?: string } = useSearch({
    strict: false,
  });
  const mayRun = useMay("run");
  const isAdmin = useMay("admin");
  const navigate = useNavigate();
  const queries = useQueryClient();
  const additions = useIndexing(name);
  const [deleted, del] = useState<"collection" | DocumentRow>();
  const query = useInfiniteQuery({
    queryKey: ["knowledge", "documents", name],
    queryFn: ({ pageParam }) =>
      client.knowledge.documents(name, {
        limit: PAGE,
        ...(pageParam === "" ? undefined : { cursor: pageParam }),
      }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const count = query.data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
  const refresh = (): void => void queries.invalidateQueries({ queryKey: ["knowledge"] });
  return (
    <>
      <div className="page-head">
        <h1 className="cut">
          <PlainText text={name} />
        </h1>
        <span className="spread" />
        {isAdmin && count > 0 && (
          <button type="button" className="button bad" onClick={() => del("collection")}>
            Delete the collection
          </button>
        )}
      </div>
      <div className={`knowledge-columns${document === undefined ? "" : " with-document"}`}>
        <div className="stack">
          <section className="card" aria-label="Documents">
            <header>
              <h2>Documents</h2>
              {query.hasNextPage && <span className="soft small">the first {count}</span>}
            </header>
            <Answered query={query}>
              {({ pages }) => {
                const items = pages.flatMap((page) => page.items);
                return items.length === 0 ? (
                  <Empty title="This collection is empty">
                    <p>It is there as soon as it has a document: add one below.</p>
                  </Empty>
                ) : (
                  <>
                    <Documents
                      collection={name}
                      items={items}
                      chosen={document}
                      onDelete={isAdmin ? del : undefined}
                    />
                    {query.hasNextPage && (
                      <div className="card-body">
                        <button
                          type="button"
                          className="button"
                          onClick={() => void query.fetchNextPage()}
                        >
                          Show more
                        </button>
                      </div>
                    )}
                  </>
                );
              }}
            </Answered>
          </section>
          {mayRun && <AddDocuments collection={name} additions={additions} />}
        </div>
        <div className="stack">
          <QueryForm collection={name} />
          {document !== undefined && (
            <DocumentChunks key={document} collection={name} id={document} range={chunk} />
          )}
        </div>
      </div>
      {deleted === "collection" ? (
        <DeleteDialog
          kind="collection"
          name={name}
          also={`Its ${plural(count, "document")}${query.hasNextPage ? " and more" : ""} go with it.`}
          remove={() => client.knowledge.delete(name)}
          onDone={() => {
            refresh();
            void navigate({ to: "/knowledge" });
          }}
          onClose={() => del(undefined)}
        />
      ) : (
        deleted !== undefined && (
          <DeleteDialog
            kind="document"
            name={deleted.name}
            also={`Its ${plural(deleted.chunks, "chunk")} go with it, and agents no longer find them.`}
            remove={() => client.knowledge.deleteDocument(name, deleted.id)}
            onDone={() => {
              refresh();
              del(undefined);
              if (document === deleted.id)
                void navigate({ to: "/knowledge/$collection", params: { collection: name } });
            }}
            onClose={() => del(undefined)}
          />
        )
      )}
    </>
  );
}

type DocumentsProps = {
  readonly collection: string;
  readonly items: readonly DocumentRow[];
  readonly chosen: string | undefined;
  readonly onDelete: ((document: DocumentRow) => void) | undefined;
};

const TONE = { indexing: "busy", ready: "good", failed: "bad" } as const;
const ICON = { indexing: "running", ready: "completed", failed: "failed" } as const;

function Documents({ collection, items, chosen, onDelete }: DocumentsProps) {
  return (
    <TableScroll label="All documents">
      <table className="documents">
        <thead>
          <tr>
            <th>Name</th>
            <th>State</th>
            <th className="number">Chunks</th>
            <th className="number">Characters</th>
            <th>Changed</th>
            <th>
              <span className="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((row) => (
            <tr key={row.id} data-document={row.name} className={row.id === chosen ? "chosen" : ""}>
              <td>
                <Link
                  to="/knowledge/$collection"
                  params={{ collection }}
                  search={{ document: row.id }}
                  aria-current={row.id === chosen ? "true" : undefined}
                >
                  <PlainText text={row.name} />
                </Link>
                {row.error !== undefined && (
                  <p className="small bad-text">
                    <PlainText text={row.error} />
                  </p>
                )}
              </td>
              <td>
                <span className={`status ${TONE[row.state]}`}>
                  <Icon name={ICON[row.state]} size={15} /> {row.state}
                </span>
              </td>
              <td className="number">
                {row.indexed === row.chunks
                  ? formatCount(row.chunks)
                  : `${formatCount(row.indexed)} of ${formatCount(row.chunks)}`}
              </td>
              <td className="number">{formatCount(row.characters)}</td>
              <td className="small">
                <Age at={row.updatedAt} />
              </td>
              <td>
                {onDelete !== undefined && (
                  <button
                    type="button"
                    className="button small plain"
                    aria-label={`Delete ${row.name}`}
                    onClick={() => onDelete(row)}
                  >
                    Delete
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  );
}
