import { useEffect, useId, useState, type DragEvent } from "react";
import { announce } from "../../shell/announcements.tsx";
import { errorText } from "../../shell/error-text.ts";
import { Icon } from "../../parts/icon.tsx";
import { Moment } from "../../parts/time.tsx";
import { OpenedRunView } from "./opened-run.tsx";
import { readExport, type OpenedRun } from "./read-export.ts";
import "./open.css";

/** Size in bytes. A browser's tab may not be able to hold a larger run. */
const MAX_BYTES = 200_000_000;

type File = { readonly name: string; readonly opened: OpenedRun; readonly nth: number };

export function OpenPage() {
  const id = useId();
  const [file, setFile] = useState<File>();
  const [fault, setFault] = useState<string>();
  const [isOver, setOver] = useState(false);
  const name = file?.opened.run.name;
  useEffect(() => {
    document.title = `${name ?? "Open a file"} · Edgecrew`;
    void import("../../parts/markdown-view.tsx"); // the page makes no later request to the server
  }, [name]);
  const open = async (chosen: Blob & { readonly name: string }): Promise<void> => {
    try {
      if (chosen.size > MAX_BYTES)
        throw new Error(
          "This file is larger than 200 MB: a browser cannot hold it. Use edgecrew trace show.",
        );
      const opened = readExport(await chosen.text());
      setFile((before) => ({ name: chosen.name, opened, nth: (before?.nth ?? 0) + 1 }));
      setFault(undefined);
      announce(`${chosen.name} is open`);
    } catch (error) {
      setFile(undefined);
      setFault(`${chosen.name}: ${errorText(error)}`);
    }
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [chosen] = event.dataTransfer.files;
    if (chosen !== undefined) void open(chosen);
  };
  return (
    <div
      className="page"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div className="page-head">
        <h1>{name ?? "Open a file"}</h1>
        {file !== undefined && (
          <span className="soft">
            {file.name}
            {file.opened.exportedAt !== undefined && (
              <>
                , exported <Moment at={file.opened.exportedAt} />
              </>
            )}
          </span>
        )}
      </div>
      <div
        className={`drop opened-drop${isOver ? " over" : ""}${file === undefined ? "" : " small"}`}
      >
        <label htmlFor={id}>
          {file === undefined ? "Drop an exported run here, or choose its file." : "Another file:"}
        </label>
        <input
          id={id}
          type="file"
          accept=".json,application/json"
          onChange={(event) => {
            const [chosen] = event.target.files ?? [];
            if (chosen !== undefined) void open(chosen);
            event.target.value = "";
          }}
        />
        {file === undefined && (
          <p className="small soft">
            A run page exports its run, and so does <code>edgecrew trace download</code>. The file
            stays in this browser and is not sent.
          </p>
        )}
      </div>
      {fault !== undefined && (
        <div className="note bad" role="alert">
          <Icon name="failed" />
          <div className="value">{fault}</div>
        </div>
      )}
      {file?.opened.notes.map((note) => (
        <div key={note} className="note wait" role="status">
          <Icon name="waiting" />
          <div>{note}</div>
        </div>
      ))}
      {file !== undefined && <OpenedRunView key={file.nth} opened={file.opened} />}
    </div>
  );
}
