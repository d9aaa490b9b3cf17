import { graphOperation } from "../graph/graph-operation.ts";
import { inLanes } from "../graph/in-lanes.ts";
import type { JsonValue } from "../base/json.ts";
import { EngineError } from "../base/error.ts";
import type { Part, Subject } from "../parts/part.ts";
import { wayOperations } from "../starts/start-way.ts";
import { VersionedDefinitions, type Versioned } from "../parts/versions.ts";
import type { RunStart } from "../runtime/run.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import { crewFromDefinition, readCrewDefinition } from "./definition/crew-definition.ts";
import { crewInfo } from "./crew-info.ts";
import type { CrewPartOptions } from "./crew-part-options.ts";
import { crewProgram } from "./crew-programs.ts";
import type { Crew } from "./crew.ts";
import type { DefinitionRegistry } from "./definition/definition-registry.ts";
import type { CrewDefinition } from "./definition/definition-schema.ts";
import { crewEvents } from "./events.ts";
import { graphOfCrew } from "./graph-of-crew.ts";
import { unusedFields, withoutFields } from "./definition/deployment-lacks.ts";
import { findCrew, readStored } from "./definition/find-crew.ts";
import { crewResultOperations } from "./operations/crew-results.ts";
import { crewWays, kickoffStart } from "./operations/crew-ways.ts";
import { crewDefinitionOperations } from "./operations/crews.ts";
import { batchRun, crewRun, taskRun } from "./operations/run-shapes.ts";

/** Part of a Worker for crews and their runs: kickoffs, batches, and tasks as child runs. */
export function crewPart(
  settings: Omit<CrewPartOptions, "crews"> & { readonly crews: Versioned<Crew> },
): Part {
  const versions = new VersionedDefinitions(settings.crews);
  const registry: DefinitionRegistry = { ...settings.registry, fromData: true };
  const options: CrewPartOptions = { ...settings, crews: versions.current, registry };
  const { crews } = options;
  const ways = crewWays(options);
  const program = (start: RunStart) => programOf(start, versions, registry);
  const version = (start: RunStart): string | undefined =>
    start.definition === undefined ? versions.currentVersion(start.name) : undefined;
  return {
    name: "crews",
    docs: "crews.md",
    events: crewEvents,
    migrations: ["0004_training.sql"],
    kinds: {
      crew: {
        schemas: crewRun,
        program,
        version,
        ways,
        subjects: {
          names: () => Object.keys(crews),
          get: (name) =>
            Object.hasOwn(crews, name) ? subjectOf(name, crews[name] as Crew) : undefined,
          read: (name, stored) => {
            const { crew, definition } = readStored(registry, stored);
            return subjectOf(name, crew, definition as JsonValue);
          },
        },
      },
      batch: { schemas: batchRun, program, version },
      task: { schemas: taskRun, program, version },
    },
    bind: (host) => ({
      operations: [
        ...crewDefinitionOperations(options, host),
        graphOperation({
          id: "crewGraph",
          path: "/crews/{name}/graph",
          group: "Crews",
          subject: "crew",
          what: "a crew",
          find: async (tenant, name, query) => {
            const sources = { ...registry, crews, definitions: host.definitions };
            const { crew } = await findCrew(sources, tenant, { name });
            return inLanes(graphOfCrew(name, crew), query);
          },
        }),
        ...wayOperations(ways, host),
        ...crewResultOperations(host),
      ],
    }),
  };
}

function subjectOf(name: string, crew: Crew, definition?: JsonValue): Subject {
  return {
    about: () => crewInfo(crew),
    requiredInputs: crew.requiredInputs,
    graph: (query) => inLanes(graphOfCrew(name, crew), query),
    forkFrom: () => ({ fromTask: crew.program().tasks[0]?.name ?? "" }),
    start: (inputs, files) => {
      const start = kickoffStart(name, { crew, definition }, { inputs });
      return { ...start, inputs: { ...files, ...start.inputs } };
    },
  };
}

function programOf(
  start: RunStart,
  versions: VersionedDefinitions<Crew>,
  registry: DefinitionRegistry,
): RunProgram {
  const { name, definition } = start;
  if (definition !== undefined)
    return storedProgram(readCrewDefinition(definition), registry, start);
  const crew = versions.find(start);
  if (crew !== undefined) return crewProgram(crew, start);
  throw new EngineError(
    "not_found",
    `crew "${name}" is not registered in this deployment any more`,
  );
}

/** Returns the program of a stored crew. Features missing in the deployment are left out, with a warning (DP1). */
function storedProgram(
  definition: CrewDefinition,
  registry: DefinitionRegistry,
  start: RunStart,
): RunProgram {
  const whole = crewProgram(crewFromDefinition(definition, registry), start);
  return {
    ...whole,
    run: (scope, inputs) => {
      const unused = unusedFields(definition, scope.services);
      if (unused.length === 0) return whole.run(scope, inputs);
      for (const [index, { path, message }] of unused.entries())
        scope.emit("crew_warning", { crewName: start.name, field: path, message }, index);
      const rest = crewFromDefinition(withoutFields(definition, unused), registry);
      return crewProgram(rest, start).run(scope, inputs);
    },
  };
}
