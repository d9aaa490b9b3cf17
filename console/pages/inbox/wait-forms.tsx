import { useRef } from "react";
import type { Wait } from "../../api-types.ts";
import { WaitForm } from "./wait-form.tsx";

type Props = {
  readonly runId: string;
  /** The open questions. */
  readonly waits: readonly Wait[];
};

/** Questions of one run. A question that closes during an answer stays with a note. */
export default function WaitForms({ runId, waits }: Props) {
  const seen = useRef(new Map<string, Wait>());
  for (const wait of waits) seen.current.set(wait.key, wait);
  return (
    <section
      className={`card asks${waits.length === 0 ? " closed" : ""}`}
      aria-label="Questions of this run"
    >
      {waits.length > 0 && (
        <header>
          <h2>
            {waits.length === 1 ? "This run asks" : `This run asks ${waits.length} questions`}
          </h2>
        </header>
      )}
      {[...seen.current.values()].map((wait) => (
        <WaitForm
          key={wait.key}
          runId={runId}
          wait={wait}
          isOpen={waits.some(({ key }) => key === wait.key)}
        />
      ))}
    </section>
  );
}
