import type { CrewClass } from "./crew-class.ts";
import type { ImportReport, ReadFile } from "./import-report.ts";
import type { OpenPlace } from "./open-places.ts";
import type { PythonSource } from "./python-source.ts";

/** Reports files read and written, open places, and the next steps. */
export function makeReport({
  sources,
  open,
  classes,
  crews,
  flows,
  left,
  written,
  hasCode,
}: {
  readonly sources: readonly PythonSource[];
  readonly open: readonly OpenPlace[];
  readonly classes: readonly CrewClass[];
  readonly crews: readonly string[];
  readonly flows: readonly string[];
  readonly left: readonly string[];
  readonly written: readonly string[];
  readonly hasCode: boolean;
}): ImportReport {
  const paths = new Set([...sources.map(({ path }) => path), ...open.map(({ file }) => file)]);
  const known = new Set(sources.map(({ path }) => path));
  const files = [...paths].toSorted().map((path): ReadFile => {
    const places = open.filter(({ file }) => file === path).toSorted((a, b) => a.line - b.line);
    const read = places.length === 0 ? "whole" : known.has(path) ? "in part" : "by hand";
    return { path, read, open: places };
  });
  const sum = (of: (crew: CrewClass) => number): number =>
    classes.reduce((all, crew) => all + of(crew), 0);
  return {
    files,
    crews,
    flows,
    left,
    methods: { all: sum(({ methods }) => methods.all), whole: sum(({ methods }) => methods.whole) },
    open: open.length,
    written,
    next: [
      ...(hasCode
        ? [
            'In `src/worker.ts`: `import { imported } from "./imported/index.ts"`, and `defineApp({ ...imported })`',
          ]
        : []),
      "`npx edgecrew dev`",
      ...[...crews, ...flows].slice(0, 1).map((name) => `\`npx edgecrew run ${name}\``),
      "`npx edgecrew doctor`",
    ].slice(0, 3),
  };
}
