import { useMutation } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { EngineError } from "../../../src/client/index.ts";
import type { Json, TargetDetails, TargetKind } from "../../api-types.ts";
import { kickoff } from "../../api.ts";
import { checkValue, isObject, startValue, withoutSecrets } from "../../parts/form-fields.ts";
import { SchemaField } from "../../parts/schema-field.tsx";
import { SchemaForm } from "../../parts/schema-form.tsx";
import { errorText } from "../../shell/error-text.ts";
import { keep, readKept } from "../../shell/preferences.ts";
import { kickoffBody, kickoffSchema, optionsSchema, sortFaults } from "./kickoff-form.ts";

type Props = {
  readonly kind: TargetKind;
  readonly target: TargetDetails;
  /** JSON of inputs from the address. */
  readonly prefill?: string | undefined;
  readonly onStarted: (id: string) => void;
};

/** Form for a new run. It begins with the last input. */
export function RunForm({ kind, target, prefill, onStarted }: Props) {
  const schema = useMemo(() => kickoffSchema(kind, target), [kind, target]);
  const draftName = `inputs.${kind}.${target.name}`;
  const [value, setValue] = useState<Json | undefined>(
    () =>
      readJson(prefill) ??
      readKept<Json | undefined>(draftName, undefined) ??
      sampleOf(target) ??
      startValue(schema),
  );
  const optional = useMemo(() => optionsSchema(target), [target]);
  const [options, setOptions] = useState<Json | undefined>();
  const [isChecked, setChecked] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (inputs: Json) => kickoff(kind, target.name, kickoffBody(kind, inputs, options)),
    onSuccess: ({ id }, inputs) => {
      keep(draftName, withoutSecrets(schema, inputs));
      onStarted(id);
    },
  });
  const faults = sortFaults(kind, EngineError.is(error) ? (error.issues ?? []) : []);
  const own = checkValue(optional, options);
  const start = (inputs: Json): void => {
    setChecked(true);
    if (own.length === 0) mutate(inputs);
  };
  const sample = sampleOf(target);
  return (
    <SchemaForm
      schema={schema}
      value={value}
      faults={faults.inputs}
      onChange={setValue}
      onSend={start}
    >
      <details
        className="whole-row"
        open={faults.options.length > 0 || (isChecked && own.length > 0) || undefined}
      >
        <summary className="soft">More: id, tags, model, training, webhooks</summary>
        <div className="form more-options">
          <SchemaField
            name=""
            path=""
            schema={optional}
            value={options}
            isRequired={false}
            faults={[...(isChecked ? own : []), ...faults.options]}
            onChange={setOptions}
            onLeave={() => setChecked(true)}
          />
        </div>
      </details>
      {error !== null && faults.inputs.length + faults.options.length === 0 && (
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

/** Names from the details, or from the schema of the inputs. */
function sampleOf({ examples, inputSchema }: TargetDetails): Json | undefined {
  const ofSchema = inputSchema?.["examples"];
  const first = examples?.[0] ?? (Array.isArray(ofSchema) ? (ofSchema[0] as Json) : undefined);
  return isObject(first) ? first : undefined;
}

function readJson(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
