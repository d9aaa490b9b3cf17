import { useId, useRef, useState, type DragEvent } from "react";
import type { Json } from "../api-types.ts";
import { client } from "../api.ts";
import { errorText } from "../shell/error-text.ts";
import { announce } from "../shell/announcements.tsx";
import { described, Frame, type FieldProps } from "./field-frame.tsx";
import { isObject } from "./form-fields.ts";
import { formatBytes } from "./format.ts";
import { PlainText } from "./text.tsx";

type Sending = { readonly name: string; readonly sent: number; readonly total: number };
type Sent = { readonly id: string; readonly name: string; readonly bytes: number };

/** Uploads a dropped or chosen file at once. The input is its id, `{ "$file": id }`. */
export function FileField(props: FieldProps) {
  const id = useId();
  const { value, onChange, onLeave, path } = props;
  const [sending, setSending] = useState<Sending>();
  const [sent, setSent] = useState<Sent>();
  const [fault, setFault] = useState<string>();
  const [isOver, setOver] = useState(false);
  const running = useRef<AbortController>(undefined);
  const present = fileId(value);

  const send = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setFault(undefined);
    setSending({ name: file.name, sent: 0, total: file.size });
    try {
      const stored = await client.files.upload(file, {
        name: file.name,
        signal: own.signal,
        onProgress: (progress) =>
          setSending({ name: file.name, sent: progress.sent, total: progress.total ?? file.size }),
      });
      setSent({ id: stored.id, name: stored.name, bytes: stored.bytes });
      onChange({ $file: stored.id });
      announce(`${file.name} is uploaded`);
    } catch (error) {
      if (!own.signal.aborted) setFault(errorText(error));
    } finally {
      if (running.current === own) setSending(undefined);
    }
    onLeave(path);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void send(event.dataTransfer.files[0]);
  };
  const shown =
    fault === undefined ? props : { ...props, faults: [...props.faults, { path, message: fault }] };
  return (
    <Frame id={id} props={shown}>
      <div
        className={`drop${isOver ? " over" : ""}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {present !== undefined && (
          <p className="cluster">
            <strong>
              <PlainText text={sent?.id === present ? sent.name : present} />
            </strong>
            {sent?.id === present && <span className="soft">{formatBytes(sent.bytes)}</span>}
            <button type="button" className="button small" onClick={() => onChange(undefined)}>
              Remove
            </button>
          </p>
        )}
        {sending !== undefined && (
          <>
            <progress
              aria-label={`Upload of ${sending.name}`}
              value={sending.sent}
              max={Math.max(1, sending.total)}
            />
            <p className="cluster small">
              <span>
                {formatBytes(sending.sent)} of {formatBytes(sending.total)}
              </span>
              <button
                type="button"
                className="button small"
                onClick={() => {
                  running.current?.abort();
                  setSending(undefined);
                }}
              >
                Stop
              </button>
            </p>
          </>
        )}
        <p className="soft small">Drop a file here, or choose one.</p>
        <input
          {...described(id, shown)}
          type="file"
          onChange={(event) => {
            void send(event.target.files?.[0]);
            event.target.value = "";
          }}
        />
      </div>
    </Frame>
  );
}

function fileId(value: Json | undefined): string | undefined {
  const id = isObject(value) ? value["$file"] : undefined;
  return typeof id === "string" ? id : undefined;
}
