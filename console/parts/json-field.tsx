import { useId, useState } from "react";
import type { Json } from "../api-types.ts";
import { errorText } from "../shell/error-text.ts";
import { described, faultsBelow, Frame, type FieldProps } from "./field-frame.tsx";
import { placeIn } from "./json-place.ts";

/** JSON text, for values without a field of their own kind. */
export function JsonField(props: FieldProps) {
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
      {faultsBelow(props).map((each) => (
        <span key={each.path + each.message} className="fault">
          {placeIn(text, each.path.slice(path.length))}
          {each.message}
        </span>
      ))}
    </Frame>
  );
}
