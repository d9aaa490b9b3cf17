// Classes and functions of all files of a project, by name.
import {
  bodyOf,
  childrenOf,
  type Body,
  type Definition,
  type PythonSource,
} from "./python-source.ts";

export type Found = { readonly source: PythonSource; readonly definition: Definition };

export class Program {
  readonly sources: readonly PythonSource[];
  readonly #bodies = new Map<PythonSource, Body>();

  constructor(sources: readonly PythonSource[]) {
    this.sources = sources;
  }

  bodyOf(source: PythonSource): Body {
    const known = this.#bodies.get(source);
    if (known !== undefined) return known;
    const body = bodyOf(source, source.root);
    this.#bodies.set(source, body);
    return body;
  }

  /** Finds a definition of a file, first in `near`, then in the file that it is imported from, then in any. */
  find(name: string, near: PythonSource): Found | undefined {
    const known = importedName(name, near);
    const own = this.#in(near, name);
    if (own !== undefined) return own;
    const others = this.sources.filter((each) => each !== near && this.#in(each, known.name));
    const modules = others.filter(({ path }) => known.from !== "" && isModule(path, known.from));
    if (modules.length === 0 && !this.#hasFolder(known.from)) return undefined;
    const [source] = (modules.length > 0 ? modules : others).toSorted(
      (a, b) => sharedFolders(b, near) - sharedFolders(a, near),
    );
    return source === undefined ? undefined : this.#in(source, known.name);
  }

  /** True unless an import names a package that no path of the project has. */
  #hasFolder(from: string): boolean {
    const [folder = ""] = from.split(".");
    const names = this.sources.flatMap(({ path }) => path.replace(/\.py$/, "").split("/"));
    return folder === "" || names.includes(folder);
  }

  #in(source: PythonSource, name: string): Found | undefined {
    const definition = this.bodyOf(source).definitions.findLast((each) => each.name === name);
    return definition === undefined ? undefined : { source, definition };
  }
}

/** Names of the base classes of a class. */
export function baseNames({ source, definition }: Found): readonly string[] {
  const list = definition.node.getChild("ArgList");
  return list === null
    ? []
    : childrenOf(list)
        .filter(({ name }) => name === "VariableName" || name === "MemberExpression")
        .map((each) => /(\w+)(\[|$)/.exec(source.textOf(each))?.[1] ?? "");
}

/** Number of folders that two files have in common. */
function sharedFolders(one: PythonSource, other: PythonSource): number {
  const theirs = other.path.split("/").slice(0, -1);
  const folders = one.path.split("/").slice(0, -1);
  const differs = folders.findIndex((folder, index) => folder !== theirs[index]);
  return differs < 0 ? folders.length : differs;
}

type Import = { readonly name: string; readonly from: string };

/** `from writers import Writers as W`: `W` is `Writers` of `writers`. */
function importedName(name: string, { text }: PythonSource): Import {
  for (const [, from = "", list = ""] of text.matchAll(
    /^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)/gm,
  ))
    for (const each of list.replaceAll(/[()]/g, "").split(",")) {
      const [own = "", , as = own] = each.trim().split(/\s+/);
      if (as === name) return { name: own, from: from.replace(/^\.+/, "") };
    }
  return { name, from: "" };
}

function isModule(path: string, module: string): boolean {
  const file = path.replace(/(\/__init__)?\.py$/, "");
  const wanted = module.replaceAll(".", "/");
  return file === wanted || file.endsWith(`/${wanted}`);
}

/** Decorators that leave the result of a function as it is. */
const TRANSPARENT = new Set([
  "staticmethod",
  "classmethod",
  "cache",
  "lru_cache",
  "cache_resource",
  "cache_data",
]);

/** A function without a decorator that changes its result, or a class without base classes. */
export function isPlain(found: Found): boolean {
  const { kind, decorators } = found.definition;
  if (kind === "function") return decorators.every(({ name }) => TRANSPARENT.has(name));
  return (
    decorators.length === 0 && baseNames(found).every((base) => base === "object" || base === "ABC")
  );
}

export function methodOf({ source, definition }: Found, name: string): Found | undefined {
  const { definitions } = bodyOf(source, definition.node);
  const found = definitions.findLast((each) => each.kind === "function" && each.name === name);
  const isTool = found?.decorators.some((each) => each.name === "tool") ?? false;
  return found === undefined || isTool ? undefined : { source, definition: found };
}
