import { useId, useState } from "react";
import { announce } from "../shell/announcements.tsx";
import { Icon } from "./icon.tsx";

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  announce("Copied");
}

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isDone, setDone] = useState(false);
  return (
    <button
      type="button"
      className="button small plain"
      aria-label={label}
      title={label}
      onClick={() =>
        void copy(text).then(() => {
          setDone(true);
          setTimeout(() => setDone(false), 1500);
        })
      }
    >
      <Icon name={isDone ? "completed" : "copy"} size={14} />
    </button>
  );
}

/** Texts to copy, by their names in the menu. */
export type CopyForms = Readonly<Record<string, string>>;

/** `Copy as…`: link, curl without the key, TypeScript, command line. */
export function CopyAs({ forms }: { readonly forms: CopyForms }) {
  const id = useId();
  return (
    <>
      <button type="button" className="button plain" popoverTarget={id}>
        <Icon name="copy" size={15} /> Copy as
      </button>
      <div id={id} popover="auto">
        {Object.entries(forms).map(([name, text]) => (
          <button
            key={name}
            type="button"
            className="menu-item"
            popoverTarget={id}
            onClick={() => void copy(text)}
          >
            {name}
          </button>
        ))}
      </div>
    </>
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the curl command of a request; the reader adds the key. */
export function asCurl(path: string, body?: unknown): string {
  const address = `curl ${quoted(location.origin + path)} -H "authorization: Bearer $EDGECREW_KEY"`;
  return body === undefined
    ? address
    : `${address} -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`;
}
