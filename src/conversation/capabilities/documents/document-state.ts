import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import type { ContextVariables } from "../../context-variables.ts";

/** A document that can be asked about. */
export type IngestedDocument = {
  readonly name: string;
  /** Where it can be found. */
  readonly collection: string;
  readonly passages: number;
  /** Tells files of one name apart. */
  readonly version?: string;
};

/** A document that could not be loaded. */
export type FailedDocument = { readonly name: string; readonly error: string };

/** An answer from documents. */
export type DocumentAnswer = {
  readonly query: string;
  readonly answer: string;
  /** Documents with places in them. */
  readonly sources: readonly string[];
};

/** What a conversation knows of documents. Other agents and tools may put documents and questions there. */
export type DocumentState = {
  /** Names of documents that are still to be loaded: addresses, or paths below the agent's folder. */
  readonly documentsToIngest: readonly string[];
  readonly documentsIngested: readonly IngestedDocument[];
  /** What failed in the last turn that loaded any. */
  readonly documentsFailed: readonly FailedDocument[];
  readonly queriesToRun: readonly string[];
  /** Of the last turn with a question. */
  readonly queryResults: readonly DocumentAnswer[];
};

/** What the variables of a conversation say. What is not in its form is left out. */
export function readDocumentState(
  variables: ContextVariables,
): Pick<DocumentState, "documentsToIngest" | "documentsIngested" | "queriesToRun"> {
  return {
    documentsToIngest: textsOf(variables.get("documentsToIngest")),
    documentsIngested: listOf(variables.get("documentsIngested")).flatMap((each) => ingested(each)),
    queriesToRun: textsOf(variables.get("queriesToRun")),
  };
}

/** Changes what the variables say. */
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

/** The texts of a list, each once. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  const texts = listOf(value)
    .filter((each) => typeof each === "string")
    .map((each) => each.trim());
  return [...new Set(texts)].filter((each) => each !== "");
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
