// A crew that Python makes with `Crew(…)`, without a class of CrewAI: in a file, a function or a method.
//
//   PRS1. Its parts are the values of `agents=`, `tasks=`, and of the agents and contexts of these tasks. Each has the
//         name of the variable or the function that it comes from.
import { frameAround } from "./crew-frames.ts";
import type { CrewSite } from "./crew-sites.ts";
import { PlaceList, type CrewScope, type Method, type Returned } from "./crew-scope.ts";
import type { Evaluator } from "./evaluator.ts";
import type { Frame } from "./frame.ts";
import { codeKey } from "./unread-code.ts";
import type { PythonNode } from "./python-source.ts";
import { partKind, type PythonCall, type PythonValue } from "./python-value.ts";
import { readValue } from "./python-values.ts";

type Kind = "agent" | "task" | "crew";

export class ProgramScope extends PlaceList implements CrewScope {
  readonly methods = new Map<string, Method>();
  readonly #evaluator: Evaluator;
  readonly #frame: Frame;
  readonly #site: CrewSite;
  readonly #calls = new Map<string, PythonCall>();
  readonly #names = new Map<PythonValue, string>();

  constructor(site: CrewSite, evaluator: Evaluator) {
    super();
    this.#site = site;
    this.#evaluator = evaluator;
    this.#frame = frameAround(site.source, site.around, evaluator);
    const before = evaluator.computed.length;
    const crew = evaluator.valueOf(readValue(site.source, site.call), this.#frame);
    if (crew.kind !== "call") return;
    const patched = this.#patched(crew, "crew");
    for (const { name, value } of patched.keywords)
      if (name === "agents" || name === "tasks" || name === "manager_agent") this.#collect(value);
    this.#add("crew", patched, "crew");
    evaluator.used.add(codeKey(site.source, statementOf(site.call)));
    this.open.push(...evaluator.computed.slice(before));
  }

  /** A program has no own fields: its YAML is at the default place. */
  field(): undefined {
    return undefined;
  }

  returned({ name }: Method): Returned | undefined {
    return this.made(name);
  }

  made(name: string): Returned | undefined {
    const call = this.#calls.get(name);
    return call === undefined ? undefined : { call, scope: { frame: this.#frame } };
  }

  /** Values of a program are evaluated already. */
  resolved(value: PythonValue): PythonValue {
    return value;
  }

  evaluated(value: PythonValue): PythonValue {
    return value;
  }

  partName(value: PythonValue): string | undefined {
    return this.#names.get(value);
  }

  /** Adds the parts in a value, and those that they name. */
  #collect(value: PythonValue): void {
    if (value.kind === "list") for (const item of value.items) this.#collect(item);
    if (value.kind !== "call" || this.#names.has(value)) return;
    const kind = partKind(value);
    if (kind === undefined) return;
    const name = this.#nameOf(value, kind);
    this.#names.set(value, name);
    const patched = this.#patched(value, kind);
    this.#add(name, patched, kind);
    // Agents of tasks belong to the crew also where its list lacks them.
    for (const each of patched.keywords)
      if (each.name === "agent" || each.name === "context") this.#collect(each.value);
  }

  #add(name: string, call: PythonCall, kind: Kind): void {
    const { source, node } = call;
    this.#calls.set(name, call);
    this.methods.set(name, {
      kind: "function",
      name,
      node,
      source,
      decorators: [{ name: kind, node, args: undefined }],
    });
  }

  #nameOf(call: PythonCall, kind: Kind): string {
    const wanted = this.#evaluator.names.get(call) ?? slug(call) ?? kind;
    let name = wanted === "crew" ? `crew_${kind}` : wanted;
    for (let count = 2; this.methods.has(name); count += 1) name = `${wanted}_${count}`;
    return name;
  }

  /** Returns a call with fields that are assigned afterwards: `report.context = [research]`. */
  #patched(call: PythonCall, kind: Kind): PythonCall {
    const patches = this.#frame.patches.filter(({ target }) =>
      kind === "crew"
        ? target.replace(/^self\./, "") === this.#site.assigned
        : this.#valueOf(target) === call,
    );
    if (patches.length === 0) return call;
    for (const { node } of patches) this.#evaluator.used.add(codeKey(this.#site.source, node));
    const fields = new Set(patches.map(({ field }) => field));
    return {
      ...call,
      keywords: [
        ...call.keywords.filter(({ name }) => !fields.has(name)),
        ...patches.map(({ field, value }) => ({
          name: field,
          value: this.#evaluator.valueOf(value, this.#frame),
        })),
      ],
    };
  }

  #valueOf(name: string): PythonValue {
    const at = { source: this.#site.source, node: this.#site.call };
    return this.#evaluator.valueOf({ ...at, kind: "name", name }, this.#frame);
  }
}

/** The statement with a call. */
function statementOf(call: PythonNode): PythonNode {
  let node = call;
  while (!node.name.endsWith("Statement") && node.parent !== null) node = node.parent;
  return node;
}

/** The beginning of a role as a name. */
function slug({ keywords }: PythonCall): string | undefined {
  const role = keywords.find(({ name }) => name === "role")?.value;
  if (role?.kind !== "plain" || typeof role.value !== "string") return undefined;
  const words = role.value
    .replaceAll(/\{[^}]*\}/g, "")
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return words?.slice(0, 4).join("_");
}
