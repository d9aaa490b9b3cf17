import { inOneLine } from "./format.ts";
import { useId } from "react";
import type { Json } from "../api-types.ts";
import { described, Frame, ownFaults, type FieldProps } from "./field-frame.tsx";
import { fieldKind, labelOfField } from "./form-fields.ts";

const INPUT_TYPES: Readonly<Record<string, string>> = {
  date: "date",
  "date-time": "datetime-local",
  email: "email",
  uri: "url",
  text: "text",
};
/** Up to `FEW` values are all visible, up to `MANY` are in a menu, and more need a search. */
const FEW = 5;
const MANY = 15;

export function TextField(props: FieldProps) {
  const id = useId();
  const { value, onChange, onLeave, path, schema, name } = props;
  const kind = fieldKind(schema, name);
  const shown = typeof value === "string" ? value : "";
  const write = (text: string): void => onChange(text === "" ? undefined : text);
  const common = {
    ...described(id, props),
    className: "input",
    value: kind === "date-time" ? localTime(shown) : shown,
    onBlur: () => onLeave(path),
  };
  return (
    <Frame id={id} props={props}>
      {kind === "long" ? (
        <textarea {...common} rows={6} onChange={(event) => write(event.target.value)} />
      ) : (
        <input
          {...common}
          type={schema["writeOnly"] === true ? "password" : (INPUT_TYPES[kind] ?? "text")}
          onChange={(event) =>
            write(
              kind === "date-time" && event.target.value !== ""
                ? new Date(event.target.value).toISOString()
                : event.target.value,
            )
          }
        />
      )}
    </Frame>
  );
}

export function NumberField(props: FieldProps) {
  const id = useId();
  const { value, onChange, onLeave, path, schema } = props;
  const bounds = {
    min: schema["minimum"] as number | undefined,
    max: schema["maximum"] as number | undefined,
    step: schema["type"] === "integer" ? 1 : ("any" as const),
  };
  const write = (text: string): void => onChange(text === "" ? undefined : Number(text));
  return (
    <Frame id={id} props={props}>
      <div className="cluster nowrap">
        <input
          {...described(id, props)}
          {...bounds}
          type="number"
          className="input"
          value={typeof value === "number" ? value : ""}
          onBlur={() => onLeave(path)}
          onChange={(event) => write(event.target.value)}
        />
        {bounds.min !== undefined && bounds.max !== undefined && (
          <input
            {...bounds}
            type="range"
            aria-label={`${labelOfField(schema, props.name)}, as a range`}
            value={typeof value === "number" ? value : bounds.min}
            onChange={(event) => write(event.target.value)}
          />
        )}
      </div>
    </Frame>
  );
}

export function Checkbox(props: FieldProps) {
  const id = useId();
  const { value, onChange, schema, name } = props;
  return (
    <div className="field">
      <label className="choice">
        <input
          {...described(id, props)}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
        {labelOfField(schema, name)}
      </label>
      {typeof schema["description"] === "string" && (
        <span className="help" id={`${id}-help`}>
          {schema["description"]}
        </span>
      )}
      <span className="fault" id={`${id}-fault`}>
        {ownFaults(props)
          .map(({ message }) => message)
          .join(". ")}
      </span>
    </div>
  );
}

export function Choice(props: FieldProps) {
  const id = useId();
  const { schema, value, onChange, onLeave, path, isRequired, name } = props;
  const options = schema["enum"] as readonly Json[];
  if (options.length <= FEW)
    return (
      <fieldset
        className="field"
        {...described(id, props)}
        role="radiogroup"
        onBlur={() => onLeave(path)}
      >
        <legend>
          {labelOfField(schema, name)}
          {!isRequired && <span className="soft"> (optional)</span>}
        </legend>
        {options.map((option) => (
          <label key={inOneLine(option)} className="choice">
            <input
              type="radio"
              name={id}
              checked={value === option}
              onChange={() => onChange(option)}
            />
            {inOneLine(option)}
          </label>
        ))}
        <span className="fault" id={`${id}-fault`}>
          {ownFaults(props)
            .map(({ message }) => message)
            .join(". ")}
        </span>
      </fieldset>
    );
  if (options.length > MANY && options.every((option) => typeof option === "string"))
    return (
      <Frame id={id} props={props}>
        <input
          {...described(id, props)}
          className="input"
          list={`${id}-options`}
          placeholder="Type to find one"
          value={typeof value === "string" ? value : ""}
          onBlur={() => onLeave(path)}
          onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
        />
        <datalist id={`${id}-options`}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      </Frame>
    );
  return (
    <Frame id={id} props={props}>
      <select
        {...described(id, props)}
        className="input"
        value={options.indexOf(value ?? null)}
        onBlur={() => onLeave(path)}
        onChange={(event) => onChange(options[Number(event.target.value)])}
      >
        <option value={-1}>Choose …</option>
        {options.map((option, index) => (
          <option key={inOneLine(option)} value={index}>
            {inOneLine(option)}
          </option>
        ))}
      </select>
    </Frame>
  );
}

/** Formats a moment for a field of local time. */
function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso.slice(0, 16);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
