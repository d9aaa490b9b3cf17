// Structure of a flow as data: the links between its methods. It contains no more than the definition.
import { namesIn, type Condition } from "../condition.ts";
import {
  isRouter,
  labelsFrom,
  type FlowDefinition,
  type MethodDefinition,
} from "../flow-definition.ts";
import { countPaths } from "./execution-paths.ts";

export type FlowStructure = {
  readonly name: string;
  readonly description?: string;
  readonly nodes: Readonly<Record<string, StructureNode>>;
  readonly edges: readonly StructureEdge[];
  readonly startMethods: readonly string[];
  readonly routerMethods: readonly string[];
  /** Paths from a start to a method without successors, cycles excluded; counted up to a million. */
  readonly executionPaths: number;
  /** Facts the picture cannot know, such as undeclared labels. */
  readonly warnings: readonly string[];
};

export type StructureNode = {
  readonly type: "start" | "router" | "listen";
  /** Flow of the method. */
  readonly className: string;
  readonly description?: string;
  readonly isRouter?: true;
  /** Possible labels, if declared. */
  readonly routerEvents?: readonly string[];
  /** Kind of the method's condition; `IF` for a router without a condition. */
  readonly conditionType?: "AND" | "OR" | "IF";
  readonly triggerConditionType?: "AND" | "OR";
  /** All names in its condition. */
  readonly triggerMethods?: readonly string[];
  /** Condition with more than one name. */
  readonly triggerCondition?: Condition;
  /** Question to a person about the method's result. */
  readonly humanFeedback?: { readonly message: string; readonly emit?: readonly string[] };
};

export type StructureEdge = {
  readonly source: string;
  readonly target: string;
  /** Null for an edge of a router's label. */
  readonly conditionType: "AND" | "OR" | null;
  readonly isRouterEvent: boolean;
  readonly routerEvent?: string;
};

type Methods = ReadonlyArray<readonly [string, MethodDefinition]>;

/** The structure of a flow. */
export function flowStructure(definition: FlowDefinition): FlowStructure {
  const { name, description } = definition;
  const methods: Methods = Object.entries(definition.methods);
  const edges = [...methodEdges(methods), ...labelEdges(methods)];
  const startMethods = methods.filter(([, { start }]) => start !== undefined).map(nameOf);
  return {
    name,
    ...(description === undefined ? undefined : { description }),
    nodes: Object.fromEntries(methods.map(([key, method]) => [key, nodeOf(name, method)])),
    edges,
    startMethods,
    routerMethods: methods.filter(([, method]) => isRouter(method)).map(nameOf),
    executionPaths: countPaths({ nodes: methods.map(nameOf), edges, starts: startMethods }),
    warnings: warningsOf(methods),
  };
}

function nodeOf(className: string, method: MethodDefinition): StructureNode {
  const { description, humanFeedback } = method;
  const condition = conditionOf(method);
  const routes = isRouter(method);
  const labels = routes ? labelsFrom(method) : undefined;
  const waitsFor = condition === undefined ? undefined : typeOf(condition);
  const conditionType = waitsFor ?? (routes ? "IF" : undefined);
  return {
    type: routes ? "router" : method.start === undefined ? "listen" : "start",
    className,
    ...(description === undefined ? undefined : { description }),
    ...(routes ? { isRouter: true } : undefined),
    ...(labels === undefined ? undefined : { routerEvents: [...new Set(labels)] }),
    ...(conditionType === undefined ? undefined : { conditionType }),
    ...(waitsFor === undefined ? undefined : { triggerConditionType: waitsFor }),
    ...(condition === undefined ? undefined : { triggerMethods: [...namesIn(condition)] }),
    ...(typeof condition === "object" ? { triggerCondition: condition } : undefined),
    ...(humanFeedback === undefined ? undefined : { humanFeedback: questionOf(humanFeedback) }),
  };
}

function questionOf({
  message,
  emit,
}: NonNullable<MethodDefinition["humanFeedback"]>): NonNullable<StructureNode["humanFeedback"]> {
  return emit === undefined ? { message } : { message, emit };
}

/** Returns the condition of a method: its `listen`, or the labels of a start. */
export function conditionOf({ start, listen }: MethodDefinition): Condition | undefined {
  const labels = start === true ? undefined : start;
  if (listen === undefined || labels === undefined) return listen ?? labels;
  return { or: [labels, listen] };
}

function typeOf(condition: Condition): "AND" | "OR" {
  return typeof condition === "object" && "and" in condition ? "AND" : "OR";
}

/** Returns edges between methods. Only labels trigger a start, so it has none. */
function methodEdges(methods: Methods): StructureEdge[] {
  const known = new Set(methods.map(nameOf));
  return methods.flatMap(([target, { listen }]) =>
    (listen === undefined ? [] : sourcesOf(listen))
      .filter(({ source }) => known.has(source))
      .map(({ source, conditionType }) => ({
        source,
        target,
        conditionType,
        isRouterEvent: false,
      })),
  );
}

type Source = { readonly source: string; readonly conditionType: "AND" | "OR" };

/** Branches of an `or` count as separate sources; all names in an `and` belong together. */
function sourcesOf(condition: Condition): Source[] {
  const found = new Map<string, Source>();
  const add = (names: Iterable<string>, conditionType: Source["conditionType"]): void => {
    for (const source of names) found.set(`${conditionType} ${source}`, { source, conditionType });
  };
  const collect = (each: Condition): void => {
    if (typeof each === "string") add([each], "OR");
    else if ("and" in each) add(namesIn(each), "AND");
    else for (const branch of each.or) collect(branch);
  };
  collect(condition);
  return [...found.values()];
}

function labelEdges(methods: Methods): StructureEdge[] {
  return methods.flatMap(([source, router]) =>
    knownLabels(router).flatMap((label) =>
      methods
        .filter(([target, method]) => target !== source && wakesAlone(label, method))
        .map(([target]) => ({
          source,
          target,
          conditionType: null,
          isRouterEvent: true,
          routerEvent: label,
        })),
    ),
  );
}

/** Returns whether a label wakes a method on its own. */
function wakesAlone(label: string, method: MethodDefinition): boolean {
  const condition = conditionOf(method);
  return (
    condition !== undefined &&
    sourcesOf(condition).some(
      ({ source, conditionType }) => source === label && conditionType === "OR",
    )
  );
}

/** Returns the declared labels of a router, each once; none for other methods. */
export function knownLabels(method: MethodDefinition): readonly string[] {
  return isRouter(method) ? [...new Set(labelsFrom(method))] : [];
}

/** Returns awaited names that are neither a method nor a declared label of a router. */
export function strangersIn(methods: Methods): ReadonlySet<string> {
  const known = new Set(methods.flatMap(([name, method]) => [name, ...knownLabels(method)]));
  const awaited = methods.flatMap(([, method]) => {
    const condition = conditionOf(method);
    return condition === undefined ? [] : [...namesIn(condition)];
  });
  return new Set(awaited.filter((each) => !known.has(each)));
}

function warningsOf(methods: Methods): string[] {
  const strangers = strangersIn(methods);
  const silent = methods.filter(
    ([, method]) => isRouter(method) && labelsFrom(method) === undefined,
  );
  return [
    ...silent.map(
      ([name]) => `router ${name} does not say which labels it can give: emit would name them`,
    ),
    ...methods.flatMap(([name, method]) => {
      const condition = conditionOf(method);
      return [...(condition === undefined ? [] : namesIn(condition))]
        .filter((each) => strangers.has(each))
        .map((each) => `method ${name} waits for "${each}", which is no method and no label known`);
    }),
  ];
}

function nameOf([name]: readonly [string, unknown]): string {
  return name;
}
