import type { FunctionUse } from "./code-lookup.ts";
import type { PythonFunction } from "./imported-code.ts";
import { openAt, openFile, type OpenPlace } from "./open-places.ts";
import { codeKey } from "./unread-code.ts";
import { bodyOf, type PythonSource } from "./python-source.ts";

export type FoundFunction = PythonFunction & {
  readonly place: OpenPlace;
  /** Its definition, as of `codeKey`. Undefined if it is not among the files. */
  readonly key: string | undefined;
};

/** Finds a function or a method by its name, in any file. */
export function foundFunction(
  name: string,
  {
    use,
    sources,
    file,
    last = name,
  }: {
    readonly use: FunctionUse;
    /** Files to search, the likeliest first. */
    readonly sources: readonly PythonSource[];
    /** File with the reference. */
    readonly file: string;
    /** Its name in Python, for definitions with a path. */
    readonly last?: string;
  },
): FoundFunction {
  const why = `a function of yours: write \`${name}\` in TypeScript`;
  for (const source of sources) {
    const body = bodyOf(source, source.root);
    const inClasses = body.definitions
      .filter(({ kind }) => kind === "class")
      .flatMap(({ node }) => bodyOf(source, node).definitions);
    const found = [...body.definitions, ...inClasses].find(
      (each) => each.kind === "function" && each.name === last,
    );
    if (found === undefined) continue;
    const python = source.textOf(found.node);
    const place = { ...openAt(source, found.node, why), text: python.split(/\r?\n/)[0] ?? "" };
    return { name, use, python, place, key: codeKey(source, found.node) };
  }
  return { name, use, python: undefined, place: openFile(file, why), key: undefined };
}
