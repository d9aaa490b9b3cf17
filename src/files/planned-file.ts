import type { RunFile } from "./file-ref.ts";

/** A limit exceeded by a file. */
export type FileWarning = {
  readonly limit: string;
  readonly actual: string;
};

/** Required size of an image. */
export type ShrinkGoal = { readonly maxSide?: number; readonly maxBytes?: number };

/** Form in which one file goes out. */
export type FileAction =
  /** As text: its own, or the text of a reader. The tool reads text beyond `maxCharacters`. */
  | { readonly send: "text"; readonly maxCharacters: number; readonly pieces?: true }
  | { readonly send: "url" }
  | { readonly send: "inline" }
  | { readonly send: "upload" }
  /** As a shrunk image, inline or uploaded. */
  | { readonly send: "shrunk"; readonly goal: ShrinkGoal; readonly by: "inline" | "upload" }
  /** As several files with a limited number of pages each. */
  | { readonly send: "pages"; readonly maxPages: number; readonly maxCharacters: number }
  /** Not sent: the agent gets a note about it. */
  | { readonly send: "none"; readonly why: string };

export type PlannedFile = {
  readonly file: RunFile;
  readonly action: FileAction;
  readonly warnings: readonly FileWarning[];
};
