import type { ReactNode } from "react";
import type { RunView } from "../../api-types.ts";
import { Inspector } from "./inspector.tsx";
import { Overview } from "./overview.tsx";
import type { LiveRun } from "./use-run.ts";

type Props = {
  readonly run: RunView;
  readonly live: LiveRun;
  /** Key of the chosen step. */
  readonly step: string | undefined;
  readonly isOverview: boolean;
  readonly onChoose: (step: string | undefined) => void;
  /** The chosen tab. */
  readonly children: ReactNode;
};

/** A tab of a run with the inspector beside it. In the overview, the inspector takes the place of the answer. */
export function RunBody({ run, live, step, isOverview, onChoose, children }: Props) {
  const overview = isOverview ? " overview" : "";
  const inspected = step === undefined ? "" : " with-inspector";
  return (
    <div className={`run-body${overview}${inspected}`}>
      {isOverview && (
        <div className="run-said stack">
          <Overview run={run} live={live} />
        </div>
      )}
      <div className="run-tab">{children}</div>
      {step !== undefined && <Inspector run={run} live={live} stepKey={step} onChoose={onChoose} />}
    </div>
  );
}
