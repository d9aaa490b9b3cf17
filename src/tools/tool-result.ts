import type { JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { WorkspaceFile } from "../files/workspace.ts";

/** Source of a part of a result, for citations. */
export type ResultSource = {
  readonly url: string;
  readonly title?: string;
  readonly date?: string;
  readonly snippet?: string;
};

/** Cost of a call beside models. */
export type ResultCost = {
  readonly amount: number;
  readonly unit: "credits" | "usd" | "tokens";
};

/** Image for the model: in the workspace, at an address, or inline in base64. */
export type ResultImage =
  | { readonly path: string; readonly mediaType: string }
  | { readonly url: string }
  | { readonly data: string; readonly mediaType: string };

/** Fields of a tool's result. */
export type ToolResultFields = {
  /** Text for the model. */
  readonly text: string;
  /** Whole result as data, for the journal, hooks and `resultSchema`; the model gets the text. Left out above 1 MiB. */
  readonly data?: JsonValue;
  readonly sources?: readonly ResultSource[];
  /** Files written by the call into the run's workspace. */
  readonly files?: readonly WorkspaceFile[];
  /** Images for a model with image input; other models get their names. */
  readonly images?: readonly ResultImage[];
  readonly cost?: ResultCost;
  /** Cost in US dollars, counted for the limits of the run. @default the amount of a cost in usd */
  readonly usd?: number;
  /** Usage of model calls within the tool, which are steps of the run. It also counts for the caller of the tool. */
  readonly usage?: Usage;
  /** Size of the response, in bytes. */
  readonly bytes?: number;
  /** Hosts or places that wrote the text, which is then marked as content, not instructions. */
  readonly untrusted?: readonly string[];
  /** Makes the result the answer of the task, for this call alone. @default the tool's `resultAsAnswer` */
  readonly final?: boolean;
};

/** Recorded fields of a result beside its text and its data. */
export type ResultExtras = Omit<ToolResultFields, "text" | "data">;

/** Maximum length of the data, in characters of JSON. */
const MAX_DATA = 1_048_576;

/** Result with more than its text. Make one with `toolResult()`. */
export class ToolResult {
  readonly fields: ToolResultFields;

  constructor({ data, ...fields }: ToolResultFields) {
    const fits = data !== undefined && JSON.stringify(data).length <= MAX_DATA;
    this.fields = fits ? { ...fields, data } : fields;
  }
}

/** Returns undefined for a result with only text and data. */
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

/** Creates a result with more than a text: data, citations, files, images, costs. */
export function toolResult(fields: ToolResultFields): ToolResult {
  return new ToolResult(fields);
}
