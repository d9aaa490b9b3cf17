// Makes the hand-overs and guardrails of a definition.
import { TARGET_WORDS } from "./definition.ts";
import type {
  ConversationAgentDefinition,
  ConversationForm,
  GuardrailDefinition,
  HandoffDefinition,
  TargetDefinition,
} from "./definition-schema.ts";
import {
  modelGuardrail,
  regexGuardrail,
  type ConversationGuardrail,
} from "../safeguards/guardrails.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import { NamedConversation } from "../named-conversation.ts";
import {
  contextCondition,
  Handoffs,
  onCondition,
  onContextCondition,
  type OnCondition,
  type ContextCondition,
  type OnContextCondition,
} from "../targets/handoffs.ts";
import {
  agentTarget,
  askUserTarget,
  groupChatTarget,
  groupManagerTarget,
  nestedChatTarget,
  randomAgentTarget,
  revertToUserTarget,
  stayTarget,
  terminateTarget,
  type TransitionTarget,
} from "../targets/targets.ts";

/** Settings for the expressions of a definition. */
export type ConditionRules = Pick<ConversationForm, "compat" | "missingVariables">;

/** Makes an agent's hand-overs from a checked definition. */
export function handoffsFrom(
  { handoffs = [], afterWork }: ConversationAgentDefinition,
  rules: ConditionRules = {},
): Handoffs {
  const own = new Handoffs().add(...handoffs.map((each) => conditionFrom(each, rules)));
  if (afterWork === undefined) return own;
  return Array.isArray(afterWork)
    ? own.addAfterWork(...afterWork.map((each) => byContext(each, rules)))
    : own.setAfterWork(targetFrom(afterWork));
}

/** Makes an agent's guardrails from a checked definition. */
export function guardrailsFrom(
  definitions: readonly GuardrailDefinition[] = [],
): readonly ConversationGuardrail[] {
  return definitions.map(({ name, regex, prompt = "", llm, messages, to, activationMessage }) => {
    const rest = {
      name,
      target: targetFrom(to),
      ...(messages === undefined ? {} : { messages }),
      ...(activationMessage === undefined ? {} : { activationMessage }),
    };
    return regex === undefined
      ? modelGuardrail({
          ...rest,
          condition: prompt,
          // The form of the settings is checked; the model itself is checked when it is resolved.
          ...(llm === undefined ? {} : { llm: llm as ModelSpec }),
        })
      : regexGuardrail({ ...rest, condition: regex });
  });
}

/** Makes the target of a definition. A target conversation is looked up when a run starts. */
export function targetFrom(target: TargetDefinition): TransitionTarget {
  if (typeof target === "string") return isWord(target) ? WORDS[target]() : agentTarget(target);
  const { random, manager, nested, conversation = "", maxRounds } = target;
  if (random !== undefined) return randomAgentTarget(random);
  if (manager !== undefined) return groupManagerTarget(manager);
  if (nested !== undefined) return nestedChatTarget(nested.map((chat) => defined(chat)));
  const inner = new NamedConversation(conversation);
  return groupChatTarget(inner, maxRounds === undefined ? {} : { maxRounds });
}

type Word = (typeof TARGET_WORDS)[number];

const WORDS: Readonly<Record<Word, () => TransitionTarget>> = {
  stay: stayTarget,
  terminate: terminateTarget,
  revert_to_user: revertToUserTarget,
  ask_user: askUserTarget,
  manager: () => groupManagerTarget(),
};

function isWord(target: string): target is Word {
  return (TARGET_WORDS as readonly string[]).includes(target);
}

function conditionFrom(
  definition: HandoffDefinition,
  rules: ConditionRules,
): OnCondition | OnContextCondition {
  const { to, prompt, available, toolName } = definition;
  if (prompt === undefined) return byContext(definition, rules);
  return onCondition({
    target: targetFrom(to),
    condition: prompt,
    ...(available === undefined ? {} : { available: conditionOf(available, rules) }),
    ...(toolName === undefined ? {} : { toolName }),
  });
}

function byContext(
  { to, when, available }: Pick<HandoffDefinition, "to" | "when" | "available">,
  rules: ConditionRules,
): OnContextCondition {
  return onContextCondition({
    target: targetFrom(to),
    ...(when === undefined ? {} : { condition: conditionOf(when, rules) }),
    ...(available === undefined ? {} : { available: conditionOf(available, rules) }),
  });
}

function conditionOf(text: string, { compat, missingVariables }: ConditionRules): ContextCondition {
  const condition = contextCondition(text, compat);
  return condition.kind === "variable" || missingVariables === undefined
    ? condition
    : { ...condition, missing: missingVariables };
}

type Nested = NonNullable<Exclude<TargetDefinition, string>["nested"]>[number];
type DefinedFields<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

function defined(chat: Nested): DefinedFields<Nested> {
  return Object.fromEntries(
    Object.entries(chat).filter(([, value]) => value !== undefined),
  ) as DefinedFields<Nested>;
}
