import { Link } from "@tanstack/react-router";
import type { RunView } from "../../api-types.ts";
import { Status } from "../../parts/status.tsx";
import { PlainText } from "../../parts/text.tsx";

/** State of a run started here, and the reason of its failure. */
export function RunState({ run, what }: { readonly run: RunView; readonly what: string }) {
  return (
    <div className="stack tight">
      <p className="cluster">
        <Status status={run.status} />
        <Link to="/runs/$id" params={{ id: run.id }}>
          {what}
        </Link>
      </p>
      {run.error !== undefined && (
        <div className="note bad" role="alert">
          <div>
            <PlainText text={run.error.message} />
          </div>
        </div>
      )}
    </div>
  );
}
