import { useMutation } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { EngineError } from "../../../src/client/index.ts";
import type { Json, TargetDetails, TargetKind } from "../../api-types.ts";
import { api } from "../../api.ts";
import { startValue, withoutSecrets } from "../../parts/form-fields.ts";
import { SchemaForm } from "../../parts/schema-form.tsx";
import { errorText } from "../../shell/error-text.ts";
import { keep, readKept } from "../../shell/preferences.ts";
import { kickoffBody, kickoffSchema } from "./kickoff-form.ts";

type Props = {
  readonly kind: TargetKind;
  readonly target: TargetDetails;
  /** JSON of inputs from the address. */
  readonly prefill?: string | undefined;
  readonly onStarted: (id: string) => void;
};

/** The form that starts a run; what was typed last is there again. */
export function RunForm({ kind, target, prefill, onStarted }: Props) {
  const schema = useMemo(() => kickoffSchema(kind, target), [kind, target]);
  const draftName = `inputs.${kind}.${target.name}`;
  const [value, setValue] = useState<Json | undefined>(
    () =>
      readJson(prefill) ??
      readKept<Json | undefined>(draftName, undefined) ??
      target.examples?.[0] ??
      startValue(schema),
  );
  const [options, setOptions] = useState({ id: "", tags: "" });
  const { mutate, isPending, error } = useMutation({
    mutationFn: (inputs: Json) =>
      api.kickoff(kind, target.name, kickoffBody(kind, inputs, options)),
    onSuccess: ({ id }, inputs) => {
      keep(draftName, withoutSecrets(schema, inputs));
      onStarted(id);
    },
  });
  const faults = EngineError.is(error)
    ? (error.issues ?? []).map(({ path, message }) => ({
        path: path.replace(/^\/inputs/, ""),
        message,
      }))
    : [];
  const sample = target.examples?.[0];
  return (
    <SchemaForm
      schema={schema}
      value={value}
      faults={faults}
      onChange={setValue}
      onSend={(inputs) => mutate(inputs)}
    >
      <details className="whole-row">
        <summary className="soft">More: id, tags</summary>
        <div className="form-pair">
          <div className="field">
            <label htmlFor="run-id">
              Id of the run <span className="soft">(optional)</span>
            </label>
            <input
              id="run-id"
              className="input mono"
              pattern="[A-Za-z0-9_\-]{1,64}"
              value={options.id}
              onChange={(event) => setOptions({ ...options, id: event.target.value })}
            />
          </div>
          <div className="field">
            <label htmlFor="run-tags">
              Tags <span className="soft">(optional)</span>
            </label>
            <input
              id="run-tags"
              className="input"
              value={options.tags}
              placeholder="divided by blanks"
              onChange={(event) => setOptions({ ...options, tags: event.target.value })}
            />
          </div>
        </div>
      </details>
      {error !== null && faults.length === 0 && (
        <p className="fault whole-row" role="alert">
          {errorText(error)}
        </p>
      )}
      <button type="submit" className="button main" disabled={isPending}>
        {isPending ? "Starting …" : "Start the run"}
      </button>
      {sample !== undefined && (
        <button type="button" className="button" onClick={() => setValue(sample)}>
          With the sample
        </button>
      )}
    </SchemaForm>
  );
}

function readJson(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
