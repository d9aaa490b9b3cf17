import { Link } from "@tanstack/react-router";
import { useId, useRef, useState, type DragEvent } from "react";
import { client } from "../../api.ts";
import { plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { nameOfAddress, type Indexing } from "./indexing.ts";
import type { Additions, NewDocument } from "./use-indexing.ts";

type How = "files" | "text" | "address";
const WAYS: readonly (readonly [How, string])[] = [
  ["files", "Files"],
  ["text", "Text"],
  ["address", "Address"],
];

type Props = {
  readonly collection: string;
  readonly additions: Additions;
  /** Called before documents are added. */
  readonly onAdd?: () => void;
};

/** Adds documents: dropped or chosen files, a text, the page at an address. */
export function AddDocuments({ collection, additions, onAdd }: Props) {
  const [how, setHow] = useState<How>("files");
  const add = (documents: readonly NewDocument[]): void => {
    onAdd?.();
    additions.add(documents);
  };
  return (
    <section className="card" aria-label="Add documents">
      <header>
        <h2>Add documents</h2>
        <div className="cluster" role="group" aria-label="From">
          {WAYS.map(([way, label]) => (
            <button
              key={way}
              type="button"
              className="chip"
              aria-pressed={how === way}
              data-on={how === way}
              onClick={() => setHow(way)}
            >
              {label}
            </button>
          ))}
        </div>
      </header>
      <div className="card-body stack">
        {how === "files" ? (
          <FileDrop collection={collection} onAdd={add} />
        ) : how === "text" ? (
          <TextForm key="text" collection={collection} onAdd={add} />
        ) : (
          <AddressForm key="address" collection={collection} onAdd={add} />
        )}
        <Progress additions={additions} />
      </div>
    </section>
  );
}

type FormProps = {
  readonly collection: string;
  readonly onAdd: (documents: readonly NewDocument[]) => void;
};

function FileDrop({ collection, onAdd }: FormProps) {
  const [isOver, over] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (files: FileList | null): void => {
    if (files === null || files.length === 0) return;
    onAdd(
      [...files].map((file) => ({
        name: file.name,
        send: async () =>
          client.knowledge.upload(collection, {
            name: file.name,
            body: new Uint8Array(await file.arrayBuffer()),
            ...(file.type === "" ? undefined : { mediaType: file.type }),
          }),
      })),
    );
  };
  const drag = (is: boolean) => (event: DragEvent) => {
    event.preventDefault();
    over(is);
  };
  return (
    <div
      className={`drop${isOver ? " over" : ""}`}
      onDragEnter={drag(true)}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event);
        take(event.dataTransfer.files);
      }}
    >
      <p>Drop files here: text, Markdown, HTML, PDF, Word, Excel, CSV, JSON, XML.</p>
      <button type="button" className="button" onClick={() => input.current?.click()}>
        Choose files
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={(event) => {
          take(event.target.files);
          event.target.value = "";
        }}
      />
      <p className="small soft">A document of the same name is replaced.</p>
    </div>
  );
}

function TextForm({ collection, onAdd }: FormProps) {
  const id = useId();
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        const document = { name: name.trim(), text };
        onAdd([{ name: document.name, send: () => client.knowledge.add(collection, document) }]);
        setName("");
        setText("");
      }}
    >
      <div className="field">
        <label htmlFor={`${id}-name`}>Name</label>
        <input
          id={`${id}-name`}
          className="input"
          value={name}
          maxLength={256}
          placeholder="returns.md"
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-text`}>Text</label>
        <textarea
          id={`${id}-text`}
          className="input"
          rows={6}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <div className="form-actions">
        <button
          type="submit"
          className="button main"
          disabled={name.trim() === "" || text.trim() === ""}
        >
          Add the text
        </button>
      </div>
    </form>
  );
}

function AddressForm({ collection, onAdd }: FormProps) {
  const id = useId();
  const [url, setUrl] = useState("");
  const name = nameOfAddress(url);
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        onAdd([{ name, send: () => client.knowledge.add(collection, { name, url }) }]);
        setUrl("");
      }}
    >
      <div className="field">
        <label htmlFor={`${id}-url`}>Address</label>
        <input
          id={`${id}-url`}
          className="input"
          type="url"
          value={url}
          placeholder="https://example.com/handbook.html"
          onChange={(event) => setUrl(event.target.value.trim())}
        />
        <span className="help">A page that everybody can open. The Worker loads it.</span>
      </div>
      <div className="form-actions">
        <button type="submit" className="button main" disabled={name === ""}>
          Add the page
        </button>
      </div>
    </form>
  );
}

const WORDS = {
  sending: "Sending",
  indexing: "Indexing",
  ready: "Ready",
  failed: "Failed",
} as const;
const ICONS = {
  sending: "queued",
  indexing: "running",
  ready: "completed",
  failed: "failed",
} as const;
const TONES = { sending: "calm", indexing: "busy", ready: "good", failed: "bad" } as const;

function Progress({ additions: { items, clear } }: { readonly additions: Additions }) {
  if (items.length === 0) return null;
  const isOver = items.every(({ state }) => state === "ready" || state === "failed");
  const failed = items.filter(({ state }) => state === "failed").length;
  const ready = items.filter(({ state }) => state === "ready").length;
  return (
    <div className="stack tight" role="region" aria-label="Documents being added">
      <p className="cluster small">
        <span>
          {ready} of {plural(items.length, "document")} ready
          {failed > 0 && <span className="bad-text">, {failed} failed</span>}
        </span>
        <span className="spread" />
        {isOver && (
          <button type="button" className="button small plain" onClick={clear}>
            Clear this list
          </button>
        )}
      </p>
      <ul className="additions">
        {items.map((each) => (
          <AdditionRow key={`${each.runId} ${each.name}`} of={each} />
        ))}
      </ul>
    </div>
  );
}

function AdditionRow({
  of: { name, runId, state, indexed, chunks, error },
}: {
  readonly of: Indexing;
}) {
  return (
    <li data-addition={name} data-state={state}>
      <p className="cluster">
        <span className={`status ${TONES[state]}${state === "indexing" ? " turning" : ""}`}>
          <Icon name={ICONS[state]} size={15} /> {WORDS[state]}
        </span>
        <span className="cut">
          <PlainText text={name} />
        </span>
        <span className="spread" />
        {chunks !== undefined && (
          <span className="small soft number">
            {state === "ready" ? plural(chunks, "chunk") : `${indexed ?? 0} of ${chunks} chunks`}
          </span>
        )}
        {runId !== "" && (
          <Link to="/runs/$id" params={{ id: runId }} className="small">
            Run
          </Link>
        )}
      </p>
      {state === "indexing" && (
        <progress
          aria-label={`Progress of ${name}`}
          max={chunks ?? 1}
          {...(chunks === undefined ? undefined : { value: indexed ?? 0 })}
        />
      )}
      {error !== undefined && (
        <p className="small bad-text">
          <PlainText text={error} />
        </p>
      )}
    </li>
  );
}
