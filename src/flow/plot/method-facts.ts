// These texts describe a method in tooltips, in lists and for screen readers.
import { namesIn, type Condition } from "../condition.ts";
import type { FlowDefinition } from "../flow-definition.ts";
import type { Join, LabelNode, MethodNode } from "./diagram.ts";
import { conditionOf, flowStructure, knownLabels } from "./flow-structure.ts";
import type { describeProgress, MethodProgress } from "./run-progress.ts";

export type Kind = "start" | "human" | "router" | "listener";

/** Returns the main kind of a method. */
export function kindOf({ start, routes, method }: MethodNode): Kind {
  if (method.humanFeedback !== undefined) return "human";
  if (start !== "no") return "start";
  return routes ? "router" : "listener";
}

export const JOIN_MEANS: Readonly<Record<Join, string>> = {
  AND: "waits for all of these",
  OR: "any of these wakes it, once",
  RACE: "the first of these counts, the others are dropped",
};

/** Describes the size of a flow. */
export function countsOf(definition: FlowDefinition): string {
  const { nodes, edges, executionPaths } = flowStructure(definition);
  return [
    amountOf(Object.keys(nodes).length, "method"),
    amountOf(edges.length, "edge"),
    amountOf(executionPaths, "execution path"),
  ].join(" · ");
}

function amountOf(amount: number, what: string): string {
  return `${amount} ${what}${amount === 1 ? "" : "s"}`;
}

export function firstLine(text = ""): string {
  return text.trim().split("\n", 1)[0]?.trim() ?? "";
}

/** The line below the name; may be empty. */
export function subtitleOf({ method, start, routes }: MethodNode): string {
  const { humanFeedback, description } = method;
  if (humanFeedback !== undefined) return `“${firstLine(humanFeedback.message)}”`;
  if (firstLine(description) !== "") return firstLine(description);
  if (start === "by label") return "starts on a label";
  if (start === "always") return routes ? "start and router" : "start";
  return routes ? "router" : "";
}

export function factsOf({ name, method, start, routes }: MethodNode): string[] {
  const { description, humanFeedback } = method;
  const condition = conditionOf(method);
  const labels = knownLabels(method);
  return [
    name,
    ...(start === "always" ? ["starts the flow"] : []),
    ...(start === "by label" ? ["a start that waits for a label"] : []),
    ...(firstLine(description) === "" ? [] : [firstLine(description)]),
    ...(condition === undefined ? [] : [`after ${inWords(condition)}`]),
    ...(humanFeedback === undefined ? [] : [`asks a person: ${humanFeedback.message}`]),
    ...(labels.length > 0 ? [`gives ${labels.join(" or ")}`] : []),
    ...(routes && labels.length === 0 ? ["gives labels that it does not name"] : []),
  ];
}

/** Returns facts about a method in a run. */
export function runFacts(
  { text, time }: ReturnType<typeof describeProgress>,
  { waits, error }: MethodProgress,
): string[] {
  const prompts = Object.values(waits).flatMap(({ prompt }) =>
    prompt === "" ? [] : [`waits: ${prompt}`],
  );
  return [
    `in this run: ${text}${time === "" ? "" : `, ${time}`}`,
    ...prompts,
    ...(error === null ? [] : [`error: ${error}`]),
  ];
}

export function labelFacts(
  { label, router, isKnown, isDefault }: LabelNode,
  { hasListener, times }: { readonly hasListener: boolean; readonly times: number },
): string[] {
  const giver = router ?? "a router";
  return [
    label === undefined
      ? `whatever label ${giver} gives`
      : `label ${label}${isKnown ? ` of ${giver}` : ", not named by emit"}`,
    ...(isDefault ? ["label without an answer"] : []),
    ...(hasListener ? [] : ["no listener"]),
    ...(times > 0 ? [`given ${times} ${times === 1 ? "time" : "times"}`] : []),
  ];
}

/** A condition as a person would say it. */
export function inWords(condition: Condition, isInner = false): string {
  if (typeof condition === "string") return condition;
  const isAnd = "and" in condition;
  const branches = isAnd ? condition.and : condition.or;
  const race = !isAnd && condition.race === true ? "the first of " : "";
  const text =
    race + branches.map((branch) => inWords(branch, true)).join(isAnd ? " and " : " or ");
  return isInner && namesIn(condition).size > 1 ? `(${text})` : text;
}
