import { useState } from "react";
import type { Json } from "../api-types.ts";
import { CopyButton } from "./copy.tsx";
import { formatBytes } from "./format.ts";
import { JsonTree } from "./json-tree.tsx";
import { Markdown } from "./markdown.tsx";
import { PlainText } from "./text.tsx";

/** Length above which only the beginning is shown at first. */
const HEAD = 256 * 1024;

type Props = { readonly value: Json; readonly isMarkdown?: boolean; readonly label?: string };

/** A value: a text as Markdown or plain, other values as a tree. */
export function Viewer({ value, isMarkdown = false, label = "value" }: Props) {
  const [asMarkdown, setAsMarkdown] = useState(isMarkdown);
  const [isWhole, setWhole] = useState(false);
  const isText = typeof value === "string";
  const text = isText ? value : JSON.stringify(value, undefined, 2);
  const isLong = text.length > HEAD && !isWhole;
  const shown = isLong ? text.slice(0, HEAD) : text;
  return (
    <div className="viewer">
      <div className="viewer-actions">
        {isText && (
          <button
            type="button"
            className="button small plain"
            aria-pressed={asMarkdown}
            onClick={() => setAsMarkdown(!asMarkdown)}
          >
            {asMarkdown ? "Plain" : "Markdown"}
          </button>
        )}
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
      {isText || isLong ? (
        asMarkdown ? (
          <Markdown text={shown} />
        ) : (
          <pre className="value" tabIndex={0} aria-label={label}>
            <PlainText text={shown} />
          </pre>
        )
      ) : (
        <div className="mono">
          <JsonTree value={value} />
        </div>
      )}
      {isLong && (
        <p className="small soft">
          The first {formatBytes(HEAD)} of {formatBytes(text.length)}.{" "}
          <button type="button" className="button small" onClick={() => setWhole(true)}>
            Show the rest
          </button>
        </p>
      )}
    </div>
  );
}
