import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Json, RunView } from "../../api-types.ts";
import { client } from "../../api.ts";
import { formatCost, formatDuration } from "../../parts/format.ts";
import { PlainText } from "../../parts/text.tsx";
import { Answered } from "../../shell/states.tsx";
import { hasEnded, itemsOf } from "./requests.ts";
import { RunState } from "./run-state.tsx";
import { sideResults, totalsOf, type SideResult } from "./side-results.ts";
import { useRunState } from "./use-run-state.ts";
import { TableScroll } from "../../parts/table-scroll.tsx";

type Props = { readonly left: string; readonly right: string };

/** Two batches beside each other, input by input. */
export function Comparison({ left, right }: Props) {
  const one = useRunState(left);
  const other = useRunState(right);
  const oneResults = useResults(one.data);
  const otherResults = useResults(other.data);
  const inputs = (one.data?.inputs["inputs"] ?? []) as readonly Json[];
  return (
    <section className="card" aria-label="Comparison">
      <TableScroll label="Results">
        <table className="score-table sides">
          <thead>
            <tr>
              <th>Input</th>
              <th>
                <Answered query={one}>
                  {(run) => <RunState run={run} what={titleOf(run)} />}
                </Answered>
              </th>
              <th>
                <Answered query={other}>
                  {(run) => <RunState run={run} what={titleOf(run)} />}
                </Answered>
              </th>
            </tr>
          </thead>
          <tbody>
            {inputs.map((input, index) => (
              <tr key={index}>
                <td className="mono small">
                  <PlainText text={JSON.stringify(input)} />
                </td>
                <td>
                  <Result result={oneResults[index]} />
                </td>
                <td>
                  <Result result={otherResults[index]} />
                </td>
              </tr>
            ))}
            {oneResults.length > 0 && otherResults.length > 0 && (
              <tr>
                <td>
                  <strong>All</strong>
                </td>
                <td>
                  <Total results={oneResults} />
                </td>
                <td>
                  <Total results={otherResults} />
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </TableScroll>
    </section>
  );
}

const SIDE = "side:";

/** Returns the title of a batch, from its tags. */
function titleOf({ tags = [], id }: RunView & { readonly tags?: readonly string[] }): string {
  return tags.find((tag) => tag.startsWith(SIDE))?.slice(SIDE.length) ?? id;
}

export function tagOfSide(title: string): string {
  return `${SIDE}${title}`.replaceAll(/[^A-Za-z0-9_.:/-]/g, "-").slice(0, 64);
}

const NONE: readonly SideResult[] = [];

function useResults(run: RunView | undefined): readonly SideResult[] {
  const isOver = run !== undefined && hasEnded(run);
  const children = useQuery({
    queryKey: ["children", run?.id],
    queryFn: () => client.runs.list({ parent: run?.id, limit: 200 }),
    enabled: isOver,
  }).data;
  return useMemo(
    () => (isOver ? sideResults(itemsOf(run), children?.items ?? []) : NONE),
    [isOver, run, children],
  );
}

function Result({ result }: { readonly result: SideResult | undefined }) {
  if (result === undefined) return <span className="soft">…</span>;
  const { item, costUsd, durationMs } = result;
  return (
    <div className="stack tight">
      {item.error !== undefined && (
        <p className="fault">
          <PlainText text={item.error.message} />
        </p>
      )}
      {item.output !== undefined && (
        <p className="value">
          <PlainText text={item.output.raw} />
        </p>
      )}
      {item.omitted === true && <p className="soft">Too long to show here.</p>}
      <p className="cluster small soft">
        <span>{durationMs === undefined ? "" : formatDuration(durationMs)}</span>
        <span>{formatCost(costUsd)}</span>
        {item.runId !== undefined && (
          <Link to="/runs/$id" params={{ id: item.runId }}>
            Run
          </Link>
        )}
      </p>
    </div>
  );
}

function Total({ results }: { readonly results: readonly SideResult[] }) {
  const { failed, costUsd, durationMs } = totalsOf(results);
  return (
    <p className="cluster">
      <span>{formatCost(costUsd)}</span>
      {durationMs !== undefined && <span>{formatDuration(durationMs)} on average</span>}
      {failed > 0 && <span className="badge bad">{failed} failed</span>}
    </p>
  );
}
