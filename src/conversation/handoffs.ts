// What makes an agent hand over, and to whom.
//
//   HOF1. Conditions are tried in their order: the first that is available and holds decides.
//   HOF2. An agent has at most one after-work without a condition, and it is the last. Those with conditions stand before it.
//   HOF3. Targets of hand-overs are members: others are refused before the conversation starts.
import { EngineError } from "../base/error.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";
import type { Compat } from "./compat.ts";
import { fillContextText } from "./context-variables.ts";
import { evaluateExpression, isTruthy, type MissingVariable } from "./evaluate-expression.ts";
import { parseExpression, type Expression } from "./expression.ts";
import { isVariableName } from "./expression-tokens.ts";
import { checkToolName, repairedName } from "./names.ts";
import { namedMembers, targetLabel, type TransitionTarget } from "./targets.ts";

/** A condition on the context variables: the truth of one (false where it is missing), or an expression over several. */
export type ContextCondition =
  | { readonly kind: "variable"; readonly name: string }
  | {
      readonly kind: "expression";
      readonly expression: Expression;
      /** @default as whoever evaluates it says */
      readonly missing?: MissingVariable;
    };

/** A hand-over that the agent's model decides on, by calling a tool. */
export type OnCondition = {
  readonly kind: "model";
  readonly target: TransitionTarget;
  /** When to hand over, in words; `{name}` placeholders are filled with context variables on each turn. */
  readonly prompt: string;
  readonly available?: ContextCondition;
  /** @default transfer_to_<target>_<number> */
  readonly toolName?: string;
};

/** A hand-over that the context variables decide on; without a condition they always do. */
export type OnContextCondition = {
  readonly kind: "context";
  readonly target: TransitionTarget;
  readonly condition?: ContextCondition;
  readonly available?: ContextCondition;
};

/** A condition as it is written: the name of a variable, an expression with `${}`, or either of them made before. */
export type ConditionText = string | ContextCondition;

/** Makes a condition. Throws `invalid_definition`, naming the column, for an expression that cannot be read. */
export function contextCondition(text: ConditionText, compat?: Compat): ContextCondition {
  if (typeof text !== "string") return text;
  if (isVariableName(text)) return { kind: "variable", name: text };
  return { kind: "expression", expression: parseExpression(text, compat) };
}

/** Hands over when the agent's model says so. */
export function onCondition(options: {
  readonly target: TransitionTarget;
  readonly condition: string;
  readonly available?: ConditionText;
  readonly toolName?: string;
}): OnCondition {
  const { target, condition, available, toolName } = options;
  if (typeof condition !== "string" || condition.trim() === "")
    throw invalidDefinition(`onCondition needs a condition in words, got ${preview(condition)}`);
  if (toolName !== undefined) checkToolName(toolName);
  return {
    kind: "model",
    target,
    prompt: condition,
    ...(available === undefined ? {} : { available: contextCondition(available) }),
    ...(toolName === undefined ? {} : { toolName }),
  };
}

/** Hands over when the context variables say so, without asking a model. */
export function onContextCondition(options: {
  readonly target: TransitionTarget;
  readonly condition?: ConditionText;
  readonly available?: ConditionText;
}): OnContextCondition {
  const { target, condition, available } = options;
  return {
    kind: "context",
    target,
    ...(condition === undefined ? {} : { condition: contextCondition(condition) }),
    ...(available === undefined ? {} : { available: contextCondition(available) }),
  };
}

type HandoffParts = Partial<Pick<Handoffs, "contextConditions" | "llmConditions" | "afterWorks">>;

/** The hand-overs of one agent. A value: each method returns another one. */
export class Handoffs {
  readonly contextConditions: readonly OnContextCondition[];
  readonly llmConditions: readonly OnCondition[];
  readonly afterWorks: readonly OnContextCondition[];

  constructor(parts: HandoffParts = {}) {
    this.contextConditions = parts.contextConditions ?? [];
    this.llmConditions = parts.llmConditions ?? [];
    this.afterWorks = inOrder(parts.afterWorks ?? []);
  }

  /** Adds conditions, each behind those of its kind. Throws `invalid_definition` for what is no condition. */
  add(...conditions: readonly (OnCondition | OnContextCondition)[]): Handoffs {
    for (const condition of conditions) checkCondition(condition);
    return this.#with({
      contextConditions: [
        ...this.contextConditions,
        ...conditions.filter((each) => each.kind === "context"),
      ],
      llmConditions: [...this.llmConditions, ...conditions.filter((each) => each.kind === "model")],
    });
  }

  /** Replaces all after-works by this target. */
  setAfterWork(target: TransitionTarget): Handoffs {
    return this.#with({ afterWorks: [onContextCondition({ target })] });
  }

  /** Adds after-works; one without a condition replaces the one that was there. Throws as `add`. */
  addAfterWork(...conditions: readonly OnContextCondition[]): Handoffs {
    for (const condition of conditions) {
      checkCondition(condition);
      if (condition.kind !== "context")
        throw invalidDefinition("an after-work depends on context variables, not on a model");
    }
    return this.#with({ afterWorks: [...this.afterWorks, ...conditions] });
  }

  #with(parts: HandoffParts): Handoffs {
    const { contextConditions, llmConditions, afterWorks } = this;
    return new Handoffs({ contextConditions, llmConditions, afterWorks, ...parts });
  }
}

/** The first hand-over that the context variables ask for before an agent speaks. */
export function contextHandoff(
  { contextConditions }: Handoffs,
  variables: JsonObject,
  missing?: MissingVariable,
): OnContextCondition | undefined {
  return contextConditions.find((each) => applies(each, variables, missing));
}

/** The after-work that decides who follows an agent, if any does. */
export function afterWork(
  { afterWorks }: Handoffs,
  variables: JsonObject,
  missing?: MissingVariable,
): OnContextCondition | undefined {
  return afterWorks.find((each) => applies(each, variables, missing));
}

/** A hand-over as a tool of the agent's model. */
export type OfferedHandoff = {
  readonly toolName: string;
  readonly prompt: string;
  readonly target: TransitionTarget;
};

/** The hand-overs that an agent's model may choose now. */
export function offeredHandoffs(
  { llmConditions }: Handoffs,
  variables: JsonObject,
  missing?: MissingVariable,
): readonly OfferedHandoff[] {
  return llmConditions.flatMap((condition, index) => {
    const { target, prompt, available } = condition;
    if (available !== undefined && !holds(available, variables, missing)) return [];
    const toolName = handoffToolName(condition, index);
    return [{ toolName, prompt: fillContextText(prompt, variables), target }];
  });
}

/** The name of the tool for the hand-over at this place of an agent's list. */
export function handoffToolName({ toolName, target }: OnCondition, index: number): string {
  const suffix = `_${index + 1}`;
  const name = repairedName(`transfer_to_${targetLabel(target)}`);
  return toolName ?? `${name.slice(0, 64 - suffix.length)}${suffix}`;
}

/** Whether a condition holds. Throws `invalid_input` for an expression with a missing variable, unless that counts as false. */
export function holds(
  condition: ContextCondition,
  variables: JsonObject,
  missing?: MissingVariable,
): boolean {
  if (condition.kind === "variable")
    return Object.hasOwn(variables, condition.name) && isTruthy(variables[condition.name] ?? null);
  return isTruthy(
    evaluateExpression(condition.expression, variables, condition.missing ?? missing),
  );
}

/** Throws `invalid_definition` for a hand-over of `owner` to somebody who is no member. */
export function checkHandoffs(owner: string, handoffs: Handoffs, members: readonly string[]): void {
  const { contextConditions, llmConditions, afterWorks } = handoffs;
  const known = new Set(members);
  for (const { target } of [...contextConditions, ...llmConditions, ...afterWorks])
    for (const name of namedMembers(target))
      if (!known.has(name))
        throw new EngineError(
          "invalid_definition",
          `"${owner}" hands over to "${name}", who is no member; members: ${members.join(", ")}`,
        );
}

function applies(
  { condition, available }: OnContextCondition,
  variables: JsonObject,
  missing?: MissingVariable,
): boolean {
  if (available !== undefined && !holds(available, variables, missing)) return false;
  return condition === undefined || holds(condition, variables, missing);
}

/** Those with conditions first, then the last one without. */
function inOrder(afterWorks: readonly OnContextCondition[]): readonly OnContextCondition[] {
  const last = afterWorks.findLast(({ condition }) => condition === undefined);
  const conditional = afterWorks.filter(({ condition }) => condition !== undefined);
  return last === undefined ? conditional : [...conditional, last];
}

function checkCondition(condition: unknown): void {
  const kind = isJsonObject(condition) ? condition["kind"] : undefined;
  if (kind !== "model" && kind !== "context")
    throw invalidDefinition(
      `a hand-over is made by onCondition or onContextCondition, got ${preview(condition)}`,
    );
}
