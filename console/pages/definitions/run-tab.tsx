import { useState } from "react";
import type { TargetDetails, TargetKind } from "../../api-types.ts";
import { BatchForm } from "./batch-form.tsx";
import { RunForm } from "./run-form.tsx";

type Props = {
  readonly kind: TargetKind;
  readonly target: TargetDetails;
  readonly prefill: string | undefined;
  readonly onStarted: (id: string) => void;
};

/** One run, or of a crew many at once. */
export function RunTab({ kind, target, prefill, onStarted }: Props) {
  const [isBatch, setBatch] = useState(false);
  return (
    <section className="card card-body run-form stack">
      {kind === "crew" && (
        <div className="cluster" role="group" aria-label="Number of runs">
          <button
            type="button"
            className={`chip${isBatch ? "" : " on"}`}
            aria-pressed={!isBatch}
            onClick={() => setBatch(false)}
          >
            One run
          </button>
          <button
            type="button"
            className={`chip${isBatch ? " on" : ""}`}
            aria-pressed={isBatch}
            onClick={() => setBatch(true)}
          >
            Many inputs
          </button>
        </div>
      )}
      {isBatch ? (
        <BatchForm target={target} onStarted={onStarted} />
      ) : (
        <RunForm kind={kind} target={target} prefill={prefill} onStarted={onStarted} />
      )}
    </section>
  );
}
