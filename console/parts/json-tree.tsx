import { useState } from "react";
import type { Json } from "../api-types.ts";
import { inOneLine } from "./format.ts";
import { isSecretName } from "./plain-text.ts";
import { PlainText } from "./text.tsx";

const OPEN_DEPTH = 2;
const PAGE = 100;

type Props = {
  readonly value: Json;
  readonly name?: string;
  readonly depth?: number;
  /** Shows its fields directly, without the line with their number. */
  readonly isBare?: boolean;
};

/** A value as a tree, folded below the second level. Values with names like secrets are masked until clicked. */
export function JsonTree({ value, name, depth = 0, isBare = false }: Props) {
  const [limit, setLimit] = useState(PAGE);
  if (value === null || typeof value !== "object") return <Leaf value={value} name={name} />;
  const entries = Object.entries(value);
  const brackets = Array.isArray(value) ? "[]" : "{}";
  const label = (
    <>
      {name !== undefined && <span className="soft">{name}: </span>}
      <span className="soft">
        {brackets[0]} {entries.length} {brackets[1]}
      </span>
    </>
  );
  if (entries.length === 0) return <div>{label}</div>;
  const below = (
    <>
      {entries.slice(0, limit).map(([key, each]) => (
        <JsonTree key={key} name={key} value={each} depth={depth + 1} />
      ))}
      {entries.length > limit && (
        <button type="button" className="button small" onClick={() => setLimit(limit + PAGE)}>
          {entries.length - limit} more
        </button>
      )}
    </>
  );
  if (isBare) return <div className="json-fields">{below}</div>;
  return (
    <details open={depth < OPEN_DEPTH} className="json">
      <summary>{label}</summary>
      <div className="json-below">{below}</div>
    </details>
  );
}

function Leaf({ value, name }: { readonly value: Json; readonly name: string | undefined }) {
  const [isShown, show] = useState(
    name === undefined || !isSecretName(name) || typeof value !== "string",
  );
  return (
    <div className="json-leaf">
      {name !== undefined && <span className="soft">{name}: </span>}
      {isShown ? (
        <span className={`json-${value === null ? "null" : typeof value}`}>
          {typeof value === "string" ? <PlainText text={value} /> : inOneLine(value)}
        </span>
      ) : (
        <button type="button" className="button small" onClick={() => show(true)}>
          show
        </button>
      )}
    </div>
  );
}
