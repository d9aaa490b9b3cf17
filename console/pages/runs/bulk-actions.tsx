import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { RunRow } from "../../api-types.ts";
import { client } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { plural, shortId } from "../../parts/format.ts";
import { errorText } from "../../shell/error-text.ts";
import { useMay } from "../../shell/session.ts";
import { inBatches, type Refusal } from "./in-batches.ts";

type Props = { readonly runs: readonly RunRow[]; readonly onDone: () => void };
type Action = {
  readonly label: string;
  readonly done: string;
  readonly run: (run: RunRow) => Promise<unknown>;
};

const ACTIONS: Readonly<Record<"cancel" | "again" | "remove", Action>> = {
  cancel: { label: "Cancel", done: "cancelled", run: ({ id }) => client.runs.handle(id).cancel() },
  again: {
    label: "Rerun",
    done: "started again",
    run: ({ id }) => client.runs.handle(id).fork({ fromStart: true }),
  },
  remove: { label: "Delete", done: "deleted", run: ({ id }) => client.runs.handle(id).delete() },
};
/** Number of runs above which the person must type it. */
const MANY = 100;

/** Actions on the chosen runs: five at once, with a list of failures. */
export function BulkActions({ runs, onDone }: Props) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const mayRun = useMay("run");
  const mayDelete = useMay("admin");
  const [asked, ask] = useState<keyof typeof ACTIONS>();
  const [typed, type] = useState("");
  const [progress, setProgress] = useState<number>();
  const [refused, setRefused] = useState<readonly Refusal<RunRow>[]>();
  const [left, right] = runs;
  const begin = async (action: Action): Promise<void> => {
    setProgress(0);
    const failed = await inBatches(runs, action.run, setProgress);
    setProgress(undefined);
    setRefused(failed);
    void queries.invalidateQueries({ queryKey: ["runs"] });
    if (failed.length > 0) return;
    ask(undefined);
    onDone();
  };
  const close = (): void => {
    ask(undefined);
    setRefused(undefined);
    type("");
  };
  const action = asked === undefined ? undefined : ACTIONS[asked];
  return (
    <div className="bulk" role="toolbar" aria-label="Chosen runs">
      <strong>{plural(runs.length, "run")} chosen</strong>
      {mayRun && (
        <>
          <button type="button" className="button small" onClick={() => ask("cancel")}>
            Cancel
          </button>
          <button type="button" className="button small" onClick={() => ask("again")}>
            Rerun
          </button>
        </>
      )}
      {mayDelete && (
        <button type="button" className="button small bad" onClick={() => ask("remove")}>
          Delete
        </button>
      )}
      {left !== undefined && right !== undefined && runs.length === 2 && (
        <button
          type="button"
          className="button small"
          onClick={() =>
            void navigate({ to: "/compare", search: { left: left.id, right: right.id } })
          }
        >
          Compare
        </button>
      )}
      <button type="button" className="button small plain" onClick={onDone}>
        Choose none
      </button>
      {action !== undefined && (
        <Dialog title={`${action.label} ${plural(runs.length, "run")}?`} onClose={close}>
          {refused !== undefined ? (
            <>
              <p>
                {plural(runs.length - refused.length, "run")} {action.done}, {refused.length}{" "}
                refused:
              </p>
              <ul className="small refused">
                {refused.map(({ item, error }) => (
                  <li key={item.id}>
                    <span className="mono">
                      {item.name} {shortId(item.id)}
                    </span>{" "}
                    – {errorText(error)}
                  </li>
                ))}
              </ul>
            </>
          ) : (
            runs.length > MANY && (
              <div className="field">
                <label htmlFor="bulk-count">Type {runs.length} to go on</label>
                <input
                  id="bulk-count"
                  className="input"
                  value={typed}
                  onChange={(event) => type(event.target.value)}
                />
              </div>
            )
          )}
          <div className="form-actions">
            {refused === undefined && (
              <button
                type="button"
                className="button main"
                disabled={
                  progress !== undefined || (runs.length > MANY && typed !== String(runs.length))
                }
                onClick={() => void begin(action)}
              >
                {progress === undefined ? action.label : `${progress} of ${runs.length} …`}
              </button>
            )}
            <button type="button" className="button" onClick={close}>
              {refused === undefined ? "Leave them" : "Close"}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
