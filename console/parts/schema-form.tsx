import { useId, useState, type FormEvent, type ReactNode } from "react";
import type { Json, JsonSchema } from "../api-types.ts";
import { errorText } from "../shell/error-text.ts";
import { checkValue, hasField, type Fault } from "./form-fields.ts";
import { placeIn } from "./json-place.ts";
import { SchemaField } from "./schema-field.tsx";

type Props = {
  readonly schema: JsonSchema;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  readonly onSend: (value: Json) => void;
  /** Faults from the server, by JSON pointer into the form's value. */
  readonly faults?: readonly Fault[];
  /** The buttons. */
  readonly children: ReactNode;
};

/** A form made from a JSON Schema, with a switch to the same value as JSON text and back. */
export function SchemaForm({ schema, value, onChange, onSend, faults = [], children }: Props) {
  const id = useId();
  const [text, setText] = useState<string>();
  const [textFault, setTextFault] = useState<string>();
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [isSent, setSent] = useState(false);
  const own = checkValue(schema, value ?? {});
  const shown = [...own.filter(({ path }) => isSent || touched.has(path)), ...faults];
  const write = (next: string): void => {
    setText(next);
    try {
      onChange(JSON.parse(next) as Json);
      setTextFault(undefined);
    } catch (error) {
      setTextFault(errorText(error));
    }
  };
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setSent(true);
    if (own.length === 0 && textFault === undefined) onSend(value ?? {});
    else {
      const form = event.currentTarget;
      requestAnimationFrame(() => {
        form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
      });
    }
  };
  const elsewhere = faults.filter(({ path }) => !path.startsWith("/") || !hasField(schema, path));
  return (
    <form className="form" noValidate onSubmit={send}>
      {elsewhere.map(({ path, message }) => (
        <p key={path + message} className="fault" role="alert">
          {path !== "" && <code>{path} </code>}
          {message}
        </p>
      ))}
      {text === undefined ? (
        <SchemaField
          name=""
          path=""
          schema={schema}
          value={value}
          isRequired
          faults={shown}
          onChange={onChange}
          onLeave={(path) => setTouched((now) => new Set(now).add(path))}
        />
      ) : (
        <div className="field">
          <label htmlFor={id}>JSON</label>
          <textarea
            id={id}
            className="input mono"
            rows={12}
            spellCheck={false}
            value={text}
            aria-invalid={textFault !== undefined}
            onChange={(event) => write(event.target.value)}
          />
          {textFault !== undefined && (
            <span className="fault" role="alert">
              {textFault}
            </span>
          )}
          {shown.map((fault) => (
            <span key={fault.path + fault.message} className="fault">
              {placeIn(text, fault.path)}
              <code>{fault.path}</code> {fault.message}
            </span>
          ))}
        </div>
      )}
      <div className="form-actions">
        {children}
        <button
          type="button"
          className="button plain"
          disabled={textFault !== undefined}
          onClick={() =>
            setText(text === undefined ? JSON.stringify(value ?? {}, undefined, 2) : undefined)
          }
        >
          {text === undefined ? "As JSON" : "As a form"}
        </button>
      </div>
    </form>
  );
}
