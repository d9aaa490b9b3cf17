// Elements of a flow's picture: its methods, the labels of its routers, the joins inside of conditions, and the links
// between them.
import { withBackLinks } from "../../graph/back-links.ts";
import { namesIn, type Condition } from "../condition.ts";
import {
  isRouter,
  labelsFrom,
  type FlowDefinition,
  type MethodDefinition,
} from "../flow-definition.ts";
import { conditionOf, knownLabels, strangersIn } from "./flow-structure.ts";

export type Join = "AND" | "OR" | "RACE";

/** `id` is the place among the nodes: names may be anything. */
export type DiagramNode = MethodNode | LabelNode | GateNode;

export type MethodNode = {
  readonly kind: "method";
  readonly id: string;
  readonly name: string;
  readonly method: MethodDefinition;
  readonly start: "always" | "by label" | "no";
  readonly routes: boolean;
  /** Join of its triggers, if there are several. */
  readonly join?: Join;
};

export type LabelNode = {
  readonly kind: "label";
  readonly id: string;
  /** Undefined for labels a router does not name and no method listens to. */
  readonly label?: string;
  /** Router of the label; undefined if unknown. */
  readonly router?: string;
  readonly isKnown: boolean;
  /** Set if a person decides on the label. */
  readonly isByPerson: boolean;
  /** Set for the label of a person's silence. */
  readonly isDefault: boolean;
};

/** A condition inside of a condition. */
export type GateNode = { readonly kind: "gate"; readonly id: string; readonly join: Join };

export type DiagramLink = {
  readonly from: string;
  readonly to: string;
  /** `gives`: from a router to its label. `and`: one of several required together. */
  readonly kind: "wakes" | "and" | "gives";
  /** False if a router without declared labels might return the label. */
  readonly isKnown: boolean;
  /** Set for a link back to an earlier node. */
  readonly isBack: boolean;
};

export type Diagram = {
  readonly nodes: readonly DiagramNode[];
  readonly links: readonly DiagramLink[];
};

/** Returns the diagram of a flow. */
export function diagramOf({ methods }: FlowDefinition): Diagram {
  const entries = Object.entries(methods);
  const builder = new DiagramBuilder();
  for (const [name, method] of entries) builder.addMethod(name, method);
  for (const [name, method] of entries) builder.addLabels(name, method);
  builder.addStrangers(
    strangersIn(entries),
    entries.filter(([, method]) => isRouter(method) && labelsFrom(method) === undefined),
  );
  for (const [name, method] of entries) builder.addCondition(name, method);
  return { nodes: builder.nodes, links: linksOf(builder) };
}

function linksOf({ nodes, links }: DiagramBuilder): readonly DiagramLink[] {
  const starts = nodes.map((node) => ({
    id: node.id,
    isStart: node.kind === "method" && node.start === "always",
  }));
  return withBackLinks(starts, links);
}

const UNKNOWN = { isKnown: false, isByPerson: false, isDefault: false } as const;

type Link = Omit<DiagramLink, "isBack">;

class DiagramBuilder {
  readonly nodes: DiagramNode[] = [];
  readonly links: Link[] = [];
  readonly #methods = new Map<string, string>();
  /** Nodes of each label, one for each router. */
  readonly #labels = new Map<string, string[]>();

  addMethod(name: string, method: MethodDefinition): void {
    const condition = conditionOf(method);
    const join = condition === undefined ? undefined : joinOf(plain(condition));
    const id = this.#nextId();
    this.#methods.set(name, id);
    this.nodes.push({
      kind: "method",
      id,
      name,
      method,
      start: method.start === undefined ? "no" : method.start === true ? "always" : "by label",
      routes: isRouter(method),
      ...(join === undefined ? undefined : { join }),
    });
  }

  addLabels(router: string, method: MethodDefinition): void {
    const { defaultOutcome, emit } = method.humanFeedback ?? {};
    const silence = emit === undefined ? undefined : (defaultOutcome ?? emit[0]);
    for (const label of knownLabels(method)) {
      const isDefault = label === silence;
      const isByPerson = emit !== undefined;
      this.#addLabel({ label, router, isKnown: true, isByPerson, isDefault }, [router]);
    }
  }

  /** Adds labels with listeners that only routers without declared labels may return. */
  addStrangers(
    strangers: ReadonlySet<string>,
    silent: ReadonlyArray<readonly [string, MethodDefinition]>,
  ): void {
    const routers = silent.map(([name]) => name);
    for (const label of strangers) {
      const [only, ...others] = routers;
      const from = only === undefined || others.length > 0 ? undefined : { router: only };
      this.#addLabel({ label, ...from, ...UNKNOWN }, routers);
    }
    if (strangers.size > 0) return;
    for (const router of routers) this.#addLabel({ router, ...UNKNOWN }, [router]);
  }

  #addLabel(label: Omit<LabelNode, "kind" | "id">, routers: readonly string[]): void {
    const id = this.#nextId();
    this.nodes.push({ kind: "label", id, ...label });
    const name = label.label;
    if (name !== undefined) this.#labels.set(name, [...(this.#labels.get(name) ?? []), id]);
    for (const router of routers) {
      const from = this.#methods.get(router);
      if (from !== undefined)
        this.links.push({ from, to: id, kind: "gives", isKnown: label.isKnown });
    }
  }

  addCondition(name: string, method: MethodDefinition): void {
    const to = this.#methods.get(name);
    const condition = conditionOf(method);
    if (to === undefined || condition === undefined) return;
    this.#lead(plain(condition), to, method.listen === undefined);
  }

  /** Draws the links from a condition to `to`. `isStart`: only labels count. */
  #lead(condition: Condition, to: string, isStart: boolean): void {
    const isAnd = typeof condition === "object" && "and" in condition;
    const kind = isAnd ? "and" : "wakes";
    const linked = new Set<string>();
    for (const branch of branchesOf(condition)) {
      const sources =
        typeof branch === "string" ? this.#sources(branch, isStart) : [this.#gate(branch, isStart)];
      for (const from of sources) {
        if (linked.has(from)) continue;
        linked.add(from);
        this.links.push({ from, to, kind, isKnown: true });
      }
    }
  }

  #gate(condition: Condition, isStart: boolean): string {
    const id = this.#nextId();
    this.nodes.push({ kind: "gate", id, join: joinOf(condition) ?? "OR" });
    this.#lead(condition, id, isStart);
    return id;
  }

  #sources(name: string, isStart: boolean): string[] {
    const method = isStart ? undefined : this.#methods.get(name);
    const labels = this.#labels.get(name) ?? [];
    return method === undefined ? labels : [method, ...labels];
  }

  #nextId(): string {
    return `n${this.nodes.length}`;
  }
}

function branchesOf(condition: Condition): readonly Condition[] {
  if (typeof condition === "string") return [condition];
  return "and" in condition ? condition.and : condition.or;
}

/** Returns the same condition without redundant nodes: joins of one, and an `or` in an `or`. */
function plain(condition: Condition): Condition {
  if (typeof condition === "string") return condition;
  const isAnd = "and" in condition;
  const branches = branchesOf(condition)
    .map(plain)
    .flatMap((branch) => {
      if (typeof branch === "string" || "and" in branch !== isAnd) return [branch];
      return "or" in branch && branch.race === true ? [branch] : branchesOf(branch);
    });
  const unique = branches.filter(
    (branch, index) => typeof branch !== "string" || branches.indexOf(branch) === index,
  );
  const [only, ...others] = unique;
  if (only !== undefined && others.length === 0) return only;
  if (isAnd) return { and: unique };
  return condition.race === true ? { or: unique, race: true } : { or: unique };
}

function joinOf(condition: Condition): Join | undefined {
  if (typeof condition === "string" || namesIn(condition).size < 2) return undefined;
  if ("and" in condition) return "AND";
  return condition.race === true ? "RACE" : "OR";
}
