import { useId } from "react";
import type { Json, JsonSchema } from "../api-types.ts";
import { described, Frame, OwnFaults, type FieldProps } from "./field-frame.tsx";
import { FileField } from "./file-field.tsx";
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
  withoutNull,
} from "./form-fields.ts";
import { inOneLine } from "./format.ts";
import { Icon } from "./icon.tsx";
import { JsonField } from "./json-field.tsx";
import { List } from "./list-field.tsx";
import { Checkbox, Choice, NumberField, TextField } from "./scalar-fields.tsx";

export function SchemaField(whole: FieldProps) {
  const props = { ...whole, schema: withoutNull(whole.schema) };
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
    case "file":
      return <FileField {...props} />;
    case "json":
      return <JsonField {...props} />;
    default:
      return <TextField {...props} />;
  }
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
      <OwnFaults {...props} />
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

/** Objects as rows of small forms: add, remove, move. */
function Rows(props: FieldProps) {
  const { value, onChange, schema, name, path } = props;
  const entries = Array.isArray(value) ? (value as readonly Json[]) : [];
  const items = isObject(schema["items"]) ? schema["items"] : {};
  const move = (index: number, step: number): void => {
    const next = [...entries];
    next.splice(index + step, 0, ...next.splice(index, 1));
    onChange(next);
  };
  return (
    <fieldset className="nested">
      <legend>{labelOfField(schema, name)}</legend>
      <OwnFaults {...props} />
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

/** Choice between variants, distinguished by one property. */
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
