// Reading the code as data, for the architecture tests.
import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, type Node, type Program } from "oxc-parser";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** One `import`, `export … from`, `import()` or `import("…")` type. */
export type Import = {
  /** As written: `../base/json.ts`, `hono`, `cloudflare:workers`. */
  readonly specifier: string;
  /** For a relative import, the file it names, from the root of the repository. */
  readonly target: string | undefined;
  /** True when nothing of it is left at run time. */
  readonly typeOnly: boolean;
  /** Names imported, as the other module calls them; empty when that cannot be told. */
  readonly names: readonly string[];
};

/** TypeScript files in these folders, as paths from the root of the repository. */
export function sourceFiles(...folders: readonly string[]): readonly string[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted();
}

export function readSource(path: string): string {
  return readFileSync(root + path, "utf8");
}

export function parseSource(path: string, source: string = readSource(path)): Program {
  const { program, errors } = parseSync(path, source);
  if (errors[0]) throw new Error(`${path} does not parse: ${errors[0].message}`);
  return program;
}

/** Text and 1-based line of each comment. Lines of `//` that follow each other are one comment. */
export function commentsOf(
  path: string,
  source: string = readSource(path),
): ReadonlyArray<{ readonly value: string; readonly line: number }> {
  const joined: Array<{ value: string; line: number; end: number }> = [];
  for (const { type, value, start, end } of parseSync(path, source).comments) {
    const last = joined.at(-1);
    if (type === "Line" && last && /^\s*$/.test(source.slice(last.end, start)))
      Object.assign(last, { value: `${last.value}\n${value}`, end });
    else joined.push({ value, line: source.slice(0, start).split("\n").length, end });
  }
  return joined;
}

/** Calls `visit` with every node and its ancestors, the parent last. */
export function walk(
  node: Node,
  visit: (node: Node, ancestors: readonly Node[]) => void,
  ancestors: readonly Node[] = [],
): void {
  visit(node, ancestors);
  const inner = [...ancestors, node];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, visit, inner);
    }
  }
}

export function importsOf(path: string, program: Program = parseSource(path)): readonly Import[] {
  const found: Import[] = [];
  walk(program, (node) => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return;
    found.push({
      specifier,
      target: specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined,
      typeOnly: isTypeOnly(node),
      names: namesOf(node),
    });
  });
  return found;
}

/** The 1-based line of a node. */
export function lineOf(source: string, node: Node): number {
  return source.slice(0, node.start).split("\n").length;
}

function specifierOf(node: Node): string | undefined {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
      return node.source.value;
    case "ExportNamedDeclaration":
      return node.source?.value;
    case "TSImportType":
      return node.source.value;
    case "ImportExpression":
      // A computed path cannot be checked, so it is a module that nobody knows.
      return node.source.type === "Literal" ? String(node.source.value) : "(computed)";
    default:
      return undefined;
  }
}

function isTypeOnly(node: Node): boolean {
  if (node.type === "ImportDeclaration") return node.importKind === "type";
  if (node.type === "ExportNamedDeclaration" || node.type === "ExportAllDeclaration") {
    return node.exportKind === "type";
  }
  return node.type === "TSImportType";
}

function namesOf(node: Node): readonly string[] {
  if (node.type === "ImportDeclaration") {
    return node.specifiers.map((specifier) => {
      if (specifier.type === "ImportDefaultSpecifier") return "default";
      if (specifier.type === "ImportNamespaceSpecifier") return "*";
      return nameOf(specifier.imported);
    });
  }
  if (node.type === "ExportNamedDeclaration") {
    return node.specifiers.map((specifier) => nameOf(specifier.local));
  }
  return [];
}

/** The text of an identifier, or of a string in its place: `export { a as "b" }`. */
export function nameOf(node: { readonly name: string } | { readonly value: unknown }): string {
  return "name" in node ? node.name : String(node.value);
}

/** True for nodes of a syntax tree, and for nothing else in its fields. */
export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}
