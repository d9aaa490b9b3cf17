// A module of declarations as data: its declarations, imports, exports and additions to other modules.
import { dirname, join } from "node:path";
import { parseSync, type Node, type Program } from "oxc-parser";

export type Statement = Program["body"][number];

/** Meaning of a name of a module: a declaration of its own, or a name of another module. `*` is the whole module. */
export type Source = { readonly from: string; readonly name: string };

export type Module = {
  readonly path: string;
  readonly text: string;
  readonly statements: readonly Statement[];
  readonly declared: ReadonlyMap<string, readonly Statement[]>;
  readonly imported: ReadonlyMap<string, Source>;
  readonly exported: ReadonlyMap<string, Source | string>;
  /** Modules of `export * from`. */
  readonly all: readonly string[];
  readonly augmentations: ReadonlyArray<{ readonly target: string; readonly statement: Statement }>;
};

/** Parses declarations; `path` is below the folder of all, as `./client/index.d.ts`. */
export function readModule(path: string, text: string): Module {
  const { program, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path} does not parse: ${errors[0].message}`);
  const declared = new Map<string, Statement[]>();
  const imported = new Map<string, Source>();
  const exported = new Map<string, Source | string>();
  const all: string[] = [];
  const augmentations: Array<{ target: string; statement: Statement }> = [];
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") {
      const from = resolved(path, statement.source.value);
      for (const each of statement.specifiers) {
        const name = each.type === "ImportSpecifier" ? nameOf(each.imported) : "*";
        imported.set(each.local.name, { from, name });
      }
    } else if (statement.type === "ExportAllDeclaration") {
      all.push(resolved(path, statement.source.value));
    } else if (statement.type === "ExportNamedDeclaration" && statement.declaration === null) {
      const from = statement.source && resolved(path, statement.source.value);
      for (const { local, exported: as } of statement.specifiers)
        exported.set(nameOf(as), from === null ? nameOf(local) : { from, name: nameOf(local) });
    } else if (statement.type === "TSModuleDeclaration" && statement.id.type === "Literal") {
      augmentations.push({ target: resolved(path, statement.id.value), statement });
    } else {
      const isExported = statement.type === "ExportNamedDeclaration";
      for (const name of declaredNames(isExported ? statement.declaration : statement)) {
        declared.set(name, [...(declared.get(name) ?? []), statement]);
        if (isExported) exported.set(name, name);
      }
    }
  }
  return { path, text, statements: program.body, declared, imported, exported, all, augmentations };
}

/** Modules named anywhere in it. */
export function targetsOf({ path, statements }: Module): ReadonlySet<string> {
  const targets = new Set<string>();
  for (const statement of statements)
    walk(statement, (node) => {
      const source =
        "source" in node ? (node.source as { value?: unknown } | null)?.value : undefined;
      if (typeof source === "string") targets.add(resolved(path, source));
      const type = importedType(path, node);
      if (type !== undefined) targets.add(type.from);
    });
  return new Set([...targets].filter(isOwn));
}

/** The module and the name of `import("./module").Name`. */
export function importedType(path: string, node: Node): Source | undefined {
  if (node.type !== "TSImportType") return undefined;
  const from = resolved(path, node.source.value);
  let first = node.qualifier;
  while (first?.type === "TSQualifiedName") first = first.left as typeof first;
  return isOwn(from) ? { from, name: first?.type === "Identifier" ? first.name : "*" } : undefined;
}

function declaredNames(node: Node | null): readonly string[] {
  if (node === null) return [];
  if (node.type === "VariableDeclaration")
    return node.declarations.flatMap(({ id }) => (id.type === "Identifier" ? id.name : []));
  const id = "id" in node ? (node.id as { type: string; name?: string } | null) : null;
  return id?.name === undefined ? [] : [id.name];
}

export function interfacesIn(statement: Statement): readonly string[] {
  const names: string[] = [];
  walk(statement, (node) => {
    if (node.type === "TSInterfaceDeclaration") names.push(node.id.name);
  });
  return names;
}

/** The doc comment between a statement and the one before it. */
export function commentBefore({ text, statements }: Module, place: number): string {
  const from = statements[place - 1]?.end ?? 0;
  const between = text.slice(from, statements[place]?.start ?? from);
  return /\/\*\*(?:(?!\*\/)[^])*\*\/\s*$/.exec(between)?.[0] ?? "";
}

export function nameOf(node: { readonly type: string }): string {
  const { name, value } = node as { readonly name?: string; readonly value?: string };
  return name ?? value ?? "";
}

/** A path below the folder for modules of its own, else the specifier. */
export function resolved(path: string, specifier: string): string {
  if (!specifier.startsWith(".")) return specifier;
  return `./${join(dirname(path), specifier).replace(/(\.d)?\.[jt]s$/, "")}.d.ts`;
}

export function isOwn(path: string): boolean {
  return path.startsWith("./");
}

/** Calls `visit` with a node and all below it. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value as unknown])
      if (typeof child === "object" && child !== null && "type" in child && "start" in child)
        walk(child as Node, visit);
}
