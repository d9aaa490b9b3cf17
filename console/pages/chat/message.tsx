import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { CopyButton } from "../../parts/copy.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { PlainText } from "../../parts/text.tsx";
import type { ChatMessage } from "./talk.ts";
import { TurnWork } from "./turn-work.tsx";

type Props = {
  readonly message: ChatMessage;
  /** Shows the work of the turn below the message. */
  readonly isLastOfTurn?: boolean;
  /** Replaces the message by another text. */
  readonly onEdit?: ((text: string) => void) | undefined;
};

export function Bubble({ message, isLastOfTurn = false, onEdit }: Props) {
  const [draft, edit] = useState<string>();
  const { role, name, content, runId, files = [] } = message;
  if (draft !== undefined && onEdit !== undefined)
    return (
      <form
        className="bubble user editing"
        onSubmit={(event) => {
          event.preventDefault();
          edit(undefined);
          onEdit(draft.trim());
        }}
      >
        <textarea
          className="input"
          aria-label="Your message"
          rows={Math.min(8, draft.split("\n").length + 1)}
          autoFocus
          value={draft}
          onChange={(event) => edit(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") edit(undefined);
          }}
        />
        <div className="form-actions">
          <button type="submit" className="button main small" disabled={draft.trim() === ""}>
            Ask again
          </button>
          <button type="button" className="button small" onClick={() => edit(undefined)}>
            Cancel
          </button>
          <span className="small soft">Later messages are answered again; their runs stay.</span>
        </div>
      </form>
    );
  return (
    <div className={`bubble ${role}`} data-role={role}>
      {name !== undefined && (
        <span className="who">
          <PlainText text={name} />
        </span>
      )}
      {role === "assistant" ? (
        <Markdown text={content} />
      ) : (
        <div className="value">
          <PlainText text={content} />
        </div>
      )}
      {files.length > 0 && (
        <p className="cluster">
          {files.map((file) => (
            <span key={file} className="badge">
              <PlainText text={file} />
            </span>
          ))}
        </p>
      )}
      <div className="bubble-actions">
        <CopyButton text={content} label="Copy the message" />
        {onEdit !== undefined && (
          <button type="button" className="button small plain" onClick={() => edit(content)}>
            Edit and ask again
          </button>
        )}
        {runId !== undefined && (
          <Link to="/runs/$id" params={{ id: runId }} className="button small plain" title={runId}>
            <Icon name="runs" size={13} /> Run
          </Link>
        )}
      </div>
      {isLastOfTurn && runId !== undefined && <TurnWork runId={runId} isGoing={false} />}
    </div>
  );
}
