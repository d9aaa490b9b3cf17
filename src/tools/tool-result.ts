import type { JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
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

/** What a result of a tool can have beside its text. */
export type ToolResultFields = {
  /** What the model is given. */
  readonly text: string;
  /** The whole result as data, for the journal, hooks and `resultSchema`: the model gets the text. Left out above 1 MiB. */
  readonly data?: JsonValue;
  readonly sources?: readonly ResultSource[];
  /** Files that the call has written into the run's workspace. */
  readonly files?: readonly WorkspaceFile[];
  /** Shown to a model that sees; others are told of them by name. */
  readonly images?: readonly ResultImage[];
  readonly cost?: ResultCost;
  /** The cost in US dollars, which counts for the limits of the run. @default the amount of a cost in usd */
  readonly usd?: number;
  /** Of model calls on the way, which are steps of the run: they count for the caller of the tool, too. */
  readonly usage?: Usage;
  /** Of the answer that was read. */
  readonly bytes?: number;
  /** The hosts or places that the text was written by: it is marked as content, and no instruction. */
  readonly untrusted?: readonly string[];
  /** The result is the answer of the task, for this call alone. @default the tool's `resultAsAnswer` */
  readonly final?: boolean;
};

/** What there is to a result beside its text and its data, as it is recorded. */
export type ResultExtras = Omit<ToolResultFields, "text" | "data">;

/** Characters of JSON. */
const MAX_DATA = 1_048_576;

/** A result with more to it than its text. Make one with `toolResult()`. */
export class ToolResult {
  readonly fields: ToolResultFields;

  constructor({ data, ...fields }: ToolResultFields) {
    const fits = data !== undefined && JSON.stringify(data).length <= MAX_DATA;
    this.fields = fits ? { ...fields, data } : fields;
  }
}

/** Undefined for a result that is a text, and data, alone. */
export function extrasOf({ fields }: ToolResult): ResultExtras | undefined {
  const { text: _, data: _data, ...rest } = fields;
  const usd = rest.usd ?? (rest.cost?.unit === "usd" ? rest.cost.amount : undefined);
  const extras = {
    ...Object.fromEntries(
      Object.entries(rest).filter(
        ([, value]) => value !== undefined && (!Array.isArray(value) || value.length > 0),
      ),
    ),
    ...(usd === undefined ? undefined : { usd }),
  };
  return Object.keys(extras).length === 0 ? undefined : extras;
}

/** What a tool returns when there is more to its result than a text: data, citations, files, images, costs. */
export function toolResult(fields: ToolResultFields): ToolResult {
  return new ToolResult(fields);
}
