// Finds the crews of a file.
//
//   PYC1. They are classes with `@CrewBase`, with the paths in their `agents_config` and `tasks_config`, and calls of
//         `Crew` outside of such classes.
import { ClassScope } from "./class-scope.ts";
import type { CrewClass } from "./crew-class.ts";
import { CrewReader } from "./crew-reader.ts";
import { crewSites } from "./crew-sites.ts";
import { Evaluator } from "./evaluator.ts";
import { Program } from "./program.ts";
import { openAt, type OpenPlace } from "./open-places.ts";
import { ProgramScope } from "./program-scope.ts";
import { bodyOf, type Definition, type PythonSource } from "./python-source.ts";

/** Reads the classes with `@CrewBase` in a file. Their base classes and values may be in other files. */
export function crewClasses(
  source: PythonSource,
  evaluator: Evaluator = new Evaluator(new Program([source])),
): readonly CrewClass[] {
  return bodyOf(source, source.root)
    .definitions.filter(({ kind, decorators }) => kind === "class" && isCrewBase(decorators))
    .map((definition) => {
      const scope = new ClassScope({ source, definition }, evaluator);
      return new CrewReader(source, definition.name, scope).read();
    });
}

/** Reads a file's crews without a class of CrewAI. */
export function crewScripts(
  source: PythonSource,
  {
    evaluator,
    project,
    open = [],
  }: {
    readonly evaluator: Evaluator;
    readonly project?: string | undefined;
    /** Receives the unreadable crews. */
    readonly open?: OpenPlace[];
  },
): readonly CrewClass[] {
  const [file = "", folder = ""] = source.path.replace(/\.py$/, "").split("/").toReversed();
  const ofFile = /^(main|crew|crews|app|run|__init__|__main__)$/.test(file)
    ? folder || project || file
    : file;
  const sites = crewSites(source);
  return sites.flatMap((site) => {
    const scope = new ProgramScope(site, evaluator);
    // `Crew()` alone is a class of the project with this name.
    if (scope.methods.size < 2) {
      if (/\b(agents|tasks)\s*=/.test(source.textOf(site.call)))
        open.push(
          openAt(source, site.call, "no agent and no task of this crew can be read: write them"),
        );
      return [];
    }
    const owner = site.around.find(({ kind }) => kind === "class")?.name;
    const inFunction = site.around.findLast(({ kind }) => kind === "function")?.name;
    const own = site.assigned ?? inFunction ?? ofFile;
    const name = owner ?? (sites.length > 1 ? own : ofFile);
    return [new CrewReader(source, name, scope).read()];
  });
}

function isCrewBase(decorators: Definition["decorators"]): boolean {
  return decorators.some(({ name }) => name === "CrewBase");
}
