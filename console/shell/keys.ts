import { useEffect, useRef } from "react";
import { readKept } from "./preferences.ts";

/** Actions of keys on a page: `g r`, `j`, `ctrl k`. */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const SEQUENCE_MS = 900;
/** Dialogs and menus, to which keys belong while they are open: the browser closes them by Escape. */
const IN_FRONT = "dialog[open], :popover-open";

/** True in input fields, where letters are no shortcuts. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input, textarea, select, [role=textbox]") !== null)
  );
}

/** `ctrl k` of an event; on a Mac, Command counts as `ctrl`. */
export function keyName({
  key,
  ctrlKey,
  metaKey,
  altKey,
}: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">): string {
  const name = key.length === 1 ? key.toLowerCase() : key;
  return `${ctrlKey || metaKey ? "ctrl " : ""}${altKey ? "alt " : ""}${name}`;
}

export function useKeys(keys: KeyMap): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let first = "";
    let firstAt = 0;
    const press = (event: KeyboardEvent): void => {
      const name = keyName(event);
      const isChord = name.startsWith("ctrl ");
      if (!isChord && (isTyping(event.target) || !readKept("letterKeys", true))) return;
      if (!isChord && document.querySelector(IN_FRONT) !== null) return;
      const pair = event.timeStamp - firstAt < SEQUENCE_MS ? `${first} ${name}` : "";
      const run = latest.current[pair] ?? latest.current[name];
      first = name;
      firstAt = event.timeStamp;
      if (run === undefined) return;
      event.preventDefault();
      run(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
