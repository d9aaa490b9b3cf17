import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import type { ContextVariables } from "../../context-variables.ts";

/** A document available for questions. */
export type IngestedDocument = {
  readonly name: string;
  /** Collection with the document's passages. */
  readonly collection: string;
  readonly passages: number;
  /** Distinguishes files of one name. */
  readonly version?: string;
};

/** A document whose loading failed. */
export type FailedDocument = { readonly name: string; readonly error: string };

/** An answer from documents. */
export type DocumentAnswer = {
  readonly query: string;
  readonly answer: string;
  /** Documents with places in them. */
  readonly sources: readonly string[];
};

/** A conversation's state of documents. Other agents and tools may add documents and questions. */
export type DocumentState = {
  /** Names of documents to load: addresses, or paths below the agent's folder. */
  readonly documentsToIngest: readonly string[];
  readonly documentsIngested: readonly IngestedDocument[];
  /** Failures of the last turn with loading. */
  readonly documentsFailed: readonly FailedDocument[];
  readonly queriesToRun: readonly string[];
  /** Answers of the last turn with a question. */
  readonly queryResults: readonly DocumentAnswer[];
};

/** Reads the state from a conversation's variables. Skips malformed entries. */
export function readDocumentState(
  variables: ContextVariables,
): Pick<DocumentState, "documentsToIngest" | "documentsIngested" | "queriesToRun"> {
  return {
    documentsToIngest: textsOf(variables.get("documentsToIngest")),
    documentsIngested: listOf(variables.get("documentsIngested")).flatMap((each) => ingested(each)),
    queriesToRun: textsOf(variables.get("queriesToRun")),
  };
}

/** Writes changes of the state into the variables. */
export function writeDocumentState(
  variables: ContextVariables,
  changes: Partial<DocumentState>,
): void {
  variables.update(changes);
}

function ingested(value: JsonValue): readonly IngestedDocument[] {
  if (!isJsonObject(value)) return [];
  const { name, collection, passages, version } = value;
  if (typeof name !== "string" || typeof collection !== "string") return [];
  return [
    {
      name,
      collection,
      passages: typeof passages === "number" ? passages : 0,
      ...(typeof version === "string" ? { version } : undefined),
    },
  ];
}

/** Returns the distinct texts of a list. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  const texts = listOf(value)
    .filter((each) => typeof each === "string")
    .map((each) => each.trim());
  return [...new Set(texts)].filter((each) => each !== "");
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
