import type { Wait } from "../../api-types.ts";
import { WaitForm } from "./wait-form.tsx";

/** The open questions of one run, in its place. */
export default function WaitForms({
  runId,
  waits,
}: {
  readonly runId: string;
  readonly waits: readonly Wait[];
}) {
  return (
    <section className="card asks" aria-label="Questions of this run">
      <header>
        <h2>{waits.length === 1 ? "This run asks" : `This run asks ${waits.length} questions`}</h2>
      </header>
      {waits.map((wait) => (
        <div key={wait.key} className="card-body">
          <WaitForm runId={runId} wait={wait} />
        </div>
      ))}
    </section>
  );
}
