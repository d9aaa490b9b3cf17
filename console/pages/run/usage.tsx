import type { RunView, UsageBy } from "../../api-types.ts";
import { formatCost, formatCount, formatDuration, inWords } from "../../parts/format.ts";
import { Empty } from "../../shell/states.tsx";
import { labelOf } from "./step-label.ts";
import type { LiveRun } from "./use-run.ts";
import { TableScroll } from "../../parts/table-scroll.tsx";

type Props = {
  readonly run: RunView;
  readonly live: LiveRun;
  readonly onChoose: (key: string) => void;
};
type Sum = {
  readonly requests: number;
  readonly prompt: number;
  readonly completion: number;
  readonly cost: number;
};

export default function Usage({ run, live, onChoose }: Props) {
  const calls = live.tree.steps.filter(
    ({ kind, usage }) => kind === "model" && usage !== undefined,
  );
  if (run.usage.requests === 0) return <Empty title="No model was called" />;
  const byCost = calls.toSorted(
    (one, other) =>
      (other.usage?.costUsd ?? 0) - (one.usage?.costUsd ?? 0) ||
      (other.usage?.totalTokens ?? 0) - (one.usage?.totalTokens ?? 0),
  );
  const parts =
    run.usageBy ??
    calls.map(({ label, key, usage }): UsageBy => ({
      model: label ?? "model",
      task: labelOf(key.split("/")[0] ?? key, live.tree.get(key.split("/")[0] ?? "")),
      requests: 1,
      promptTokens: usage?.promptTokens ?? 0,
      completionTokens: usage?.completionTokens ?? 0,
      costUsd: usage?.costUsd ?? 0,
    }));
  return (
    <div className="stack">
      {(["model", "agent", "task"] as const).map((by) => (
        <Sums key={by} by={by} parts={parts} />
      ))}
      <section className="card">
        <header>
          <h2>Calls by cost</h2>
        </header>
        <TableScroll label="Calls">
          <table>
            <thead>
              <tr>
                <th>Call</th>
                <th>Model</th>
                <th className="number">Took</th>
                <th className="number">Tokens</th>
                <th className="number">Cost</th>
              </tr>
            </thead>
            <tbody>
              {byCost.slice(0, 50).map(({ key, label, startedAt, endedAt, usage }) => (
                <tr key={key}>
                  <td>
                    <button
                      type="button"
                      className="button link mono"
                      onClick={() => onChoose(key)}
                    >
                      {key}
                    </button>
                  </td>
                  <td>{label}</td>
                  <td className="number">
                    {endedAt === undefined
                      ? ""
                      : formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}
                  </td>
                  <td className="number">{formatCount(usage?.totalTokens)}</td>
                  <td className="number">{formatCost(usage?.costUsd)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableScroll>
      </section>
    </div>
  );
}

function Sums({
  by,
  parts,
}: {
  readonly by: "model" | "agent" | "task";
  readonly parts: readonly UsageBy[];
}) {
  const groups = [
    ...Map.groupBy(
      parts.filter((part) => part[by] !== undefined),
      (part) => part[by] ?? "",
    ),
  ];
  if (groups.length === 0) return null;
  const sums = groups.map(([name, each]): readonly [string, Sum] => [
    name,
    each.reduce<Sum>(
      (sum, part) => ({
        requests: sum.requests + part.requests,
        prompt: sum.prompt + part.promptTokens,
        completion: sum.completion + part.completionTokens,
        cost: sum.cost + part.costUsd,
      }),
      { requests: 0, prompt: 0, completion: 0, cost: 0 },
    ),
  ]);
  const most = Math.max(1, ...sums.map(([, { prompt, completion }]) => prompt + completion));
  return (
    <section className="card">
      <header>
        <h2>By {by}</h2>
      </header>
      <TableScroll label={`Usage by ${by}`}>
        <table>
          <thead>
            <tr>
              <th>{inWords(by)}</th>
              <th className="share">Tokens</th>
              <th className="number">In</th>
              <th className="number">Out</th>
              <th className="number">Calls</th>
              <th className="number">Cost</th>
            </tr>
          </thead>
          <tbody>
            {sums.map(([name, sum]) => (
              <tr key={name}>
                <td>{name}</td>
                <td className="share">
                  <span
                    className="share-bar"
                    style={{ width: `${((sum.prompt + sum.completion) / most) * 100}%` }}
                  />
                </td>
                <td className="number">{formatCount(sum.prompt)}</td>
                <td className="number">{formatCount(sum.completion)}</td>
                <td className="number">{formatCount(sum.requests)}</td>
                <td className="number">{formatCost(sum.cost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
    </section>
  );
}
