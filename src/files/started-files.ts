// Files for the start of a run in this process, or of joined work.
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";
import type { RunServices } from "../events/run-services.ts";
import {
  readFileSource,
  type FileSource,
  type InputFiles,
  type NamedSource,
} from "./file-source.ts";
import { HeldFiles } from "./held-files.ts";
import { InMemoryFileStore } from "./in-memory-file-store.ts";

/** Sources of files, by the names that agents use for them. */
export type FileSources = Readonly<Record<string, FileSource>>;

export type StartedFiles = {
  /** Form in the inputs of a run: `{ "$file": … }`. */
  readonly inputs: Readonly<Record<string, JsonObject>>;
  /** Services to find the files with. */
  readonly services: RunServices;
};

type Reading = {
  /** Owner of the files, for errors: `kickoff`, `task "a"`. */
  readonly owner: string;
  readonly code?: "invalid_input" | "invalid_definition";
};

/** Reads `inputFiles`. Throws an error with the name of the first invalid file. */
export function readInputFiles(
  files: unknown,
  { owner, code = "invalid_definition" }: Reading,
): FileSources {
  if (files === undefined) return {};
  if (!isJsonObject(files))
    throw new EngineError(
      code,
      `${owner}: inputFiles must be an object of names and files, got ${preview(files)}`,
    );
  return Object.fromEntries(
    Object.entries(files).map(([name, input]) => [
      name,
      readFileSource(input, { field: `${owner}: inputFiles["${name}"]`, code }),
    ]),
  );
}

/** Returns the files of a start. Files of this process are added to the stored ones of `services`. */
export function startedFiles(files: InputFiles | undefined, services: RunServices): StartedFiles {
  const held = new HeldFiles(services.storedFiles);
  const sources = readInputFiles(files, { owner: "kickoff" });
  const inputs = Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [
      name,
      source.toInput((own) => held.hold(own)),
    ]),
  );
  return { inputs, services: held.count === 0 ? {} : { storedFiles: held } };
}

/**
 * Returns a file store in this process for a run of its own. Such a run begins with files and needs a place for derived
 * ones.
 */
export function localFileStore(
  files: InputFiles | undefined,
  services: RunServices,
): Pick<RunServices, "files"> {
  const needsStore = Object.values(files ?? {}).some((input) => !isPath(input));
  return services.files === undefined && needsStore ? { files: new InMemoryFileStore() } : {};
}

function isPath(input: unknown): boolean {
  return typeof input === "string" && !/^https?:/i.test(input);
}

/** Sources in the order of their names. */
export function namedSources(sources: FileSources): readonly NamedSource[] {
  return Object.entries(sources)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, source]) => ({ key, source }));
}

/** Key of a file as an input: `{ "$file": "uploads/report.txt" }`. */
const FILE_KEY = "$file";

/** Separates inputs that are files from other inputs. Throws `invalid_input` for an invalid path. */
export function partFiles(inputs: JsonObject): {
  readonly inputs: JsonObject;
  readonly files: FileSources;
} {
  const files: Record<string, FileSource> = {};
  const values = Object.entries(inputs).filter(([name, value]) => {
    if (!isJsonObject(value) || !Object.hasOwn(value, FILE_KEY)) return true;
    const field = `inputs.${name}.${FILE_KEY}`;
    files[name] = readFileSource(value, { field, code: "invalid_input" });
    return false;
  });
  return { inputs: Object.fromEntries(values), files };
}
