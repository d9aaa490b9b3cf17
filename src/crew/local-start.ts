// Starts work on a crew in this process: in a run of its own or inside the current run.
import { checkInputs } from "../base/interpolate.ts";
import type { JsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { RunServices } from "../events/run-services.ts";
import type { FileStore } from "../files/file-store.ts";
import { scopeHere, servicesHere } from "../hooks/scoped-services.ts";
import { keySegment } from "../journal/step-key.ts";
import type { LocalRunOptions } from "../runtime/handle/local-run.ts";
import { refuseUnknownOptions } from "../base/unknown-options.ts";
import type { ModelCatalog } from "../llm/model-catalog.ts";
import { filesAsInputs, type InputFiles } from "./crew-files.ts";

/** What a kickoff in this process takes. */
export type KickoffOptions = {
  /** Values for the `{placeholders}` in tasks and agents. @default {} */
  readonly inputs?: JsonObject;
  /**
   * Files that agents can read, as `{ name: path }` in the file store. Short for inputs of the form `{ "$file": path }`, which
   * take precedence.
   * @default {}
   */
  readonly inputFiles?: InputFiles;
  /** The file store of a run in this process. Ignored inside another run, which has its own. */
  readonly files?: FileStore;
  /** Other services of a run in this process, such as a memory store. Ignored inside another run, which has its own. */
  readonly services?: RunServices;
  /** Where agents find their models. Ignored inside another run, which has its own. @default made from the process's environment variables */
  readonly models?: ModelCatalog;
};

const KICKOFF = ["inputs", "inputFiles", "files", "services", "models"];
const LOCAL = ["id", "clock", "limits", "listeners", "report"];

/** Throws `invalid_input` for an option that `kickoff()` does not have. */
export function checkKickoffOptions(options: KickoffOptions): void {
  const advice = Object.fromEntries(LOCAL.map((name) => [name, "start() has it"]));
  refuseUnknownOptions(options, { method: "kickoff()", known: KICKOFF, advice });
}

type Named = { readonly name: string };

/** The start and the options of a crew's run in this process. Throws `invalid_input`. */
export function localStart({ name }: Named, options: KickoffOptions & LocalRunOptions) {
  refuseUnknownOptions(options, { method: "start()", known: [...KICKOFF, ...LOCAL] });
  const { inputs: _, inputFiles: __, files: ___, ...rest } = options;
  const inputs = kickoffInputs(options);
  const services = servicesHere(kickoffServices(options));
  return { begin: { kind: "crew" as const, name, inputs }, local: { ...rest, services } };
}

/** The scope of an action inside the current run. */
export function joinedPlace(
  scope: RunScope,
  { name }: Named,
  action: "crew" | "train" | "test" | "chat" | "reset",
): RunScope {
  return scopeHere(scope.atNext(`${action}:${keySegment(name)}`));
}

/** The inputs of a run, including `inputFiles`. Throws `invalid_input`. */
export function kickoffInputs({ inputs = {}, inputFiles }: KickoffOptions): JsonObject {
  checkInputs(inputs);
  return filesAsInputs(inputFiles, inputs);
}

/** The services of a run in this process, including the file store. */
export function kickoffServices({ files, services }: KickoffOptions): RunServices {
  return { ...filesField(files), ...services };
}

/** The file store as a field of `RunServices`. */
export function filesField(files: FileStore | undefined): Pick<RunServices, "files"> {
  return files === undefined ? {} : { files };
}
