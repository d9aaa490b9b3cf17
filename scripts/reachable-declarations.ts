// Cuts the declarations (`.d.ts`) of a package down to those shown by some of its modules: statement by statement, as a
// bundler does.
// Parts of a schema's types come along; the rest of a feature, and its packages, do not.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ImportDeclaration } from "oxc-parser";
import {
  commentBefore,
  importedType,
  interfacesIn,
  isOwn,
  nameOf,
  readModule,
  resolved,
  targetsOf,
  walk,
  type Module,
  type Statement,
} from "./declaration-module.ts";

export type ReachOptions = {
  /** Modules with exports to keep, as `./client/index.d.ts`. */
  readonly entries: readonly string[];
  /** Types shown by name alone: an import of one becomes `unknown`. */
  readonly opaque?: ReadonlySet<string>;
};

/** Returns the reachable declarations, as texts by path. Paths are those below `folder`; imports of packages stay as they are. */
export function reachableDeclarations(
  folder: string,
  options: ReachOptions,
): ReadonlyMap<string, string> {
  return new Reach(folder, options.opaque ?? new Set()).from(options.entries);
}

class Reach {
  readonly #folder: string;
  readonly #opaque: ReadonlySet<string>;
  readonly #modules = new Map<string, Module>();
  readonly #names = new Set<string>();
  readonly #statements = new Map<string, Set<Statement>>();
  readonly #locals = new Map<string, Set<string>>();

  constructor(folder: string, opaque: ReadonlySet<string>) {
    this.#folder = folder;
    this.#opaque = opaque;
  }

  from(entries: readonly string[]): ReadonlyMap<string, string> {
    for (const entry of entries) this.#load(entry);
    for (const entry of entries) this.#markAll(entry);
    for (let before = -1; before !== this.#names.size;) {
      before = this.#names.size;
      this.#markAugmentations();
    }
    const kept = [...this.#modules.values()].filter(({ path }) => this.#locals.has(path));
    const paths = new Set(kept.map(({ path }) => path));
    return new Map(kept.map((module) => [module.path, this.#textOf(module, paths)]));
  }

  /** Reads a module and all of its imports. */
  #load(path: string): void {
    if (this.#modules.has(path)) return;
    const module = readModule(path, readFileSync(join(this.#folder, path), "utf8"));
    this.#modules.set(path, module);
    for (const target of targetsOf(module)) this.#load(target);
  }

  #module(path: string): Module {
    const module = this.#modules.get(path);
    if (module === undefined) throw new Error(`${path} is not among the declarations`);
    return module;
  }

  #markAll(path: string): void {
    const { exported, all } = this.#module(path);
    this.#use(path);
    for (const name of exported.keys()) this.#mark(path, name);
    for (const target of all) this.#markAll(target);
  }

  /** True when the module has the name. */
  #mark(path: string, name: string): boolean {
    if (name === "*") {
      this.#markAll(path);
      return true;
    }
    const { exported, all } = this.#module(path);
    const source = exported.get(name);
    if (source === undefined) {
      const from = all.find((target) => this.#mark(target, name));
      if (from !== undefined) this.#use(path);
      return from !== undefined;
    }
    const key = `${path}#${name}`;
    if (this.#names.has(key)) return true;
    this.#names.add(key);
    this.#use(path);
    if (typeof source === "string") this.#markLocal(path, source);
    else if (isOwn(source.from)) this.#mark(source.from, source.name);
    return true;
  }

  #markLocal(path: string, name: string): void {
    const locals = this.#use(path);
    if (locals.has(name)) return;
    const { declared, imported } = this.#module(path);
    const source = imported.get(name);
    const statements = declared.get(name) ?? [];
    if (source === undefined && statements.length === 0) return; // a global, or a name inside a type
    locals.add(name);
    const isFollowed = source !== undefined && isOwn(source.from) && !this.#opaque.has(source.name);
    if (isFollowed && !this.#mark(source.from, source.name))
      throw new Error(`${path} imports ${source.name}, which ${source.from} has not`);
    for (const statement of statements) this.#keep(path, statement);
  }

  #keep(path: string, statement: Statement): void {
    const statements = this.#statements.get(path) ?? new Set();
    if (statements.has(statement)) return;
    this.#statements.set(path, statements.add(statement));
    this.#use(path);
    walk(statement, (node) => {
      if (node.type === "Identifier") this.#markLocal(path, node.name);
      const type = importedType(path, node);
      if (type !== undefined && !this.#opaque.has(type.name)) this.#mark(type.from, type.name);
    });
  }

  /** Kept interfaces include the additions of other modules. */
  #markAugmentations(): void {
    for (const { path, augmentations } of this.#modules.values())
      for (const { target, statement } of augmentations) {
        const names = interfacesIn(statement);
        if (names.some((name) => this.#locals.get(target)?.has(name))) this.#keep(path, statement);
      }
  }

  #use(path: string): Set<string> {
    const locals = this.#locals.get(path) ?? new Set<string>();
    this.#locals.set(path, locals);
    return locals;
  }

  #textOf(module: Module, paths: ReadonlySet<string>): string {
    const parts = module.statements.flatMap((statement, place) => {
      const kept = this.#statementText(module, statement, paths);
      if (kept === undefined) return [];
      const comment = commentBefore(module, place);
      return [comment + kept];
    });
    return `${parts.join("\n")}\nexport {};\n`;
  }

  #statementText(
    { path, text }: Module,
    statement: Statement,
    paths: ReadonlySet<string>,
  ): string | undefined {
    const whole = text.slice(statement.start, statement.end);
    if (statement.type === "ImportDeclaration") return this.#importText(path, statement);
    if (statement.type === "ExportAllDeclaration") {
      const target = resolved(path, statement.source.value);
      return isOwn(target) && !paths.has(target) ? undefined : whole;
    }
    if (statement.type === "ExportNamedDeclaration" && statement.declaration === null) {
      const specifiers = statement.specifiers.filter(({ exported }) =>
        this.#names.has(`${path}#${nameOf(exported)}`),
      );
      if (specifiers.length === 0) return undefined;
      const names = specifiers.map(({ start, end }) => text.slice(start, end)).join(", ");
      const from = statement.source === null ? "" : ` from ${statement.source.raw}`;
      return `export ${statement.exportKind === "type" ? "type " : ""}{ ${names} }${from};`;
    }
    if (this.#statements.get(path)?.has(statement) !== true) return undefined;
    return whole.replaceAll(/import\("[^"]+"\)\.([\w$]+)/g, (type, name: string) =>
      this.#opaque.has(name) ? "unknown" : type,
    );
  }

  #importText(path: string, { specifiers, source }: ImportDeclaration): string | undefined {
    const locals = this.#use(path);
    const isUsed = specifiers.filter(({ local }) => locals.has(local.name));
    const used = isUsed.filter(({ local }) => !this.#opaque.has(local.name));
    const hidden = isUsed.filter(({ local }) => this.#opaque.has(local.name));
    if (isUsed.length === 0) return undefined;
    const named = used.flatMap((each) => {
      if (each.type !== "ImportSpecifier") return [];
      const name = nameOf(each.imported);
      return name === each.local.name ? name : `${name} as ${each.local.name}`;
    });
    const others = used.flatMap((each) => {
      if (each.type === "ImportSpecifier") return [];
      return each.type === "ImportDefaultSpecifier" ? each.local.name : `* as ${each.local.name}`;
    });
    const lists = [...others, ...(named.length > 0 ? [`{ ${named.join(", ")} }`] : [])];
    return [
      ...lists.map((list) => `import type ${list} from ${source.raw};`),
      ...hidden.map(({ local }) => `type ${local.name} = unknown;`),
    ].join("\n");
  }
}
