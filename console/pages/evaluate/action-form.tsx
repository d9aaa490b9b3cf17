import { useMutation } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { EngineError } from "../../../src/client/index.ts";
import type { Json, JsonSchema, TargetDetails } from "../../api-types.ts";
import { checkValue, startValue } from "../../parts/form-fields.ts";
import { SchemaField } from "../../parts/schema-field.tsx";
import { SchemaForm } from "../../parts/schema-form.tsx";
import { errorText } from "../../shell/error-text.ts";
import { inputsSchema } from "../definitions/kickoff-form.ts";

type Props = {
  readonly target: TargetDetails;
  /** Schema of the fields beside the inputs. */
  readonly options: JsonSchema;
  readonly label: string;
  readonly start: (body: object) => Promise<{ readonly id: string }>;
  readonly onStarted: (id: string) => void;
};

/** Inputs of a crew and further options of a test or a training. */
export function ActionForm({ target, options, label, start, onStarted }: Props) {
  const schema = useMemo(() => inputsSchema(target), [target]);
  const [inputs, setInputs] = useState<Json | undefined>(() => startValue(schema));
  const [more, setMore] = useState<Json | undefined>(() => startValue(options));
  const [isChecked, setChecked] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (sent: Json) => start({ inputs: sent, ...(more as object | undefined) }),
    onSuccess: ({ id }) => onStarted(id),
  });
  const issues = EngineError.is(error) ? (error.issues ?? []) : [];
  const ofInputs = issues.filter(({ path }) => path.startsWith("/inputs"));
  const own = checkValue(options, more ?? {});
  return (
    <SchemaForm
      schema={schema}
      value={inputs}
      faults={ofInputs.map(({ path, message }) => ({
        path: path.slice("/inputs".length),
        message,
      }))}
      onChange={setInputs}
      onSend={(sent) => {
        setChecked(true);
        if (own.length === 0) mutate(sent);
      }}
    >
      <div className="form whole-row">
        <SchemaField
          name=""
          path=""
          schema={options}
          value={more}
          isRequired
          faults={[...(isChecked ? own : []), ...issues.filter((each) => !ofInputs.includes(each))]}
          onChange={setMore}
          onLeave={() => setChecked(true)}
        />
      </div>
      {error !== null && issues.length === 0 && (
        <p className="fault whole-row" role="alert">
          {errorText(error)}
        </p>
      )}
      <button type="submit" className="button main" disabled={isPending}>
        {isPending ? "Starting …" : label}
      </button>
    </SchemaForm>
  );
}
