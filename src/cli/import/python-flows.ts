// Converts Python flows to flow classes with methods to write.
//
//   PYF1. A flow has the same methods and decorators, and each body is a comment. A router throws until it is written;
//         other methods return a text that says so.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { camelCase } from "../../base/camel-case.ts";
import { openAt, type OpenPlace } from "./open-places.ts";
import {
  bodyOf,
  childrenOf,
  type Decorator,
  type Definition,
  type PythonNode,
  type PythonSource,
} from "./python-source.ts";
import { codeKey } from "./unread-code.ts";
import { textValue } from "./python-texts.ts";
import { asJson, type PythonValue } from "./python-value.ts";
import { readArguments } from "./python-values.ts";
import { identifier, propertyKey as key, pythonComment } from "./typescript-text.ts";

/** A flow as the text of a class in TypeScript. */
export type PythonFlow = {
  readonly name: string;
  /** Model of its state, if any. */
  readonly state: string | undefined;
  /** Names of `edgecrew/flow` used in the class. */
  readonly imports: ReadonlySet<string>;
  readonly text: string;
  readonly methods: number;
  /** Its class, as of `codeKey`. */
  readonly key: string;
};

const FLOW_DECORATORS = new Set(["start", "listen", "router", "persist", "human_feedback"]);

export function pythonFlows(
  source: PythonSource,
  isModel: (name: string) => boolean,
): { readonly flows: readonly PythonFlow[]; readonly open: readonly OpenPlace[] } {
  const open: OpenPlace[] = [];
  const flows = bodyOf(source, source.root).definitions.flatMap((definition): PythonFlow[] => {
    const base = definition.kind === "class" ? flowBase(source, definition) : undefined;
    return base === undefined
      ? []
      : [new FlowReader(source, { isModel, open }).read(definition, base)];
  });
  return { flows, open };
}

/** Returns the state between the brackets of `Flow[State]`. Undefined for a class that is no flow. */
function flowBase(
  source: PythonSource,
  { node }: Definition,
): { readonly state: string } | undefined {
  const list = node.getChild("ArgList");
  for (const base of list === null ? [] : childrenOf(list)) {
    const [, name = "", state = ""] =
      /^(?:\w+\.)*(\w+)(?:\[\s*(.*?)\s*\])?$/s.exec(source.textOf(base)) ?? [];
    if (name === "Flow") return { state };
  }
  return undefined;
}

class FlowReader {
  readonly #source: PythonSource;
  readonly #isModel: (name: string) => boolean;
  readonly #open: OpenPlace[];
  readonly #imports = new Set(["Flow"]);
  #names: ReadonlySet<string> = new Set();

  constructor(
    source: PythonSource,
    { isModel, open }: { readonly isModel: (name: string) => boolean; readonly open: OpenPlace[] },
  ) {
    this.#source = source;
    this.#isModel = isModel;
    this.#open = open;
  }

  read(definition: Definition, base: { readonly state: string }): PythonFlow {
    const { definitions, assignments } = bodyOf(this.#source, definition.node);
    const methods = definitions.filter(({ kind }) => kind === "function");
    this.#names = new Set(methods.map(({ name }) => name));
    const initial = assignments.find(({ name }) => name === "initial_state")?.value;
    const named = base.state || (initial === undefined ? "" : this.#source.textOf(initial));
    const state = this.#isModel(named) ? named : undefined;
    if (state === undefined && named !== "" && !/^[Dd]ict\b/.test(named))
      this.#leave(
        definition.node,
        `the state \`${named}\` is not among the files: write its schema`,
      );
    const texts = methods.map((method) => this.#method(method));
    const over = definition.decorators.flatMap((each) => this.#decorator(each) ?? []);
    const schema = state === undefined ? "z.looseObject({})" : identifier(state);
    return {
      name: definition.name,
      key: codeKey(this.#source, definition.node),
      state,
      imports: this.#imports,
      methods: methods.filter((each) => isFlowMethod(each)).length,
      text: [
        ...over,
        `export class ${definition.name} extends Flow(${schema}) {`,
        texts.join("\n\n"),
        "}",
      ].join("\n"),
    };
  }

  #method(method: Definition): string {
    const { name, node, decorators } = method;
    const python = pythonComment(this.#source.textOf(node), "    ");
    this.#leave(node, "a method of a flow: write its body in TypeScript");
    if (!isFlowMethod(method))
      return `  // \`${name}\`, which no decorator wakes:\n${pythonComment(this.#source.textOf(node), "  ")}`;
    const lines = decorators
      .flatMap((each) => this.#decorator(each) ?? [])
      .map((line) => `  ${line}`);
    const isRouter = decorators.some((each) => each.name === "router");
    const labels = isRouter ? this.#labels(node) : [];
    const texts = labels.map((label) => JSON.stringify(label)).join(", ");
    const about = texts === "" ? "" : `\n${pythonComment(`Returns one of: ${texts}`, "    ")}`;
    const waits = JSON.stringify(`not ported yet: ${name}`);
    const free = freeName(name);
    if (free !== name)
      this.#leave(node, `\`${name}\` is a name of every flow here: it is \`${free}\``);
    // A router decides about the run; the other methods may be written later.
    const end = isRouter ? `${about}\n    throw new Error(${waits});` : `\n    return ${waits};`;
    return [...lines, `  ${key(free)}(): string {`, `${python}${end}`, "  }"].join("\n");
  }

  /** Returns the literal texts that a router returns. */
  #labels(method: PythonNode): readonly string[] {
    const labels = new Set<string>();
    method.cursor().iterate(({ node }) => {
      const value = node.name === "ReturnStatement" ? node.lastChild : null;
      const text = value === null ? undefined : textValue(this.#source, value);
      if (text !== undefined) labels.add(text);
    });
    return [...labels];
  }

  #decorator(decorator: Decorator): string | undefined {
    const { name, args, node } = decorator;
    const read =
      args === undefined ? { args: [], keywords: [] } : readArguments(this.#source, args);
    switch (name) {
      case "start":
      case "listen":
      case "router": {
        const [first] = read.args;
        const condition = first === undefined ? "" : this.#condition(first);
        if (condition === undefined || (condition === "" && name !== "start")) {
          this.#leave(node, "the triggers of this method cannot be read");
          return undefined;
        }
        this.#imports.add(name);
        return `@${name}(${condition})`;
      }
      case "persist":
        this.#imports.add("persist");
        return "@persist()";
      case "human_feedback":
        return this.#feedback(decorator, read.keywords);
      default:
        return undefined;
    }
  }

  #feedback(
    { node }: Decorator,
    keywords: ReadonlyArray<{ readonly name: string; readonly value: PythonValue }>,
  ): string {
    const fields: Record<string, JsonValue> = {};
    for (const { name, value } of keywords) {
      const read = asJson(value);
      if (read === undefined || !FEEDBACK.has(name))
        this.#leave(value.node, `\`${name}\` of \`human_feedback\` is left out`);
      else if (read !== null) fields[camelCase(name)] = read;
    }
    if (fields["message"] === undefined) this.#leave(node, "the question cannot be read");
    this.#imports.add("humanFeedback");
    return `@humanFeedback(${JSON.stringify({ message: "", ...fields } satisfies JsonObject)})`;
  }

  /** `or_(a, "b")`, a name of a method, a label. */
  #condition(value: PythonValue): string | undefined {
    if (value.kind === "plain") {
      const { value: text } = value;
      const isMethod = typeof text === "string" && this.#names.has(text);
      return JSON.stringify(isMethod ? freeName(text) : text);
    }
    if (value.kind === "name") {
      const name = value.name.split(".").at(-1) ?? "";
      return this.#names.has(name) ? JSON.stringify(freeName(name)) : undefined;
    }
    if (value.kind !== "call" || !/^(\w+\.)*(or|and)_$/.test(value.name)) return undefined;
    const joined = value.name.endsWith("or_") ? "or" : "and";
    const parts = value.args.map((each) => this.#condition(each));
    if (parts.includes(undefined) || value.keywords.length > 0) return undefined;
    this.#imports.add(joined);
    return `${joined}(${parts.join(", ")})`;
  }

  #leave(node: PythonNode, why: string): void {
    const text = this.#source
      .textOf(node)
      .split("\n")
      .find((line) => /^\s*(async )?(def|class) /.test(line));
    const place = openAt(this.#source, node, why);
    this.#open.push(text === undefined ? place : { ...place, text: text.trim() });
  }
}

const FEEDBACK = new Set(["message", "emit", "llm", "default_outcome"]);

/** Members of every flow. Methods with these names would replace them. */
const MEMBERS = new Set(
  (
    "ask compat constructor conversation conversational extractMemories feedback flow handleTurn hooks increment inputProvider inputs kickoff " +
    "maxMethodCalls memory name persistence plot prompts recall remember replay resume sleep sleepUntil start startTurn state step stream " +
    "streamTurn suppressFlowEvents toJSON waitForEvent"
  ).split(" "),
);

function freeName(name: string): string {
  return MEMBERS.has(name) ? `${name}Method` : name;
}

function isFlowMethod({ decorators }: Definition): boolean {
  return decorators.some(({ name }) => FLOW_DECORATORS.has(name));
}
