import { useId, useState, type ReactNode } from "react";
import type { Json, JsonSchema } from "../api-types.ts";
import { errorText } from "../shell/error-text.ts";
import {
  discriminatorOf,
  fieldKind,
  isObject,
  labelOfField,
  pointerPart,
  propertiesOf,
  requiredOf,
  startValue,
  variantsOf,
  type Fault,
} from "./form-fields.ts";
import { inOneLine } from "./format.ts";
import { Icon } from "./icon.tsx";

export type FieldProps = {
  readonly name: string;
  readonly path: string;
  readonly schema: JsonSchema;
  readonly value: Json | undefined;
  readonly isRequired: boolean;
  readonly faults: readonly Fault[];
  readonly onChange: (value: Json | undefined) => void;
  readonly onLeave: (path: string) => void;
};

const itemsOf = (schema: JsonSchema): JsonSchema =>
  isObject(schema["items"]) ? schema["items"] : {};
const INPUT_TYPES: Readonly<Record<string, string>> = {
  date: "date",
  "date-time": "datetime-local",
  email: "email",
  uri: "url",
  text: "text",
};
const FEW = 5;

export function SchemaField(props: FieldProps) {
  const { schema, name } = props;
  switch (fieldKind(schema, name)) {
    case "object":
      return <Fields {...props} />;
    case "boolean":
      return <Checkbox {...props} />;
    case "choice":
      return <Choice {...props} />;
    case "number":
      return <NumberField {...props} />;
    case "list":
      return <List {...props} />;
    case "rows":
      return <Rows {...props} />;
    case "variants":
      return <Variants {...props} />;
    case "json":
    case "file":
      return <JsonField {...props} />;
    default:
      return <TextField {...props} />;
  }
}

function Frame({
  id,
  props,
  children,
}: {
  readonly id: string;
  readonly props: FieldProps;
  readonly children: ReactNode;
}) {
  const { schema, name, isRequired, path, faults } = props;
  const own = faults.filter((fault) => fault.path === path);
  return (
    <div className="field">
      <label htmlFor={id}>
        {labelOfField(schema, name)}
        {!isRequired && <span className="soft"> (optional)</span>}
      </label>
      {typeof schema["description"] === "string" && (
        <span className="help" id={`${id}-help`}>
          {schema["description"]}
        </span>
      )}
      {children}
      <span className="fault" id={`${id}-fault`} role={own.length > 0 ? "alert" : undefined}>
        {own.map(({ message }) => message).join(". ")}
      </span>
    </div>
  );
}

const described = (id: string, { faults, path }: FieldProps) => ({
  id,
  "aria-describedby": `${id}-help ${id}-fault`,
  "aria-invalid": faults.some((fault) => fault.path === path),
});

function TextField(props: FieldProps) {
  const id = useId();
  const { value, onChange, onLeave, path, schema, name, isRequired } = props;
  const kind = fieldKind(schema, name);
  const shown = typeof value === "string" ? value : "";
  const write = (text: string): void =>
    onChange(
      text === "" && !(isRequired && schema["minLength"] === undefined && shown !== "")
        ? undefined
        : text === ""
          ? undefined
          : text,
    );
  const common = {
    ...described(id, props),
    className: "input",
    value: kind === "date-time" ? shown.slice(0, 16) : shown,
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

function NumberField(props: FieldProps) {
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

function Checkbox(props: FieldProps) {
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
      <span className="fault" id={`${id}-fault`} />
    </div>
  );
}

function Choice(props: FieldProps) {
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
          {props.faults
            .filter((fault) => fault.path === path)
            .map(({ message }) => message)
            .join(". ")}
        </span>
      </fieldset>
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

function Fields(props: FieldProps) {
  const { schema, value, onChange, path, name, isRequired } = props;
  const fields = isObject(value) ? value : {};
  const required = requiredOf(schema);
  const set = (key: string, next: Json | undefined): void => {
    const { [key]: _, ...rest } = fields;
    const changed = next === undefined ? rest : { ...rest, [key]: next };
    onChange(Object.keys(changed).length === 0 && !isRequired ? undefined : changed);
  };
  const below = propertiesOf(schema)
    .filter(([, each]) => each["const"] === undefined)
    .map(([key, each]) => (
      <SchemaField
        {...props}
        key={key}
        name={key}
        path={`${path}/${pointerPart(key)}`}
        schema={each}
        value={fields[key]}
        isRequired={required.includes(key)}
        onChange={(next) => set(key, next)}
      />
    ));
  if (path === "") return <>{below}</>;
  const fieldset = (
    <fieldset className="nested">
      <legend className={isRequired ? undefined : "unseen"}>{labelOfField(schema, name)}</legend>
      {below}
    </fieldset>
  );
  return isRequired ? (
    fieldset
  ) : (
    <details open={value !== undefined}>
      <summary>
        {labelOfField(schema, name)} <span className="soft">(optional)</span>
      </summary>
      {fieldset}
    </details>
  );
}

/** Scalars as chips. */
function List(props: FieldProps) {
  const id = useId();
  const { value, onChange, schema, onLeave, path } = props;
  const [typed, type] = useState("");
  const entries = Array.isArray(value) ? (value as readonly Json[]) : [];
  const isNumber = fieldKind(itemsOf(schema), "") === "number";
  const add = (): void => {
    const text = typed.trim();
    if (text === "" || (isNumber && Number.isNaN(Number(text)))) return;
    onChange([...entries, isNumber ? Number(text) : text]);
    type("");
  };
  return (
    <Frame id={id} props={props}>
      <div className="cluster">
        {entries.map((entry, index) => (
          <button
            key={index}
            type="button"
            className="chip on"
            aria-label={`Remove ${inOneLine(entry)}`}
            onClick={() => onChange(entries.filter((_, place) => place !== index))}
          >
            {inOneLine(entry)} <Icon name="close" size={13} />
          </button>
        ))}
        <input
          {...described(id, props)}
          className="input"
          style={{ maxWidth: 260 }}
          value={typed}
          placeholder="Type and press Enter"
          onChange={(event) => type(event.target.value)}
          onBlur={() => {
            add();
            onLeave(path);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            add();
          }}
        />
      </div>
    </Frame>
  );
}

/** Objects as rows of small forms: add, remove, move. */
function Rows(props: FieldProps) {
  const { value, onChange, schema, name, path } = props;
  const entries = Array.isArray(value) ? (value as readonly Json[]) : [];
  const items = itemsOf(schema);
  const move = (index: number, step: number): void => {
    const next = [...entries];
    next.splice(index + step, 0, ...next.splice(index, 1));
    onChange(next);
  };
  return (
    <fieldset className="nested">
      <legend>{labelOfField(schema, name)}</legend>
      {entries.map((entry, index) => (
        <div key={index} className="card card-body form">
          <SchemaField
            {...props}
            name={`${index + 1}`}
            path={`${path}/${index}`}
            schema={items}
            value={entry}
            isRequired
            onChange={(next) =>
              onChange(entries.map((each, place) => (place === index ? (next ?? {}) : each)))
            }
          />
          <div className="form-actions">
            <button
              type="button"
              className="button small"
              disabled={index === 0}
              onClick={() => move(index, -1)}
            >
              Up
            </button>
            <button
              type="button"
              className="button small"
              disabled={index === entries.length - 1}
              onClick={() => move(index, 1)}
            >
              Down
            </button>
            <button
              type="button"
              className="button small bad"
              onClick={() => onChange(entries.filter((_, place) => place !== index))}
            >
              Remove
            </button>
          </div>
        </div>
      ))}
      <div>
        <button
          type="button"
          className="button small"
          onClick={() => onChange([...entries, startValue(items) ?? {}])}
        >
          <Icon name="plus" size={14} /> Add
        </button>
      </div>
    </fieldset>
  );
}

/** A choice between forms, told apart by one property. */
function Variants(props: FieldProps) {
  const id = useId();
  const { schema, value, onChange, path } = props;
  const name = discriminatorOf(schema) ?? "";
  const variants = variantsOf(schema);
  const constOf = (variant: JsonSchema): Json | undefined =>
    propertiesOf(variant).find(([key]) => key === name)?.[1]["const"];
  const chosen = variants.findIndex(
    (variant) => isObject(value) && constOf(variant) === value[name],
  );
  const variant = variants[chosen];
  return (
    <>
      <Frame id={id} props={props}>
        <select
          {...described(id, props)}
          className="input"
          value={chosen}
          onChange={(event) => {
            const next = variants[Number(event.target.value)];
            onChange(
              next === undefined
                ? undefined
                : { ...(startValue(next) as object), [name]: constOf(next) ?? null },
            );
          }}
        >
          <option value={-1}>Choose …</option>
          {variants.map((each, index) => (
            <option key={index} value={index}>
              {inOneLine(each["title"] ?? constOf(each))}
            </option>
          ))}
        </select>
      </Frame>
      {variant !== undefined && (
        <SchemaField {...props} path={path} schema={variant} value={value} isRequired />
      )}
    </>
  );
}

function JsonField(props: FieldProps) {
  const id = useId();
  const { value, onChange, onLeave, path } = props;
  const [text, setText] = useState(() =>
    value === undefined ? "" : JSON.stringify(value, undefined, 2),
  );
  const [fault, setFault] = useState<string>();
  const write = (next: string): void => {
    setText(next);
    try {
      onChange(next.trim() === "" ? undefined : (JSON.parse(next) as Json));
      setFault(undefined);
    } catch (error) {
      setFault(errorText(error));
    }
  };
  return (
    <Frame
      id={id}
      props={
        fault === undefined
          ? props
          : { ...props, faults: [...props.faults, { path, message: fault }] }
      }
    >
      <textarea
        {...described(id, props)}
        className="input mono"
        rows={6}
        spellCheck={false}
        value={text}
        onBlur={() => onLeave(path)}
        onChange={(event) => write(event.target.value)}
      />
    </Frame>
  );
}
