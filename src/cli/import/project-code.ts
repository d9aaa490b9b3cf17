// The Python of a project, read: its models, tools, flows and crews.
import type { CrewClass } from "./crew-class.ts";
import { crewClasses, crewScripts } from "./project-crews.ts";
import { Evaluator } from "./evaluator.ts";
import { kickoffInputs, type KickoffInputs } from "./kickoff-inputs.ts";
import type { OpenPlace } from "./open-places.ts";
import { Program } from "./program.ts";
import { pythonFlows, type PythonFlow } from "./python-flows.ts";
import { pythonModels, type PythonModel } from "./python-models.ts";
import type { PythonSource } from "./python-source.ts";
import { pythonTools, type PythonTool } from "./python-tools.ts";

export type ProjectCode = {
  readonly sources: readonly PythonSource[];
  readonly models: ReadonlyMap<string, PythonModel>;
  readonly tools: readonly PythonTool[];
  readonly flows: readonly PythonFlow[];
  readonly crews: readonly CrewClass[];
  readonly inputs: ReadonlyMap<CrewClass, KickoffInputs>;
  /** Open places of unread crews, models, tools and flows. */
  readonly open: {
    readonly crews: readonly OpenPlace[];
    readonly models: readonly OpenPlace[];
    readonly tools: readonly OpenPlace[];
    readonly flows: readonly OpenPlace[];
  };
  /** Keys of all that was read, as of `codeKey`. Complete once the crews are written. */
  readonly taken: () => ReadonlySet<string>;
};

/** Reads sources. `project` names crews in files without a telling name, such as `main.py`. */
export function projectCode(
  sources: readonly PythonSource[],
  { project }: { readonly project?: string | undefined } = {},
): ProjectCode {
  const { models: found, open: ofModels, taken } = pythonModels(sources);
  const models = new Map(found.map((model) => [model.name, model]));
  const isModel = (name: string): boolean => models.has(name);
  const { tools, open: ofTools } = pythonTools(sources, isModel);
  const read = sources.map((source) => pythonFlows(source, isModel));
  const flows = read.flatMap((each) => each.flows);
  const evaluator = new Evaluator(new Program(sources));
  const ofCrews: OpenPlace[] = [];
  const crews = sources.flatMap((source) => [
    ...crewClasses(source, evaluator),
    ...crewScripts(source, { evaluator, project, open: ofCrews }),
  ]);
  return {
    sources,
    models,
    tools,
    flows,
    crews,
    inputs: kickoffInputs(crews, evaluator),
    open: {
      crews: ofCrews,
      models: ofModels,
      tools: ofTools,
      flows: read.flatMap(({ open }) => open),
    },
    taken: () =>
      new Set([
        ...taken,
        ...tools.map(({ key }) => key),
        ...flows.map(({ key }) => key),
        ...evaluator.used,
        ...crews.flatMap((crew) => [...crew.taken]),
      ]),
  };
}
