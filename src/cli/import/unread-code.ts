// Code of a project that an import does not take, statement by statement.
//
//   URC1. A file is read whole only if each of its definitions and statements is taken. The others are listed, with line
//         and text: as open places, or as left out if Edgecrew does their work (starting a crew, printing a result).
import { hideSecrets } from "./hide-secrets.ts";
import { openAt, type OpenPlace } from "./open-places.ts";
import {
  bodyOf,
  definitionOf,
  type Definition,
  type PythonNode,
  type PythonSource,
} from "./python-source.ts";
import { statementsOf } from "./python-statements.ts";

/** Definitions and assignments of a source that an import takes, as keys of `codeKey`. */
export type TakenCode = ReadonlySet<string>;

export type UnreadCode = {
  readonly open: readonly OpenPlace[];
  readonly leftOut: readonly OpenPlace[];
  /** True if a definition or statement is taken. */
  readonly isTaken: boolean;
};

/** Names a definition or an assignment of a source. */
export function codeKey({ path }: PythonSource, { from }: PythonNode): string {
  return `${path}:${from}`;
}

export function unreadCode(source: PythonSource, taken: TakenCode): UnreadCode {
  const reader = new UnreadReader(source, taken);
  if (/(^|\/)(tests?\/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$)/.test(source.path))
    reader.leaveTests();
  else reader.read(source.root);
  return reader;
}

const MAX_TEXT = 200;

const STARTS = /\.(kickoff|train|replay|test|plot)\w*\(/;
const MAKES = /\b(Agent|Task|ConditionalTask|Crew)\(/;
/** Statements without an effect of their own. */
const SILENT = new Set([
  "ImportStatement",
  "PassStatement",
  "ReturnStatement",
  "IfStatement",
  "TryStatement",
  "WithStatement",
  "ForStatement",
  "WhileStatement",
  "Comment",
]);

class UnreadReader implements UnreadCode {
  readonly open: OpenPlace[] = [];
  readonly leftOut: OpenPlace[] = [];
  isTaken = false;
  readonly #source: PythonSource;
  readonly #taken: TakenCode;

  constructor(source: PythonSource, taken: TakenCode) {
    this.#source = source;
    this.#taken = taken;
  }

  leaveTests(): void {
    const [first] = statementsOf(this.#source.root);
    if (first === undefined) return;
    this.#leave(first.node, "tests: write them in TypeScript, see docs/testing.md");
  }

  read(owner: PythonNode): void {
    let isBefore = false;
    for (const { node } of statementsOf(owner)) {
      const isPlain = this.#statement(node, isBefore);
      if (!SILENT.has(node.name)) isBefore = isPlain;
    }
  }

  /** Returns true for a statement that is left out. Of several in a row, the first is listed. */
  #statement(node: PythonNode, isBefore: boolean): boolean {
    if (SILENT.has(node.name)) return false;
    const definition = definitionOf(this.#source, node);
    if (definition !== undefined) {
      this.#definition(definition);
      return false;
    }
    const only = node.name === "ExpressionStatement" ? node.firstChild?.name : undefined;
    if (only === "String" || only === "ContinuedString" || only === "Ellipsis") return false;
    if (this.#has(node)) return false;
    const text = this.#source.textOf(node);
    if (MAKES.test(text) && !STARTS.test(text)) {
      this.open.push(openAt(this.#source, node, "no crew that is read uses it"));
      return false;
    }
    if (!isBefore) this.#leave(node, "code of the script: `edgecrew run` starts crews");
    return true;
  }

  #definition({ kind, name, node }: Definition): void {
    const inner = bodyOf(this.#source, node);
    if (this.#has(node)) return;
    const isAround = inner.definitions.some((each) => this.#has(each.node)) || this.#isInside(node);
    if (isAround && kind === "class") {
      for (const each of inner.definitions) if (each.name !== "__init__") this.#definition(each);
      return;
    }
    if (isAround) {
      this.read(node);
      return;
    }
    if (STARTS.test(this.#source.textOf(node)) && kind === "function") {
      this.#leave(node, "starts a crew or a flow: `edgecrew run`, `train`, `replay` and `test` do");
      return;
    }
    const why = `\`${name}\` is not read: write it in TypeScript if a crew, a tool or a flow needs it`;
    this.open.push({ ...openAt(this.#source, node, why), text: this.#head(node) });
  }

  #has(node: PythonNode): boolean {
    const has = this.#taken.has(codeKey(this.#source, node));
    if (has) this.isTaken = true;
    return has;
  }

  /** True if something inside of a definition is taken. */
  #isInside({ from, to }: PythonNode): boolean {
    const start = `${this.#source.path}:`;
    for (const key of this.#taken) {
      const at = key.startsWith(start) ? Number(key.slice(start.length)) : -1;
      if (at > from && at < to) {
        this.isTaken = true;
        return true;
      }
    }
    return false;
  }

  #leave(node: PythonNode, why: string): void {
    this.leftOut.push({ ...openAt(this.#source, node, why), text: this.#head(node) });
  }

  #head(node: PythonNode): string {
    const line = this.#source
      .textOf(node)
      .split("\n")
      .find((each) => !each.trimStart().startsWith("@"));
    return hideSecrets(line ?? "")
      .trim()
      .slice(0, MAX_TEXT);
  }
}
