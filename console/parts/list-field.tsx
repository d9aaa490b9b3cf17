import { inOneLine } from "./format.ts";
import { useId, useState } from "react";
import type { Json, JsonSchema } from "../api-types.ts";
import { described, faultsBelow, Frame, type FieldProps } from "./field-frame.tsx";
import { fieldKind, isObject } from "./form-fields.ts";
import { Icon } from "./icon.tsx";

/** Scalars as chips; in a choice each chip is an allowed value. */
export function List(props: FieldProps) {
  const items = isObject(props.schema["items"]) ? props.schema["items"] : {};
  const options = items["enum"];
  return Array.isArray(options) ? (
    <Chosen props={props} options={options as readonly Json[]} />
  ) : (
    <Typed props={props} items={items} />
  );
}

function Chosen({
  props,
  options,
}: {
  readonly props: FieldProps;
  readonly options: readonly Json[];
}) {
  const id = useId();
  const { value, onChange, onLeave, path } = props;
  const chosen = Array.isArray(value) ? (value as readonly Json[]) : [];
  return (
    <Frame id={id} props={props}>
      <div
        {...described(id, props)}
        role="group"
        className="cluster"
        tabIndex={-1}
        onBlur={() => onLeave(path)}
      >
        {options.map((option) => {
          const isOn = chosen.includes(option);
          return (
            <button
              key={inOneLine(option)}
              type="button"
              className={`chip${isOn ? " on" : ""}`}
              aria-pressed={isOn}
              onClick={() =>
                onChange(isOn ? chosen.filter((each) => each !== option) : [...chosen, option])
              }
            >
              {inOneLine(option)}
            </button>
          );
        })}
      </div>
    </Frame>
  );
}

function Typed({ props, items }: { readonly props: FieldProps; readonly items: JsonSchema }) {
  const id = useId();
  const { value, onChange, onLeave, path } = props;
  const [typed, type] = useState("");
  const entries = Array.isArray(value) ? (value as readonly Json[]) : [];
  const isNumber = fieldKind(items, "") === "number";
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
      {faultsBelow(props).map((fault) => (
        <span key={fault.path + fault.message} className="fault" role="alert">
          {inOneLine(entries[Number(fault.path.split("/").at(-1))] ?? "")}: {fault.message}
        </span>
      ))}
    </Frame>
  );
}
