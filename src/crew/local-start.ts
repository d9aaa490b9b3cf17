// Starts work on a crew in this process: in a separate run or inside the current run.
import { checkInputs } from "../base/interpolate.ts";
import type { JsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { withServices, type RunServices } from "../events/run-services.ts";
import type { InputFiles } from "../files/file-source.ts";
import type { FileStore } from "../files/file-store.ts";
import { localFileStore, startedFiles, type StartedFiles } from "../files/started-files.ts";
import { scopeHere, servicesHere } from "../hooks/scoped-services.ts";
import { keySegment } from "../journal/step-key.ts";
import type { LocalRunOptions } from "../runtime/handle/local-run.ts";
import { refuseUnknownOptions } from "../base/unknown-options.ts";
import type { ModelCatalog } from "../llm/model-catalog.ts";

/** Options of a kickoff in this process. */
export type KickoffOptions = {
  /** Values for the `{placeholders}` in tasks and agents. @default {} */
  readonly inputs?: JsonObject;
  /**
   * Files for agents, by name: paths, ids, URLs, bytes, or values of `file()`. Inputs of the form `{ "$file": path }`
   * take precedence.
   * @default {}
   */
  readonly inputFiles?: InputFiles;
  /** The file store of a run in this process. Ignored inside another run, which has its own. */
  readonly files?: FileStore;
  /** Other services of a run in this process, such as a memory store. Ignored inside another run, which has its own. */
  readonly services?: RunServices;
  /**
   * Model catalog for the agents. Ignored inside another run, which has its own. @default made from the process's
   * environment variables
   */
  readonly models?: ModelCatalog;
};

const KICKOFF = ["inputs", "inputFiles", "files", "services", "models"];
const LOCAL = ["id", "clock", "limits", "listeners", "report", "traceparent"];
const HAS_START = Object.fromEntries(LOCAL.map((name) => [name, "start() has it"]));
const KICKOFF_OPTIONS = { method: "kickoff()", known: KICKOFF, advice: HAS_START };
const START_OPTIONS = { method: "start()", known: [...KICKOFF, ...LOCAL] };

/** Throws `invalid_input` for an option unknown to `kickoff()`. */
export function checkKickoffOptions(options: KickoffOptions): void {
  refuseUnknownOptions(options, KICKOFF_OPTIONS);
}

type Named = { readonly name: string };
/** Crew or other definition, with an input check if it has a schema. */
type Started = Named & { readonly heldInputs?: (inputs: JsonObject) => JsonObject };

/** The start and the options of a crew's run in this process. Throws `invalid_input`. */
export function localStart(crew: Started, options: KickoffOptions & LocalRunOptions) {
  refuseUnknownOptions(options, START_OPTIONS);
  const { inputs: _, inputFiles: __, files: ___, ...rest } = options;
  const offered = servicesHere(kickoffServices(options));
  const started = startedFiles(options.inputFiles, offered);
  const inputs = kickoffInputs(crew, options, started);
  const store = localFileStore(options.inputFiles, offered);
  const services = withServices(offered, { ...started.services, ...store });
  return {
    begin: { kind: "crew" as const, name: crew.name, inputs },
    local: { ...rest, services },
  };
}

type Action = "crew" | "train" | "test" | "chat" | "reset";

/** The scope of an action inside the current run. */
export function joinedPlace(scope: RunScope, { name }: Named, action: Action): RunScope {
  return scopeHere(scope.atNext(`${action}:${keySegment(name)}`));
}

/** Returns the scope and the inputs of an action inside the current run, which resolves the action's files. */
export function joinedStart(
  scope: RunScope,
  crew: Started,
  { action, ...options }: KickoffOptions & { readonly action: Action },
): { readonly place: RunScope; readonly inputs: JsonObject } {
  const place = joinedPlace(scope, crew, action);
  const started = startedFiles(options.inputFiles, place.services);
  return { place: place.offering(started.services), inputs: kickoffInputs(crew, options, started) };
}

/** The inputs of a run, with its files among them. An input takes precedence over a file. Throws `invalid_input`. */
function kickoffInputs(
  crew: Started,
  { inputs = {} }: KickoffOptions,
  files: StartedFiles,
): JsonObject {
  checkInputs(inputs);
  return { ...files.inputs, ...(crew.heldInputs?.(inputs) ?? inputs) };
}

/** The services of a run in this process, including the file store. */
function kickoffServices({ files, services }: KickoffOptions): RunServices {
  return { ...filesField(files), ...services };
}

/** The file store as a field of `RunServices`. */
function filesField(files: FileStore | undefined): Pick<RunServices, "files"> {
  return files === undefined ? {} : { files };
}
