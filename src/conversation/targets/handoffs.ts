// Hand-overs of an agent: their conditions and targets.
//
//   HOF1. Conditions are tried in order: the first one that is available and true decides.
//   HOF2. An agent has at most one after-work without a condition, and it is the last. After-works with conditions
//         stand before it.
//   HOF3. Targets of hand-overs are members. Other agents are refused before the conversation starts.
//   HOF4. An agent's hand-overs change in place. A conversation uses those of its start.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { isJsonObject, preview, type JsonObject } from "../../base/json.ts";
import type { Compat } from "../compat.ts";
import { fillContextText } from "../context-variables.ts";
import {
  evaluateExpression,
  isTruthy,
  type MissingVariable,
} from "../expression/evaluate-expression.ts";
import { parseExpression, type Expression } from "../expression/expression.ts";
import { isVariableName } from "../expression/expression-tokens.ts";
import { checkToolName, repairedName } from "../names.ts";
import { checkTarget, namedMembers, targetLabel, type TransitionTarget } from "./targets.ts";

/** A condition on the context variables: the truth of one (false if it is missing), or an expression over several. */
export type ContextCondition =
  | { readonly kind: "variable"; readonly name: string }
  | {
      readonly kind: "expression";
      readonly expression: Expression;
      /** @default the evaluator's setting */
      readonly missing?: MissingVariable;
    };

/** A hand-over that the agent's model chooses by calling a tool. */
export type OnCondition = {
  readonly kind: "model";
  readonly target: TransitionTarget;
  /** Condition in words; `{name}` placeholders are filled with context variables in each turn. */
  readonly prompt: string;
  readonly available?: ContextCondition;
  /** @default transfer_to_<target>_<number> */
  readonly toolName?: string;
};

/** A hand-over on a condition over the context variables; without a condition it always applies. */
export type OnContextCondition = {
  readonly kind: "context";
  readonly target: TransitionTarget;
  readonly condition?: ContextCondition;
  readonly available?: ContextCondition;
};

/** A condition as written: the name of a variable, an expression with `${}`, or a `ContextCondition`. */
export type ConditionText = string | ContextCondition;

/** Makes a condition. Throws `invalid_definition`, naming the column, for an invalid expression. */
export function contextCondition(text: ConditionText, compat?: Compat): ContextCondition {
  if (typeof text !== "string") return text;
  if (isVariableName(text)) return { kind: "variable", name: text };
  return { kind: "expression", expression: parseExpression(text, compat) };
}

type ConditionOptions = {
  readonly target: TransitionTarget;
  readonly condition: string;
  readonly available?: ConditionText;
  readonly toolName?: string;
};

const ON_CONDITION = definitionOptions<ConditionOptions>(
  "onCondition()",
  { target: true, condition: true, available: true, toolName: true },
  { llmFunctionName: "write toolName" },
);

/** Hands over when the agent's model chooses it. */
export function onCondition(options: ConditionOptions): OnCondition {
  refuseUnknownOptions(options, ON_CONDITION);
  const { target, condition, available, toolName } = options;
  checkTarget(target);
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

type ContextConditionOptions = {
  readonly target: TransitionTarget;
  readonly condition?: ConditionText;
  readonly available?: ConditionText;
};

const ON_CONTEXT_CONDITION = definitionOptions<ContextConditionOptions>("onContextCondition()", {
  target: true,
  condition: true,
  available: true,
});

/** Hands over on a condition over the context variables, without asking a model. */
export function onContextCondition(options: ContextConditionOptions): OnContextCondition {
  refuseUnknownOptions(options, ON_CONTEXT_CONDITION);
  const { target, condition, available } = options;
  checkTarget(target);
  return {
    kind: "context",
    target,
    ...(condition === undefined ? {} : { condition: contextCondition(condition) }),
    ...(available === undefined ? {} : { available: contextCondition(available) }),
  };
}

/**
 * Hand-overs of one agent, in the order of their evaluation. `agent.handoffs` can be changed in place until a
 * conversation begins.
 */
export class Handoffs {
  #contextConditions: readonly OnContextCondition[] = [];
  #llmConditions: readonly OnCondition[] = [];
  #afterWorks: readonly OnContextCondition[] = [];

  get contextConditions(): readonly OnContextCondition[] {
    return this.#contextConditions;
  }

  get llmConditions(): readonly OnCondition[] {
    return this.#llmConditions;
  }

  get afterWorks(): readonly OnContextCondition[] {
    return this.#afterWorks;
  }

  /** Adds conditions, each after the others of its kind. Throws `invalid_definition` for an invalid condition. */
  add(...conditions: readonly (OnCondition | OnContextCondition)[]): this {
    for (const condition of conditions) checkCondition(condition);
    const byContext = conditions.filter((each) => each.kind === "context");
    const byModel = conditions.filter((each) => each.kind === "model");
    this.#contextConditions = [...this.#contextConditions, ...byContext];
    this.#llmConditions = [...this.#llmConditions, ...byModel];
    return this;
  }

  /** Replaces all after-works by this target. */
  setAfterWork(target: TransitionTarget): this {
    this.#afterWorks = [onContextCondition({ target })];
    return this;
  }

  /** Adds after-works. One without a condition replaces the earlier one. Throws as `add`. */
  addAfterWork(...conditions: readonly OnContextCondition[]): this {
    for (const condition of conditions) {
      checkCondition(condition);
      if (condition.kind !== "context")
        throw invalidDefinition("an after-work depends on context variables, not on a model");
    }
    this.#afterWorks = inOrder([...this.#afterWorks, ...conditions]);
    return this;
  }

  /** Returns an independent copy of the hand-overs. */
  copy(): Handoffs {
    return new Handoffs()
      .add(...this.#contextConditions, ...this.#llmConditions)
      .addAfterWork(...this.#afterWorks);
  }
}

/** Returns the first hand-over before an agent's turn whose condition over the context variables holds. */
export function contextHandoff(
  { contextConditions }: Handoffs,
  variables: JsonObject,
  missing?: MissingVariable,
): OnContextCondition | undefined {
  return contextConditions.find((each) => applies(each, variables, missing));
}

/** Returns the after-work that decides the next speaker, or undefined. */
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

/** Returns the hand-overs available to an agent's model now. */
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

/** Returns the tool name of the hand-over at this index of an agent's list. */
export function handoffToolName({ toolName, target }: OnCondition, index: number): string {
  const suffix = `_${index + 1}`;
  const name = repairedName(`transfer_to_${targetLabel(target)}`);
  return toolName ?? `${name.slice(0, 64 - suffix.length)}${suffix}`;
}

/**
 * True if a condition holds. Throws `invalid_input` for an expression with a missing variable, unless missing variables
 * count as false.
 */
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

/** Throws `invalid_definition` for a hand-over of `owner` to an agent outside of the members. */
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

/** Returns the ones with conditions first, then the last one without. */
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
