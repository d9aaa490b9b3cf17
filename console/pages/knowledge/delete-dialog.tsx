import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Dialog } from "../../parts/dialog.tsx";
import { announce } from "../../shell/announcements.tsx";
import { errorText } from "../../shell/error-text.ts";

type Props = {
  readonly kind: "collection" | "document";
  readonly name: string;
  /** Description of other deleted data. */
  readonly also: string;
  readonly remove: () => Promise<void>;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Deletes once the name has been typed. */
export function DeleteDialog({ kind, name, also, remove, onDone, onClose }: Props) {
  const [typed, type] = useState("");
  const id = useId();
  const { mutate, isPending, error } = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      announce(`The ${kind} was deleted`);
      onDone();
    },
  });
  return (
    <Dialog title={`Delete the ${kind} ${name}?`} onClose={onClose}>
      <p>{also} It cannot be undone.</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === name) mutate();
        }}
      >
        <div className="field">
          <label htmlFor={id}>
            Type <code>{name}</code> to go on
          </label>
          <input
            id={id}
            className="input mono"
            autoComplete="off"
            value={typed}
            onChange={(event) => type(event.target.value)}
          />
        </div>
        {error !== null && (
          <p className="fault" role="alert">
            {errorText(error)}
          </p>
        )}
        <div className="form-actions">
          <button type="submit" className="button bad" disabled={typed !== name || isPending}>
            {isPending ? "Deleting …" : `Delete the ${kind}`}
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
