import type { JsonValue } from "../base/json.ts";
import type { WorkspaceFile } from "../files/workspace.ts";

/** Where a part of a result comes from: what an answer can cite. */
export type ResultSource = {
  readonly url: string;
  readonly title?: string;
  readonly date?: string;
  readonly snippet?: string;
};

/** What a call cost beside models. */
export type ResultCost = {
  readonly amount: number;
  readonly unit: "credits" | "usd" | "tokens";
};

/** An image for the model to see: in the workspace, at an address, or here in base64. */
export type ResultImage =
  | { readonly path: string; readonly mediaType: string }
  | { readonly url: string }
  | { readonly data: string; readonly mediaType: string };

export type ToolResultFields = {
  /** What the model is given. */
  readonly text: string;
  /** The whole result as data: for the journal, events and `resultSchema`. The model does not get it. Left out above 1 MiB. */
  readonly data?: JsonValue;
  readonly sources?: readonly ResultSource[];
  /** Files that the call has written into the run's workspace. */
  readonly files?: readonly WorkspaceFile[];
  /** Shown to a model that sees; others are told of them by name. */
  readonly images?: readonly ResultImage[];
  readonly cost?: ResultCost;
  /** The hosts or places that the text was written by: it is marked as content, and no instruction. */
  readonly untrusted?: readonly string[];
  /** The result is the answer of the task, for this call alone. @default the tool's `resultAsAnswer` */
  readonly final?: boolean;
};

/** A result with more to it than its text. Make one with `toolResult()`. */
export class ToolResult {
  readonly fields: ToolResultFields;

  constructor(fields: ToolResultFields) {
    this.fields = fields;
  }
}

/** What a tool returns when there is more to its result than a text: data, citations, files, images, costs. */
export function toolResult(fields: ToolResultFields): ToolResult {
  return new ToolResult(fields);
}
