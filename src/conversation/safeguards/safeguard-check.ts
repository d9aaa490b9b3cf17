// A safeguard policy applied to values at a boundary.
//
//   SFC1. The first matching rule that is broken acts. Messages match case-sensitively, other values in any case.
//   SFC2. The checked value is the one in use: a masked or blocked text replaces the original everywhere.
//   SFC3. A value that cannot be masked is blocked. A blocked text has a note, or the rule's own message, without the
//         reason: the reason is in the event.
//   SFC4. All texts of a message are checked one by one: its content, the arguments of its calls in the form that their
//         tool receives, and its results.
import { sanitizeToolName } from "../../wire/tool-name.ts";
import type { Judgement } from "./guardrails.ts";
import { blockText } from "./blocked.ts";
import type { PassingForm } from "./passing.ts";
import { isModel, type SafeguardPolicy, type SafeguardRule } from "./safeguard-policy.ts";
import { replacedMatches, textPattern } from "./text-pattern.ts";

/** A value at a boundary, with its sender and receiver. */
export type SafeguardSubject =
  | { readonly kind: "message"; readonly from: string; readonly to: string }
  /** To a whole group. */
  | { readonly kind: "groupMessage"; readonly from: string }
  /** A call may involve several agents: the calling one and the executing one. */
  | { readonly kind: "toolInput"; readonly agents: readonly string[]; readonly tool: string }
  | { readonly kind: "toolOutput"; readonly agents: readonly string[]; readonly tool: string }
  | { readonly kind: "llmInput"; readonly agent: string }
  | { readonly kind: "llmOutput"; readonly agent: string }
  | { readonly kind: "userInput"; readonly agent: string };

/** Models of a policy. `rule` is the index of the rule among those of its kind. */
export type SafeguardModels = {
  readonly judge: (condition: string, text: string, rule: number) => Promise<Judgement>;
  /** Rewrites a text until the condition no longer holds. */
  readonly mask?: (condition: string, text: string) => Promise<string>;
};

/** A broken rule. */
export type SafeguardViolation = {
  readonly rule: SafeguardRule;
  readonly reason: string;
  /** First characters of the violating text, for events; of the last text, if a model judged. */
  readonly contentPreview: string;
};

/** Result of a check: the value to pass on, or the replacement text for a blocked value. */
export type CheckedPassing<Value> = {
  readonly value: Value;
  readonly violation?: SafeguardViolation;
  readonly blocked?: string;
};

/** Checks a value at a boundary. */
export async function safeguarded<Value>(
  policy: SafeguardPolicy,
  subject: SafeguardSubject,
  {
    value,
    form,
    models,
  }: {
    readonly value: Value;
    readonly form: PassingForm<Value>;
    readonly models: SafeguardModels;
  },
): Promise<CheckedPassing<Value>> {
  const ignoreCase = subject.kind !== "message" && subject.kind !== "groupMessage";
  const texts = form.texts(value);
  if (texts.length === 0) return { value };
  for (const [index, rule] of rulesOf(policy, subject).entries()) {
    if (!concerns(rule, subject)) continue;
    const broken = await brokenBy(texts, rule, { models, index, ignoreCase });
    if (broken === undefined) continue;
    const { reason, text } = broken;
    const contentPreview = text.slice(0, 100).toWellFormed();
    const violation = { rule, reason, contentPreview };
    const blocked = blockText(rule.activationMessage ?? "the content is not allowed");
    if (rule.action === "warning") return { value, violation };
    if (rule.action === "block") return { value, violation, blocked };
    const masked = await maskedValue(value, form, { rule, models });
    return masked === undefined ? { value, violation, blocked } : { value: masked, violation };
  }
  return { value };
}

type Checking = {
  readonly models: SafeguardModels;
  readonly index: number;
  readonly ignoreCase: boolean;
};

/** Returns the reason for a violation, and the violating text; undefined without a violation. */
async function brokenBy(
  texts: readonly string[],
  { check }: SafeguardRule,
  { models, index, ignoreCase }: Checking,
): Promise<{ readonly reason: string; readonly text: string } | undefined> {
  if (check.kind === "regex") {
    const pattern = textPattern(check.pattern, { ignoreCase });
    const text = texts.find((each) => pattern.test(each));
    return text === undefined
      ? undefined
      : { reason: `the content matches ${check.pattern}`, text };
  }
  const whole = texts.join("\n\n");
  const { activated, justification } = await models.judge(conditionOf(check), whole, index);
  return activated ? { reason: justification, text: texts.at(-1) ?? "" } : undefined;
}

/** Returns the value with the violating texts replaced; undefined if masking is impossible. */
async function maskedValue<Value>(
  value: Value,
  form: PassingForm<Value>,
  { rule: { check }, models: { mask } }: { rule: SafeguardRule; models: SafeguardModels },
): Promise<Value | undefined> {
  if (check.kind === "regex") {
    const pattern = textPattern(check.pattern, { ignoreCase: true });
    if (form.texts(value).every((text) => pattern.spans(text).length === 0)) return undefined;
    return form.changed(value, async (text) => replacedMatches(pattern, text, MASK));
  }
  if (mask === undefined) return undefined;
  const known = new Map<string, Promise<string>>();
  return form.changed(value, (text) => {
    const masked = known.get(text) ?? mask(conditionOf(check), text);
    known.set(text, masked);
    return masked;
  });
}

/** Replacement of a masked text. */
export const MASK = "[SENSITIVE_INFO]";

function conditionOf({
  customPrompt,
  disallowItems,
}: Extract<SafeguardRule["check"], { kind: "llm" }>): string {
  const items = disallowItems.map((item) => `- ${item}`).join("\n");
  return customPrompt ?? `The text contains, names or reveals any of these:\n${items}`;
}

function rulesOf(policy: SafeguardPolicy, { kind }: SafeguardSubject): readonly SafeguardRule[] {
  switch (kind) {
    case "message":
      return policy.agentTransitions;
    case "groupMessage":
      return policy.groupMessages === undefined ? [] : [policy.groupMessages];
    case "toolInput":
    case "toolOutput":
      return policy.toolInteraction;
    case "llmInput":
    case "llmOutput":
      return policy.llmInteraction;
    default:
      return policy.userInteraction;
  }
}

function concerns({ source, destination }: SafeguardRule, subject: SafeguardSubject): boolean {
  switch (subject.kind) {
    case "message":
      return isSide(source, [subject.from]) && isSide(destination, [subject.to]);
    case "groupMessage":
      return true;
    case "toolInput":
      return isSide(source, subject.agents) && isTool(destination, subject.tool);
    case "toolOutput":
      return isTool(source, subject.tool) && isSide(destination, subject.agents);
    case "llmInput":
      return source === subject.agent && isModel(destination);
    case "llmOutput":
      return isModel(source) && destination === subject.agent;
    default:
      return source === "user" && destination === subject.agent;
  }
}

function isSide(name: string, actual: readonly string[]): boolean {
  return name === "*" || actual.includes(name);
}

/** Compares the name of a tool in any spelling. */
function isTool(name: string, actual: string): boolean {
  return isSide(name, [actual]) || sanitizeToolName(name) === sanitizeToolName(actual);
}
