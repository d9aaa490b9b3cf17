import { useMutation } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import type { TargetDetails } from "../../api-types.ts";
import { propertiesOf } from "../../parts/form-fields.ts";
import { plural } from "../../parts/format.ts";
import { errorText } from "../../shell/error-text.ts";
import { inputsSchema } from "./kickoff-form.ts";
import { readManyInputs } from "./many-inputs.ts";
import { definitions } from "./requests.ts";

type Props = { readonly target: TargetDetails; readonly onStarted: (id: string) => void };

const SHOWN_FAULTS = 5;

/** Starts many runs of a crew as one batch, from a pasted table or JSON. */
export function BatchForm({ target, onStarted }: Props) {
  const id = useId();
  const schema = useMemo(() => inputsSchema(target), [target]);
  const [text, setText] = useState("");
  const [llm, setModel] = useState("");
  const { items, faults } = useMemo(() => readManyInputs(text, schema), [text, schema]);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      definitions.batch(target.name, {
        inputs: items,
        ...(llm.trim() === "" ? undefined : { llm: llm.trim() }),
      }),
    onSuccess: (run) => onStarted(run.id),
  });
  const names = propertiesOf(schema).map(([name]) => name);
  const canStart = items.length > 0 && faults.length === 0;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (canStart) mutate();
      }}
    >
      <div className="field">
        <label htmlFor={`${id}-text`}>Inputs, one run each</label>
        <span className="help" id={`${id}-help`}>
          CSV with a header, or one JSON object a line
          {names.length > 0 && (
            <>
              . Names: <code>{names.join(",")}</code>
            </>
          )}
        </span>
        <textarea
          id={`${id}-text`}
          className="input mono"
          rows={10}
          spellCheck={false}
          aria-describedby={`${id}-help ${id}-found`}
          aria-invalid={faults.length > 0}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div id={`${id}-found`} role="status" className="small">
          {text.trim() !== "" && faults.length === 0 && plural(items.length, "run")}
          {faults.slice(0, SHOWN_FAULTS).map(({ line, message }) => (
            <p key={`${line}${message}`} className="fault">
              Line {line}: {message}
            </p>
          ))}
          {faults.length > SHOWN_FAULTS && (
            <p className="fault">and {plural(faults.length - SHOWN_FAULTS, "more fault")}</p>
          )}
        </div>
      </div>
      <div className="field">
        <label htmlFor={`${id}-llm`}>
          Model of all agents <span className="soft">(optional)</span>
        </label>
        <input
          id={`${id}-llm`}
          className="input"
          value={llm}
          onChange={(event) => setModel(event.target.value)}
        />
      </div>
      {error !== null && (
        <p className="fault" role="alert">
          {errorText(error)}
        </p>
      )}
      <div className="form-actions">
        <button type="submit" className="button main" disabled={!canStart || isPending}>
          {isPending ? "Starting …" : `Start ${plural(items.length, "run")}`}
        </button>
      </div>
    </form>
  );
}
