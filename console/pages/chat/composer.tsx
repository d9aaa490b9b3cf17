import { useEffect, useRef, useState } from "react";
import { client } from "../../api.ts";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { errorText } from "../../shell/error-text.ts";
import { keep, readKept } from "../../shell/preferences.ts";
import type { Files } from "./requests.ts";

type Props = {
  readonly draftName: string;
  readonly isBusy: boolean;
  /** True after the other side has ended the conversation. */
  readonly isEnded: boolean;
  readonly onStop: (() => void) | undefined;
  readonly onSend: (text: string, files: Files) => void;
};

type Attached = {
  readonly name: string;
  /** 0 to 1 while it is sent. */
  readonly progress?: number;
  readonly id?: string;
  readonly error?: string;
};

/** Input for a message. Enter sends it, Shift Enter starts a new line; a draft is stored. */
export function Composer({ draftName, isBusy, isEnded, onStop, onSend }: Props) {
  const [text, setText] = useState(() => readKept(draftName, ""));
  const [attached, setAttached] = useState<readonly Attached[]>([]);
  const field = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  useEffect(() => keep(draftName, text === "" ? undefined : text), [draftName, text]);
  const isReady = attached.every(({ id }) => id !== undefined);
  const send = (): void => {
    if (text.trim() === "" || isBusy || !isReady) return;
    onSend(text.trim(), Object.fromEntries(attached.map(({ name, id = "" }) => [name, id])));
    setText("");
    setAttached([]);
    keep(draftName, undefined);
    field.current?.focus();
  };
  const take = (files: readonly File[]): void => {
    for (const file of files) void attach(file);
  };
  const attach = async (file: File): Promise<void> => {
    const put = (change: Attached): void =>
      setAttached((now) => [...now.filter(({ name }) => name !== file.name), change]);
    put({ name: file.name, progress: 0 });
    try {
      const { id } = await client.files.upload(file, {
        onProgress: ({ sent, total = file.size }) =>
          put({ name: file.name, progress: total === 0 ? 1 : sent / total }),
      });
      put({ name: file.name, id });
    } catch (error) {
      put({ name: file.name, error: errorText(error) });
    }
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        take([...event.dataTransfer.files]);
      }}
    >
      {isEnded && (
        <p className="small soft">This conversation has ended. A new message reopens it.</p>
      )}
      {attached.length > 0 && (
        <ul className="cluster" aria-label="Files">
          {attached.map(({ name, id, progress = 0, error }) => (
            <li key={name} className={`badge${error === undefined ? "" : " bad"}`}>
              <PlainText text={name} />{" "}
              {error ?? (id === undefined ? `${Math.round(progress * 100)} %` : "")}
              <button
                type="button"
                className="button small plain icon"
                aria-label={`Leave out ${name}`}
                onClick={() => setAttached((now) => now.filter((each) => each.name !== name))}
              >
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="composer-line">
        <button
          type="button"
          className="button icon"
          aria-label="Add files"
          title="Add files, or drop or paste them"
          onClick={() => chooser.current?.click()}
        >
          <Icon name="plus" />
        </button>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label="Files"
          onChange={(event) => {
            take([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
        <textarea
          ref={field}
          className="input"
          rows={Math.min(8, text.split("\n").length)}
          aria-label="Message"
          placeholder="Say something"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onPaste={(event) => {
            const files = [...event.clipboardData.files];
            if (files.length === 0) return;
            event.preventDefault();
            take(files);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        {onStop === undefined ? (
          <button
            type="submit"
            className="button main"
            disabled={isBusy || !isReady || text.trim() === ""}
          >
            Send
          </button>
        ) : (
          <button type="button" className="button" onClick={onStop}>
            Stop
          </button>
        )}
      </div>
    </form>
  );
}
