import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { ForkRequest, Json, RunView, StepRow } from "../../api-types.ts";
import { client } from "../../api.ts";
import { editableResult, type EditableResult } from "./editable-result.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { plural } from "../../parts/format.ts";
import { errorText } from "../../shell/error-text.ts";
import { labelOf } from "./step-label.ts";
import type { StepTree } from "./step-tree.ts";
import { takenOver } from "./taken-over.ts";

export type ForkHow = "from" | "edit" | "model";

const TITLES: Readonly<Record<ForkHow, string>> = {
  from: "Fork from here",
  edit: "Edit the result and fork",
  model: "Rerun with another model",
};

type Props = {
  readonly how: ForkHow;
  readonly run: RunView;
  readonly tree: StepTree;
  readonly step: StepRow;
  readonly onClose: () => void;
};

/**
 * Shows the results that a fork takes over and the effects that it cannot undo, then starts it and opens the new run.
 */
export function ForkDialog({ how, run, tree, step, onClose }: Props) {
  const navigate = useNavigate();
  const result = useMemo(() => editableResult(step), [step]);
  const [text, setText] = useState(result.text);
  const [model, setModel] = useState("");
  const [fault, value] = edited(result, text);
  const { rows, calls, tools } = takenOver(tree.steps, step.key, how === "edit");
  const { mutate, isPending, error } = useMutation({
    mutationFn: (request: ForkRequest) => client.runs.handle(run.id).fork(request),
    onSuccess: ({ id }) => {
      onClose();
      void navigate({ to: "/runs/$id", params: { id } });
    },
  });
  const send = (): void => {
    if (how === "edit") mutate({ edit: { key: step.key, value } });
    else mutate({ fromStep: step.key, ...(how === "model" ? { llm: model } : undefined) });
  };
  return (
    <Dialog title={TITLES[how]} onClose={onClose} isWide={how === "edit"}>
      <p>
        {plural(rows, "row")} {rows === 1 ? "is" : "are"} taken over, which saves{" "}
        {plural(calls, "model call")}.{" "}
        {how === "edit" ? (
          "Steps after this row run again, with your result."
        ) : (
          <>“{labelOf(step.key, step)}” and the steps after it run again.</>
        )}
      </p>
      {tools.length > 0 && (
        <p className="note wait">
          <span>
            These tools ran after the cut. Their effects outside stay:{" "}
            <strong>{tools.join(", ")}</strong>
          </span>
        </p>
      )}
      {how === "edit" && (
        <div className="field">
          <label htmlFor="edited-result">Result</label>
          <textarea
            id="edited-result"
            className="input mono"
            rows={14}
            spellCheck={false}
            value={text}
            aria-invalid={fault !== undefined}
            aria-describedby="edited-fault"
            onChange={(event) => setText(event.target.value)}
          />
          <span id="edited-fault" className="fault" role="alert">
            {fault}
          </span>
        </div>
      )}
      {how === "model" && (
        <div className="field">
          <label htmlFor="other-model">Model</label>
          <input
            id="other-model"
            className="input mono"
            placeholder="provider/model"
            value={model}
            onChange={(event) => setModel(event.target.value)}
          />
          <span className="help">
            For every agent that is still called, such as openai/gpt-5-mini.
          </span>
        </div>
      )}
      {error !== null && (
        <p className="fault" role="alert">
          {errorText(error)}
        </p>
      )}
      <div className="form-actions">
        <button
          type="button"
          className="button main"
          disabled={
            isPending ||
            (how === "edit" && fault !== undefined) ||
            (how === "model" && !/^[^/\s]+\/\S+$/.test(model))
          }
          onClick={send}
        >
          {isPending ? "Starting …" : "Start the fork"}
        </button>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** Returns the edited result for the fork. */
function edited(result: EditableResult, text: string): [fault: string | undefined, value: Json] {
  try {
    return [undefined, result.read(text)];
  } catch (error) {
    return [`This is no JSON: ${errorText(error)}`, null];
  }
}
