import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import type { TargetKind } from "../../api-types.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { TargetPath } from "./kinds.ts";
import { TEMPLATE_NAMES } from "./template-names.ts";

type Props = { readonly kind: TargetKind; readonly path: TargetPath };

/** Asks for a name and a template, if the kind has several, and opens the editor. */
export function NewDefinition({ kind, path }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [template, setTemplate] = useState<string>();
  const templates = TEMPLATE_NAMES[kind];
  const navigate = useNavigate();
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        <Icon name="plus" size={15} /> New {kind}
      </button>
      {isOpen && (
        <Dialog title={`New ${kind}`} onClose={() => setOpen(false)}>
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              void navigate({
                to: `${path}/$name`,
                params: { name: name.trim() },
                search: { tab: "edit", ...(template === undefined ? undefined : { template }) },
              });
            }}
          >
            <div className="field">
              <label htmlFor={id}>Name</label>
              <span className="help">It is in the address of the API, and cannot be changed.</span>
              <input
                id={id}
                className="input"
                required
                maxLength={128}
                pattern="[\p{L}\p{N}_][\p{L}\p{M}\p{N} _.\-]*"
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            </div>
            {templates.length > 0 && (
              <fieldset>
                <legend>Begin with</legend>
                <Choice
                  label="Hand-overs"
                  help="Agents pass the turn to each other."
                  isChosen={template === undefined}
                  onChoose={() => setTemplate(undefined)}
                />
                {templates.map((each) => (
                  <Choice
                    key={each.id}
                    label={each.label}
                    help={each.help}
                    isChosen={template === each.id}
                    onChoose={() => setTemplate(each.id)}
                  />
                ))}
              </fieldset>
            )}
            <div className="form-actions">
              <button type="submit" className="button main">
                Open the editor
              </button>
              <button type="button" className="button" onClick={() => setOpen(false)}>
                Cancel
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly help: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
};

function Choice({ label, help, isChosen, onChoose }: ChoiceProps) {
  return (
    <label className="choice">
      <input type="radio" name="template" checked={isChosen} onChange={onChoose} />
      <span>
        {label} <span className="soft small">{help}</span>
      </span>
    </label>
  );
}
