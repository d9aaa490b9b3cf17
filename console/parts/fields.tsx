import { useState, type ReactNode } from "react";
import { isFileId } from "../../src/files/file-id.ts";
import type { Json } from "../api-types.ts";
import { inOneLine, inWords } from "./format.ts";
import { Icon } from "./icon.tsx";
import { JsonTree } from "./json-tree.tsx";
import { LongText } from "./long-text.tsx";
import { Markdown } from "./markdown.tsx";
import { isSecretName } from "./plain-text.ts";
import { PlainText } from "./text.tsx";
import { Viewer } from "./viewer.tsx";

/** Depth below which a value is shown as a tree. */
const MAX_DEPTH = 2;
const MAX_ITEMS = 50;
/** Length above which a text has a viewer of its own, which shows its beginning first. */
const LONG = 100_000;

type Looks = {
  /** Texts as they were written, and not as Markdown. */
  readonly isPlain?: boolean;
  readonly depth?: number;
};
type JsonFields = { readonly [key: string]: Json };

/** An object for readers: a line for each field, texts with their lines, files as links. */
export function Fields({
  fields,
  isPlain = false,
  depth = 0,
}: Looks & { readonly fields: JsonFields }) {
  const entries = Object.entries(fields);
  if (entries.length === 0) return <span className="soft">None</span>;
  return (
    <dl className="said-fields">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>
            <PlainText text={inWords(name)} />
          </dt>
          <dd>
            <Masked name={name} value={value}>
              <FieldValue value={value} isPlain={isPlain} depth={depth} />
            </Masked>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Any value for readers; see `Fields`. */
export function FieldValue({
  value,
  isPlain = false,
  depth = 0,
}: Looks & { readonly value: Json }) {
  if (value === null) return <span className="soft">None</span>;
  if (typeof value === "string" && value.length > LONG && !isPlain)
    return <Viewer value={value} isMarkdown />;
  if (typeof value === "string")
    return isPlain ? <LongText text={value} /> : <Markdown text={value} />;
  if (typeof value !== "object") return <>{inOneLine(value)}</>;
  const file = fileOf(value);
  if (file !== undefined) return <FileLink {...file} />;
  if (depth > MAX_DEPTH || Object.keys(value).length > MAX_ITEMS)
    return (
      <div className="mono">
        <JsonTree value={value} isBare />
      </div>
    );
  if (!Array.isArray(value))
    return <Fields fields={value as JsonFields} isPlain={isPlain} depth={depth + 1} />;
  if (value.length === 0) return <span className="soft">None</span>;
  return (
    <ul className="said-items">
      {(value as readonly Json[]).map((item, index) => (
        <li key={index}>
          <FieldValue value={item} isPlain={isPlain} depth={depth + 1} />
        </li>
      ))}
    </ul>
  );
}

function Masked({
  name,
  value,
  children,
}: {
  readonly name: string;
  readonly value: Json;
  readonly children: ReactNode;
}) {
  const [isShown, show] = useState(!isSecretName(name) || typeof value !== "string");
  if (isShown) return children;
  return (
    <button type="button" className="button small" onClick={() => show(true)}>
      Show
    </button>
  );
}

type FileRef = { readonly id: string; readonly name: string };

/** Returns the file of `{ "$file": id, name? }`. */
function fileOf(value: Json): FileRef | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  const { $file: id, name } = value as JsonFields;
  if (typeof id !== "string" || id === "") return undefined;
  return { id, name: typeof name === "string" ? name : id };
}

function FileLink({ id, name }: FileRef) {
  const label = (
    <>
      <Icon name="file" size={13} /> <PlainText text={name} />
    </>
  );
  // An address or a path is no file of this Worker.
  return isFileId(id) ? (
    <a className="file-link" href={`/files/${encodeURIComponent(id)}/content`} download={name}>
      {label}
    </a>
  ) : (
    <span className="file-link">{label}</span>
  );
}
