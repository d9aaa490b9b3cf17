// Conversion of a request's body to documents.
import { toBase64 } from "../../base/bytes.ts";
import { camelCase } from "../../base/camel-case.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { invalidInput } from "../../base/invalid-input.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { toIssues } from "../../base/zod-issues.ts";
import type { FileStore } from "../../files/file-store.ts";
import { checkDocument, type DocumentSource } from "../knowledge-source.ts";
import { parseJson } from "../../parts/request-body.ts";
import { utf8Text } from "../../security/bounded-body.ts";
import { sourcesBody } from "./schemas.ts";

/** Maximum size of content in the run itself, in bytes; longer content is put into the file store. */
const MAX_CARRIED_BYTES = 256 * 1024;

/** Reads the documents of a JSON body. Throws `invalid_input`, naming each field. */
export function readSources(
  bytes: Uint8Array | undefined,
  type: string | undefined,
): readonly DocumentSource[] {
  if (type === undefined || !/^application\/([\w.-]+\+)?json$/.test(type))
    throw invalidInput("the request does not fit", [
      {
        path: "/name",
        message: `expected the document's name in the query, as the body's content-type is ${type ?? "not set"}; JSON names documents in the body`,
      },
    ]);
  const content = camelFields(parseJson(utf8Text(bytes ?? new Uint8Array())));
  const result = sourcesBody.safeParse(content);
  if (!result.success)
    throw invalidInput("the request body does not fit", toIssues(result.error, content));
  const documents = [result.data].flat();
  const names = new Set<string>();
  return documents.map((document, index) => {
    const at = Array.isArray(content) ? `/${index}` : "";
    if (names.has(document.name))
      throw invalidInput("the request body does not fit", [
        { path: `${at}/name`, message: `expected each name once, got "${document.name}" again` },
      ]);
    names.add(document.name);
    try {
      return checkDocument(document as DocumentSource, "document");
    } catch (error) {
      throw invalidInput("the request body does not fit", [
        { path: at, message: errorMessage(error) },
      ]);
    }
  });
}

/** Makes the document of an uploaded body. */
export async function uploadedDocument(
  upload: {
    readonly name: string;
    readonly bytes: Uint8Array | undefined;
    readonly type: string | undefined;
    readonly runId: string;
  },
  files: FileStore | undefined,
): Promise<DocumentSource> {
  const { name, bytes = new Uint8Array(), type = "application/octet-stream", runId } = upload;
  if (bytes.length === 0)
    throw new EngineError("invalid_input", "the body must be the document, got nothing");
  if (bytes.length <= MAX_CARRIED_BYTES || files === undefined)
    return { name, base64: toBase64(bytes), mediaType: type };
  // The extension selects the reader.
  const path = `knowledge-uploads/${runId}/${name.replaceAll(/[^\w.-]/g, "-")}`;
  await files.put(path, bytes, type);
  return { name, path };
}

/** Converts the fields of one document, or of each in a list. */
function camelFields(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(camelFields);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const camel = camelCase(key);
      return [Object.hasOwn(value, camel) ? key : camel, field];
    }),
  );
}
