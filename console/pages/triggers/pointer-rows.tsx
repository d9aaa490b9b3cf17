import { useId, useState } from "react";
import type { Json } from "../../api-types.ts";
import { keep, readKept } from "../../shell/preferences.ts";
import { placesIn } from "./pointers.ts";

export type PointerRow = { readonly name: string; readonly pointer: string };

type Props = {
  readonly rows: readonly PointerRow[];
  /** Inputs of the target. */
  readonly names: readonly string[];
  readonly onChange: (rows: readonly PointerRow[]) => void;
};

const SAMPLE = `{
  "action": "opened",
  "issue": { "title": "It rains", "body": "Since Monday" }
}`;

/** Maps places of the body to inputs: typed, or clicked in a sample body. */
export function PointerRows({ rows, names, onChange }: Props) {
  const id = useId();
  const [active, setActive] = useState(0);
  const [sample, setSample] = useState(() => readKept("hookSample", SAMPLE));
  const shown: readonly PointerRow[] =
    rows.length > 0 ? rows : names.map((name) => ({ name, pointer: "" }));
  const change = (index: number, row: PointerRow): void =>
    onChange(shown.map((each, place) => (place === index ? row : each)));
  const value = parsed(sample);
  const row = shown[active];
  return (
    <fieldset className="nested">
      <legend>Inputs</legend>
      <p className="help">
        Each is a JSON pointer into the body; an empty one is the whole body. Without any, the whole
        body is the input <code>crewai_trigger_payload</code>.
      </p>
      {shown.map(({ name, pointer }, index) => (
        <div key={index} className="pointer-row">
          <input
            className="input"
            aria-label={`Name of input ${index + 1}`}
            value={name}
            onFocus={() => setActive(index)}
            onChange={(event) => change(index, { name: event.target.value, pointer })}
          />
          <input
            className="input mono"
            aria-label={`Place of input ${index + 1}`}
            placeholder="/issue/title"
            value={pointer}
            onFocus={() => setActive(index)}
            onChange={(event) => change(index, { name, pointer: event.target.value })}
          />
          <button
            type="button"
            className="button small plain"
            aria-label={`Remove input ${index + 1}`}
            onClick={() => onChange(shown.filter((_, place) => place !== index))}
          >
            Remove
          </button>
        </div>
      ))}
      <div>
        <button
          type="button"
          className="button small"
          onClick={() => {
            onChange([...shown, { name: "", pointer: "" }]);
            setActive(shown.length);
          }}
        >
          Add an input
        </button>
      </div>
      <details>
        <summary>Choose in a sample body</summary>
        <div className="stack">
          <label htmlFor={id}>A body as the sender sends it</label>
          <textarea
            id={id}
            className="input mono"
            rows={5}
            spellCheck={false}
            value={sample}
            aria-invalid={value === undefined}
            onChange={(event) => {
              setSample(event.target.value);
              keep("hookSample", event.target.value.slice(0, 100_000));
            }}
          />
          {value === undefined ? (
            <p className="fault">This is no JSON yet.</p>
          ) : (
            <>
              <p className="help">
                {row === undefined
                  ? "Add an input first."
                  : `A click sets the place of ${row.name === "" ? `input ${active + 1}` : row.name}.`}
              </p>
              <ul className="pointers" aria-label="Places in the sample">
                {placesIn(value).map((place) => (
                  <li key={place.pointer}>
                    <button
                      type="button"
                      disabled={row === undefined}
                      style={{ paddingInlineStart: 8 + place.depth * 16 }}
                      onClick={() =>
                        row !== undefined && change(active, { ...row, pointer: place.pointer })
                      }
                    >
                      <span>{place.name}</span>
                      <span className="soft small cut mono">{place.preview}</span>
                    </button>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      </details>
    </fieldset>
  );
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
