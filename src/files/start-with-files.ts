// Starts runs with files.
//
//   SWF1. A run's inputs refer to its files, and never contain them: `{ "$file": … }`, an id, a path or an address.
//   SWF2. An id without a file of the tenant is refused before the run starts. The error names the input.
//   SWF3. A file in the request belongs to the run, and is deleted with it. The same request again is the same file.
import * as z from "zod";
import { EngineError, errorMessage } from "../base/error.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { pointerOf, pointerPart } from "../base/json-pointer.ts";
import { digestHex } from "../base/bytes.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { PartPlace } from "../parts/part.ts";
import { jsonObject } from "../parts/schemas.ts";
import type { RunStart } from "../runtime/run.ts";
import { checkOutboundUrl } from "../security/outbound.ts";
import { fileId, isFileId } from "./file-id.ts";
import { readFileSource, type FileSource } from "./file-source.ts";
import type { StoredFiles } from "./stored-files.ts";

/** Field `inputFiles` of requests that start runs. */
export const inputFilesField = z
  .record(z.string().min(1).max(128), z.union([z.string().min(1), jsonObject]))
  .describe(
    'Files by name: an id, an address, or `{ data, mediaType?, name? }` with bytes in base64. Short for inputs of the form `{ "$file": id }`, which take precedence.',
  );

export type FilesByName = Readonly<Record<string, string | JsonObject>>;

/** Files of a run, and where its inputs are. */
export type RunFilesStart = {
  readonly runId: string;
  readonly inputFiles?: FilesByName | undefined;
  /** Place of the inputs in the request, as a JSON pointer, for errors. @default "/inputs" */
  readonly inputsAt?: string;
};

/** Stores and checks the files of a run, and then begins it. Removes the stored files if the run does not begin. */
export async function withRunFiles<Start extends Pick<RunStart, "inputs">, Answer>(
  place: PartPlace,
  { runId, inputFiles = {}, inputsAt = "/inputs" }: RunFilesStart,
  {
    start: startWith,
    begin,
  }: {
    readonly start: (files: JsonObject) => Start;
    readonly begin: (start: Start) => Promise<Answer>;
  },
): Promise<Answer> {
  const files = new RunFiles(place, runId);
  try {
    const start = startWith(await files.inputsFor(inputFiles));
    await files.use(start.inputs, inputsAt);
    return await begin(start);
  } catch (error) {
    await files.removeNew();
    throw error;
  }
}

class RunFiles {
  readonly #place: PartPlace;
  readonly #runId: string;
  readonly #new: string[] = [];

  constructor(place: PartPlace, runId: string) {
    this.#place = place;
    this.#runId = runId;
  }

  async inputsFor(inputFiles: FilesByName): Promise<JsonObject> {
    const inputs: [string, JsonObject][] = [];
    for (const [name, input] of Object.entries(inputFiles)) {
      try {
        const source = readFileSource(input, {
          field: `inputFiles.${name}`,
          code: "invalid_input",
        });
        inputs.push([name, await this.#inputOf(name, source)]);
      } catch (error) {
        if (!EngineError.is(error) || error.code !== "invalid_input") throw error;
        throw wrongFile(`/inputFiles/${pointerPart(name)}`, errorMessage(error));
      }
    }
    return Object.fromEntries(inputs);
  }

  /** Notes the files with ids in the run's inputs. */
  async use(inputs: JsonObject, inputsAt: string): Promise<void> {
    const named = [...idsIn(inputs)];
    const { storedFiles } = this.#place.services;
    if (named.length === 0 || storedFiles === undefined) return;
    for (const { id, path } of named)
      if ((await storedFiles.get(id)) === undefined)
        throw wrongFile(`${inputsAt}${pointerOf(path)}`, `expected the id of a file, got "${id}"`);
    await storedFiles.use?.(
      this.#runId,
      named.map(({ id }) => id),
    );
  }

  async removeNew(): Promise<void> {
    const { storedFiles } = this.#place.services;
    for (const id of this.#new) await storedFiles?.delete?.(id).catch(() => undefined); // the sweeper removes it, as its run did not start
  }

  async #inputOf(name: string, source: FileSource): Promise<JsonObject> {
    const { content } = source;
    if ("url" in content) {
      checkOutboundUrl(content.url, `inputFiles.${name}`, this.#place.outbound);
      return source.toInput(noId);
    }
    if ("named" in content) {
      if (isFileId(content.named)) await this.#find(name, content.named);
      return source.toInput(noId);
    }
    const id = await this.#keep(name, { source, bytes: await content.bytes() });
    return source.toInput(() => id);
  }

  async #find(name: string, id: string): Promise<void> {
    if ((await this.#stored.get(id)) !== undefined) return;
    throw new EngineError("invalid_input", `there is no file "${id}" for "${name}"`);
  }

  async #keep(
    key: string,
    { source, bytes }: { readonly source: FileSource; readonly bytes: Uint8Array },
  ): Promise<string> {
    const stored = this.#stored;
    const { name = key, mediaType: declared } = source.options;
    const digest = await digestHex(bytes);
    const parts = JSON.stringify([this.#runId, key, name, declared ?? null, digest]);
    const id = fileId(sha256Hex(parts).slice(0, 40));
    const isNew = (await stored.get(id)) === undefined;
    await stored.add({ id, name, declared, content: bytes, runId: this.#runId });
    if (isNew) this.#new.push(id);
    return id;
  }

  get #stored(): StoredFiles & Required<Pick<StoredFiles, "add">> {
    const { storedFiles } = this.#place.services;
    if (storedFiles?.add !== undefined)
      return storedFiles as StoredFiles & Required<Pick<StoredFiles, "add">>;
    throw new EngineError(
      "unavailable",
      "this deployment stores no files: set files: files({ store }) of edgecrew/files in defineApp()",
    );
  }
}

/** Id of a source with a place of its own. */
function noId(): string {
  return "";
}

/** Returns the ids of stored files in the inputs of a run, with their places. */
function* idsIn(
  value: JsonValue,
  path: readonly string[] = [],
): Generator<{ readonly id: string; readonly path: readonly string[] }> {
  if (typeof value !== "object" || value === null) return;
  if (isJsonObject(value) && isFileId(value["$file"])) {
    yield { id: value["$file"], path };
    return;
  }
  for (const [key, item] of Object.entries(value)) yield* idsIn(item, [...path, key]);
}

function wrongFile(path: string, message: string): EngineError {
  return invalidInput("the request body does not fit", [{ path, message }]);
}
