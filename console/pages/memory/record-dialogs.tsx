import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { client } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { plural } from "../../parts/format.ts";
import { PlainText } from "../../parts/text.tsx";
import { announce } from "../../shell/announcements.tsx";
import { errorText } from "../../shell/error-text.ts";
import { useMay } from "../../shell/session.ts";
import { categoriesOf } from "./score.ts";
import type { MemoryRow } from "./types.ts";

type Draft = {
  readonly content: string;
  readonly scope: string;
  readonly categories: string;
  /** Empty: the server decides. */
  readonly importance: string;
  readonly source: string;
  readonly isPrivate: boolean;
  /** Id of a person: the memory of this person. */
  readonly person: string;
};

function draftOf(record: MemoryRow | undefined, scope: string): Draft {
  return {
    content: record?.content ?? "",
    scope: record?.scope ?? scope,
    categories: record?.categories.join(", ") ?? "",
    importance: record === undefined ? "" : String(record.importance),
    source: record?.source ?? "",
    isPrivate: record?.private ?? false,
    person: "",
  };
}

/** Edits a record, or saves a new one without it. */
export function RecordDialog({
  record,
  scope = "/",
  onClose,
}: {
  readonly record?: MemoryRow;
  readonly scope?: string;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState(() => draftOf(record, scope));
  const isAdmin = useMay("admin");
  const queries = useQueryClient();
  const id = useId();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const { content, isPrivate } = draft;
      const [source, person] = [draft.source.trim(), draft.person.trim()];
      const fields = {
        ...(draft.scope.trim() === "" ? undefined : { scope: draft.scope.trim() }),
        ...(draft.categories.trim() === "" && record === undefined
          ? undefined
          : { categories: categoriesOf(draft.categories) }),
        ...(draft.importance === "" ? undefined : { importance: Number(draft.importance) }),
      };
      if (record !== undefined) {
        const viewer = {
          ...(isAdmin ? { includePrivate: true } : undefined),
          ...(record.source === undefined ? undefined : { source: record.source }),
        };
        const owner = {
          ...(source === "" || source === record.source ? undefined : { source }),
          ...(isPrivate === record.private ? undefined : { private: isPrivate }),
        };
        await client.memory.update(record.id, { content, ...fields, ...owner }, viewer);
        return "Memory changed";
      }
      const saved = await client.memory.remember(content, {
        ...fields,
        ...(person === "" ? undefined : { person }),
        ...(source === "" || person !== "" ? undefined : { source }),
        ...(isPrivate && person === "" ? { private: true } : undefined),
      });
      return saved === undefined ? "Merged into a known memory" : "Memory saved";
    },
    onSuccess: (done) => {
      announce(done);
      void queries.invalidateQueries({ queryKey: ["memory"] });
      onClose();
    },
  });
  const text = (name: "content" | "scope" | "categories" | "importance" | "source" | "person") => ({
    id: `${id}-${name}`,
    className: "input",
    value: draft[name],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setDraft({ ...draft, [name]: event.target.value }),
  });
  return (
    <Dialog title={record === undefined ? "Save a memory" : "Edit or move"} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <div className="field">
          <label htmlFor={`${id}-content`}>Text</label>
          <textarea {...text("content")} rows={4} required />
        </div>
        <div className="field">
          <label htmlFor={`${id}-scope`}>Scope</label>
          <input {...text("scope")} className="input mono" placeholder="/customers/acme" />
          <span className="help">A path. Agents that read it also read the paths below.</span>
        </div>
        <div className="form-pair">
          <div className="field">
            <label htmlFor={`${id}-categories`}>Categories</label>
            <input {...text("categories")} placeholder="taste, contract" />
          </div>
          <div className="field">
            <label htmlFor={`${id}-importance`}>Importance, 0 to 1</label>
            <input {...text("importance")} type="number" min={0} max={1} step={0.05} />
          </div>
        </div>
        {record === undefined && (
          <div className="field">
            <label htmlFor={`${id}-person`}>Person</label>
            <input {...text("person")} className="input mono" placeholder="Id of a person" />
            <span className="help">Saves to the memory of this person, private to the person.</span>
          </div>
        )}
        {draft.person.trim() === "" && (
          <>
            <div className="field">
              <label htmlFor={`${id}-source`}>Source</label>
              <input {...text("source")} placeholder="Owner of the memory" />
            </div>
            <label className="choice">
              <input
                type="checkbox"
                checked={draft.isPrivate}
                onChange={(event) => setDraft({ ...draft, isPrivate: event.target.checked })}
              />
              {draft.source.trim() === ""
                ? "Private: without a source, only administrators see it"
                : "Private: only its source recalls it"}
            </label>
          </>
        )}
        {error !== null && (
          <p className="fault" role="alert">
            {errorText(error)}
          </p>
        )}
        <div className="form-actions">
          <button
            type="submit"
            className="button main"
            disabled={isPending || draft.content.trim() === ""}
          >
            {isPending ? "Saving …" : "Save"}
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Deletes one memory, or all of a scope, with their number. */
export type Forgetting =
  | { readonly record: MemoryRow }
  | { readonly scope: string; readonly count: number };

export function ForgetDialog({
  what,
  onClose,
}: {
  readonly what: Forgetting;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const isAdmin = useMay("admin");
  const isOne = "record" in what;
  const count = isOne ? 1 : what.count;
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      if (!("record" in what)) return client.memory.forget({ scope: what.scope });
      const { id, source } = what.record;
      await client.memory.delete(id, {
        ...(isAdmin ? { includePrivate: true } : undefined),
        ...(source === undefined ? undefined : { source }),
      });
      return 1;
    },
    onSuccess: (forgotten) => {
      announce(`${plural(forgotten, "memory", "memories")} forgotten`);
      void queries.invalidateQueries({ queryKey: ["memory"] });
      onClose();
    },
  });
  return (
    <Dialog title={`Forget ${plural(count, "memory", "memories")}?`} onClose={onClose}>
      {isOne ? (
        <blockquote className="value memory-text">
          <PlainText text={what.record.content} />
        </blockquote>
      ) : (
        <p>
          {count === 1 ? "The memory" : `All ${plural(count, "memory", "memories")}`} in{" "}
          <code>{what.scope}</code> and below it {count === 1 ? "is" : "are"} forgotten.
        </p>
      )}
      <p className="soft">This cannot be undone. Runs that have read it keep their copy.</p>
      {error !== null && (
        <p className="fault" role="alert">
          {errorText(error)}
        </p>
      )}
      <div className="form-actions">
        <button type="button" className="button bad" disabled={isPending} onClick={() => mutate()}>
          {isPending ? "Forgetting …" : `Forget ${plural(count, "memory", "memories")}`}
        </button>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
