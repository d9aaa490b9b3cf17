// How something is done with a crew in this process: in a run of its own, or in the one that is under way.
import { checkInputs } from "../base/interpolate.ts";
import type { JsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { RunServices } from "../events/run-services.ts";
import type { FileStore } from "../files/file-store.ts";
import { scopeHere, servicesHere } from "../hooks/scoped-hooks.ts";
import { keySegment } from "../journal/step-key.ts";
import type { LocalRunOptions } from "../runtime/handle/local-run.ts";
import { filesAsInputs, type InputFiles } from "./crew-files.ts";

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
};

type Named = { readonly name: string };

/** What a run of a crew in this process begins with. Throws `invalid_input`. */
export function localStart({ name }: Named, options: KickoffOptions & LocalRunOptions) {
  const { inputs: _, inputFiles: __, files: ___, ...rest } = options;
  const inputs = kickoffInputs(options);
  const services = servicesHere(kickoffServices(options));
  return { begin: { kind: "crew" as const, name, inputs }, local: { ...rest, services } };
}

/** Where something is done with a crew in a run that is under way. */
export function joinedPlace(
  scope: RunScope,
  { name }: Named,
  action: "crew" | "train" | "test" | "chat" | "reset",
): RunScope {
  return scopeHere(scope.atNext(`${action}:${keySegment(name)}`));
}

/** The inputs of a run, with the files that it is given among them. Throws `invalid_input`. */
export function kickoffInputs({ inputs = {}, inputFiles }: KickoffOptions): JsonObject {
  checkInputs(inputs);
  return filesAsInputs(inputFiles, inputs);
}

/** What a run in this process is offered. */
export function kickoffServices({ files, services }: KickoffOptions): RunServices {
  return { ...filesField(files), ...services };
}

/** `files` as a run's services have them. */
export function filesField(files: FileStore | undefined): Pick<RunServices, "files"> {
  return files === undefined ? {} : { files };
}
