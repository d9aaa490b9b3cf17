import type { Json, RunView } from "../../api-types.ts";
import { PlainText } from "../../parts/text.tsx";
import { Viewer } from "../../parts/viewer.tsx";
import { Empty } from "../../shell/states.tsx";
import { isOver } from "./use-run.ts";

type TaskOutput = {
  readonly name?: string;
  readonly agent?: string;
  readonly raw?: string;
  readonly object?: Json;
};

/**
 * Shows the text of a crew's output, its object if any, and the outputs of its tasks. Other outputs are shown
 * unchanged.
 */
export default function Output({ run }: { readonly run: RunView }) {
  const { output } = run;
  if (output === undefined)
    return (
      <Empty
        title={
          isOver(run.status) ? "This run has no output" : "The output comes with the end of the run"
        }
      />
    );
  const fields =
    typeof output === "object" && output !== null && !Array.isArray(output)
      ? (output as Record<string, Json>)
      : undefined;
  const raw = typeof fields?.["raw"] === "string" ? fields["raw"] : undefined;
  if (fields === undefined || raw === undefined)
    return (
      <section className="card card-body stack" aria-label="Output">
        <Viewer value={output} isMarkdown label="output" />
        <Inputs run={run} />
      </section>
    );
  const tasks = (fields["tasks"] ?? []) as readonly TaskOutput[];
  return (
    <div className="stack">
      <section className="card card-body stack" aria-label="Output">
        <Viewer value={raw} isMarkdown label="output" />
        {fields["object"] !== undefined && fields["object"] !== null && (
          <Viewer value={fields["object"]} label="object" />
        )}
      </section>
      {tasks.length > 1 &&
        tasks.map((task, index) => (
          <details key={index} className="card talk">
            <summary>
              <h2>
                <PlainText text={task.name ?? `Task ${index + 1}`} />
              </h2>
              <span className="soft">{task.agent}</span>
            </summary>
            <div className="card-body">
              <Viewer value={task.object ?? task.raw ?? null} isMarkdown label="task's output" />
            </div>
          </details>
        ))}
      <Inputs run={run} />
    </div>
  );
}

function Inputs({ run }: { readonly run: RunView }) {
  return (
    <details className="card talk">
      <summary>
        <h2>Inputs</h2>
      </summary>
      <div className="card-body">
        <Viewer value={run.inputs} label="inputs" />
      </div>
    </details>
  );
}
