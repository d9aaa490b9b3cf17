import { hideSecrets } from "./hide-secrets.ts";
import type { PythonNode, PythonSource } from "./python-source.ts";

/** A place left to a person. */
export type OpenPlace = {
  readonly file: string;
  /** Line from 1; 0 for the whole file. */
  readonly line: number;
  /** Source text of the place. */
  readonly text: string;
  /** Reason why it is open, and the next step. */
  readonly why: string;
};

const MAX_TEXT = 200;

export function openAt(source: PythonSource, node: PythonNode, why: string): OpenPlace {
  const text = hideSecrets(source.textOf(node)).trim().replaceAll(/\s+/g, " ");
  return {
    file: source.path,
    line: source.lineOf(node),
    text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text,
    why,
  };
}

export function openFile(file: string, why: string): OpenPlace {
  return { file, line: 0, text: "", why };
}
