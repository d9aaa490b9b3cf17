// Expressions of a program that may be the cause of a difference.
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/base/json.ts";
import type { Difference, Outcome } from "./program.ts";
import { STATE } from "./state.ts";
import { Tree } from "./tree.ts";

export type Written = {
  readonly tree: Tree;
  /** Stands among other words, so its value becomes text. */
  readonly isInText: boolean;
  /** Is evaluated for some items at most: the step before it may leave it out. */
  readonly isGuarded: boolean;
};

const OUTPUTS = { first: "first" } as const;

/**
 * The expressions that a difference can come from: those of the fields whose values differ, or all of a program where one side
 * failed.
 */
export function expressionsOf({ program, aspect, ours, theirs }: Difference): readonly Written[] {
  const methods = program.flow["methods"] as JsonObject;
  const [gave, wanted] = aspect === "value" ? [valueOf(ours), valueOf(theirs)] : [];
  switch (program.kind) {
    case "expression":
    case "form":
      return Object.values(methods).flatMap((method) => ofAction(at(method, "do")));
    case "template":
      return ofTemplate(at(methods["second"], "do", "with"), gave, wanted);
    case "router":
      return ofAction(at(methods["choose"], "do"));
    case "tool":
      return [
        ...ofTemplate(at(methods["second"], "do", "with"), undefined, undefined),
        ...ofAction(at(methods["third"], "do")),
      ];
    case "each":
      return ofEach(at(methods["first"], "do") as JsonObject);
    default:
      return [];
  }
}

/** Expressions of the parts of a template whose values differ; undefined values differ everywhere. */
function ofTemplate(
  data: JsonValue,
  ours: JsonValue | undefined,
  theirs: JsonValue | undefined,
): readonly Written[] {
  if (ours !== undefined && theirs !== undefined && isDeepStrictEqual(ours, theirs)) return [];
  if (typeof data === "string") return ofText(data);
  if (typeof data !== "object" || data === null) return [];
  return Object.entries(data).flatMap(([key, item]: [string, JsonValue]) =>
    ofTemplate(item, inside(ours, key), inside(theirs, key)),
  );
}

function ofText(text: string): readonly Written[] {
  const found: Written[] = [];
  for (let from = text.indexOf("${"); from >= 0; from = text.indexOf("${", from + 2)) {
    const inner = expressionFrom(text.slice(from + 2));
    if (inner === undefined) continue;
    found.push({ ...written(inner), isInText: text.trim() !== `\${${inner}}` });
  }
  return found;
}

/** The shortest beginning of a text that a brace ends and that can be read. */
function expressionFrom(text: string): string | undefined {
  for (let end = text.indexOf("}"); end >= 0; end = text.indexOf("}", end + 1))
    if (treeOf(text.slice(0, end)).root !== undefined) return text.slice(0, end);
  return undefined;
}

function ofAction(action: JsonValue): readonly Written[] {
  if (!isJsonObject(action)) return [];
  if (typeof action["expr"] === "string") return [written(action["expr"])];
  return ofTemplate(action["with"] ?? null, undefined, undefined);
}

function ofEach({ in: list, do: steps }: JsonObject): readonly Written[] {
  const range = (list as string).replace(/^\$\{(.*)\}$/s, "$1");
  const bound = (each: Written, isGuarded: boolean): Written => {
    const text = each.tree.root?.text ?? "";
    return { ...each, isGuarded, tree: treeOf(text, [{ name: "item", range }]) };
  };
  return [
    written(range),
    ...(steps as readonly JsonObject[]).flatMap((step) => {
      const guard = step["if"];
      const guards = typeof guard === "string" ? [bound(written(guard), false)] : [];
      const actions = ofAction(step["action"] ?? null);
      return [...guards, ...actions.map((each) => bound(each, guard !== undefined))];
    }),
  ];
}

function written(text: string): Written {
  const inner = /^\s*\$\{(.*)\}\s*$/s.exec(text)?.[1] ?? text;
  return { tree: treeOf(inner), isInText: false, isGuarded: false };
}

function treeOf(text: string, bindings?: ConstructorParameters<typeof Tree>[2]): Tree {
  return new Tree(text, { state: { ...STATE, id: "id" }, outputs: OUTPUTS }, bindings);
}

function valueOf(outcome: Outcome): JsonValue | undefined {
  return outcome.status === "completed" ? outcome.value : undefined;
}

function inside(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as JsonObject)[key];
}

function at(value: JsonValue | undefined, ...path: readonly string[]): JsonValue {
  return path.reduce<JsonValue>((inner, key) => inside(inner, key) ?? null, value ?? null);
}
