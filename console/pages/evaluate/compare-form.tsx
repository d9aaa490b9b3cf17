import { useMutation } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import type { TargetDetails } from "../../api-types.ts";
import { propertiesOf } from "../../parts/form-fields.ts";
import { plural } from "../../parts/format.ts";
import { errorText } from "../../shell/error-text.ts";
import { inputsSchema } from "../definitions/kickoff-form.ts";
import { readManyInputs } from "../definitions/many-inputs.ts";
import { definitions } from "../definitions/requests.ts";
import { tagOfSide } from "./comparison.tsx";

type Props = {
  readonly target: TargetDetails;
  readonly onStarted: (left: string, right: string) => void;
};
type Side = { readonly llm: string; readonly version: string };

/** Starts two batches over the same inputs, each with its own model, and for a stored crew its own version. */
export function CompareForm({ target, onStarted }: Props) {
  const id = useId();
  const schema = useMemo(() => inputsSchema(target), [target]);
  const [text, setText] = useState("");
  const [left, setLeft] = useState<Side>({ llm: "", version: "" });
  const [right, setRight] = useState<Side>({ llm: "", version: "" });
  const { items, faults } = useMemo(() => readManyInputs(text, schema), [text, schema]);
  const isDifferent = left.llm.trim() !== right.llm.trim() || left.version !== right.version;
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const one = await definitions.batch(target.name, bodyOf(left, items));
      const other = await definitions.batch(target.name, bodyOf(right, items));
      return [one.id, other.id] as const;
    },
    onSuccess: ([one, other]) => onStarted(one, other),
  });
  const sides = [
    ["Left", left, setLeft],
    ["Right", right, setRight],
  ] as const;
  return (
    <form
      className="form card card-body"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <div className="form-pair">
        {sides.map(([title, side, set]) => (
          <div key={title} className="form">
            <div className="field">
              <label htmlFor={`${id}-${title}`}>{title} model</label>
              <input
                id={`${id}-${title}`}
                className="input"
                placeholder="the crew's own"
                value={side.llm}
                onChange={(event) => set({ ...side, llm: event.target.value })}
              />
            </div>
            {target.source === "stored" && (
              <div className="field">
                <label htmlFor={`${id}-${title}-version`}>{title} version</label>
                <input
                  id={`${id}-${title}-version`}
                  className="input"
                  type="number"
                  min={1}
                  placeholder={`${target.version ?? ""}`}
                  value={side.version}
                  onChange={(event) => set({ ...side, version: event.target.value })}
                />
              </div>
            )}
          </div>
        ))}
      </div>
      <div className="field">
        <label htmlFor={`${id}-text`}>Inputs, one run each</label>
        <span className="help">
          CSV with a header, or one JSON object a line. Names:{" "}
          <code>
            {propertiesOf(schema)
              .map(([name]) => name)
              .join(",")}
          </code>
        </span>
        <textarea
          id={`${id}-text`}
          className="input mono"
          rows={6}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {faults.slice(0, 5).map(({ line, message }) => (
          <p key={`${line}${message}`} className="fault">
            Line {line}: {message}
          </p>
        ))}
      </div>
      {error !== null && (
        <p className="fault" role="alert">
          {errorText(error)}
        </p>
      )}
      <div className="form-actions">
        <button
          type="submit"
          className="button main"
          disabled={items.length === 0 || faults.length > 0 || !isDifferent || isPending}
        >
          {isPending
            ? "Starting …"
            : items.length === 0
              ? "Start the runs"
              : `Start ${plural(items.length * 2, "run")}`}
        </button>
        {!isDifferent && (
          <span className="soft small">Name another model or version on one side.</span>
        )}
      </div>
    </form>
  );
}

function bodyOf({ llm, version }: Side, inputs: readonly unknown[]): object {
  const title = [llm.trim() || "own-model", version === "" ? "" : `v${version}`]
    .filter(Boolean)
    .join("-");
  return {
    inputs,
    tags: [tagOfSide(title)],
    ...(llm.trim() === "" ? undefined : { llm: llm.trim() }),
    ...(version === "" ? undefined : { version: Number(version) }),
  };
}
