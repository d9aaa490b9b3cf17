import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import type { TargetDetails, TargetKind } from "../../api-types.ts";
import { formatBytes } from "../../parts/format.ts";
import { PlainText } from "../../parts/text.tsx";
import { Age } from "../../parts/time.tsx";
import { announce } from "../../shell/announcements.tsx";
import { errorText } from "../../shell/error-text.ts";
import { useMay } from "../../shell/session.ts";
import { Answered, Loading } from "../../shell/states.tsx";
import { definitions } from "./requests.ts";
import { TableScroll } from "../../parts/table-scroll.tsx";

const SideBySide = lazy(() => import("../../parts/side-by-side.tsx"));

type Props = { readonly kind: TargetKind; readonly target: TargetDetails };

/** Stored versions: compares any two and restores an old one. */
export default function Versions({ kind, target }: Props) {
  const { name, version: present = 0 } = target;
  const queries = useQueryClient();
  const mayStore = useMay("admin");
  const [pair, setPair] = useState<readonly [number, number]>();
  const query = useInfiniteQuery({
    queryKey: ["target", kind, name, "versions", present],
    queryFn: ({ pageParam }) => definitions.versions(kind, name, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: (version: number) =>
      definitions.restore(kind, name, {
        version,
        ifVersion: present,
        note: `Version ${version} again`,
      }),
    onSuccess: (stored) => {
      announce(`Restored as version ${stored.version ?? ""}`);
      setPair(undefined);
      return queries.invalidateQueries({ queryKey: ["target", kind, name] });
    },
  });
  return (
    <Answered query={query}>
      {({ pages }) => {
        const rows = pages.flatMap(({ items }) => items);
        return (
          <div className="stack">
            {error !== null && (
              <p className="note bad" role="alert">
                {errorText(error)}
              </p>
            )}
            <section className="card">
              <TableScroll label="All versions">
                <table aria-label="Versions">
                  <thead>
                    <tr>
                      <th>Version</th>
                      <th>Stored</th>
                      <th>By</th>
                      <th>Note</th>
                      <th>Size</th>
                      <th>
                        <span className="unseen">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row, index) => {
                      const before = rows[index + 1]?.version;
                      return (
                        <tr key={row.version}>
                          <td>
                            {row.version}{" "}
                            {row.version === present && <span className="badge">present</span>}
                          </td>
                          <td>
                            <Age at={row.createdAt} />
                          </td>
                          <td>{row.by !== undefined && <PlainText text={row.by} />}</td>
                          <td>{row.note !== undefined && <PlainText text={row.note} />}</td>
                          <td>{formatBytes(row.bytes)}</td>
                          <td>
                            <span className="cluster nowrap">
                              {before !== undefined && (
                                <button
                                  type="button"
                                  className="button small"
                                  aria-label={`Changes of version ${row.version}`}
                                  onClick={() => setPair([before, row.version])}
                                >
                                  Changes
                                </button>
                              )}
                              {row.version !== present && (
                                <button
                                  type="button"
                                  className="button small"
                                  aria-label={`Compare version ${row.version} with the present one`}
                                  onClick={() => setPair([row.version, present])}
                                >
                                  Compare
                                </button>
                              )}
                              {row.version !== present && mayStore && (
                                <button
                                  type="button"
                                  className="button small"
                                  aria-label={`Restore version ${row.version}`}
                                  disabled={isPending}
                                  onClick={() => mutate(row.version)}
                                >
                                  Restore
                                </button>
                              )}
                            </span>
                          </td>
                        </tr>
                      );
                    })}
                  </tbody>
                </table>
              </TableScroll>
              {query.hasNextPage && (
                <p className="card-body">
                  <button
                    type="button"
                    className="button small"
                    onClick={() => void query.fetchNextPage()}
                  >
                    Older versions
                  </button>
                </p>
              )}
            </section>
            {pair !== undefined && (
              <Difference
                key={pair.join()}
                kind={kind}
                name={name}
                pair={pair}
                onClose={() => setPair(undefined)}
              />
            )}
          </div>
        );
      }}
    </Answered>
  );
}

type DifferenceProps = {
  readonly kind: TargetKind;
  readonly name: string;
  readonly pair: readonly [number, number];
  readonly onClose: () => void;
};

function Difference({ kind, name, pair: [old, later], onClose }: DifferenceProps) {
  const query = useQuery({
    queryKey: ["version-pair", kind, name, old, later],
    queryFn: () =>
      Promise.all([definitions.version(kind, name, old), definitions.version(kind, name, later)]),
    staleTime: Infinity, // a stored version never changes
  });
  return (
    <section className="card" aria-label="Difference">
      <header>
        <h2>
          Version {old} and version {later}
        </h2>
        <button type="button" className="button small" onClick={onClose}>
          Close
        </button>
      </header>
      <div className="card-body">
        <Answered query={query}>
          {([left, right]) => (
            <Suspense fallback={<Loading />}>
              <SideBySide
                left={{ title: `Version ${old}`, text: left.source }}
                right={{ title: `Version ${later}`, text: right.source }}
              />
            </Suspense>
          )}
        </Answered>
      </div>
    </section>
  );
}
