// A safeguard policy applied to what passes.
//
//   SFC1. The first rule that matches and is broken acts. Messages match with upper and lower case as written, everything else in any case.
//   SFC2. What comes out is what is used: a masked or blocked text takes the place of the original everywhere.
//   SFC3. What should be masked and cannot be is blocked. A blocked text says that it is, or the rule's own message, and not why: the
//         reason is for the event.
//   SFC4. All that a message says is checked, each text of it on its own: its words, the arguments of its calls as their tool receives
//         them, and its results.
import { sanitizeToolName } from "../../tools/tool-name.ts";
import type { Judgement } from "./guardrails.ts";
import { blockText } from "./blocked.ts";
import type { PassingForm } from "./passing.ts";
import { isModel, type SafeguardPolicy, type SafeguardRule } from "./safeguard-policy.ts";
import { replacedMatches, textPattern } from "./text-pattern.ts";

/** What is about to pass from one to another. */
export type SafeguardSubject =
  | { readonly kind: "message"; readonly from: string; readonly to: string }
  /** To a whole group. */
  | { readonly kind: "groupMessage"; readonly from: string }
  /** Several agents may be behind a call: who asked for it, and who executes it. */
  | { readonly kind: "toolInput"; readonly agents: readonly string[]; readonly tool: string }
  | { readonly kind: "toolOutput"; readonly agents: readonly string[]; readonly tool: string }
  | { readonly kind: "llmInput"; readonly agent: string }
  | { readonly kind: "llmOutput"; readonly agent: string }
  | { readonly kind: "userInput"; readonly agent: string };

/** The models that a policy uses. `rule` is the place of the rule among those of its kind. */
export type SafeguardModels = {
  readonly judge: (condition: string, text: string, rule: number) => Promise<Judgement>;
  /** Rewrites a text so that the condition does not hold any more. */
  readonly mask?: (condition: string, text: string) => Promise<string>;
};

/** A rule that was broken. */
export type SafeguardViolation = {
  readonly rule: SafeguardRule;
  readonly reason: string;
  /** The first characters of what broke it, for events; of what a model judged, of the last text. */
  readonly contentPreview: string;
};

/** What came of a value: as it passes on, or the text in its place where nothing of it may pass. */
export type CheckedPassing<Value> = {
  readonly value: Value;
  readonly violation?: SafeguardViolation;
  readonly blocked?: string;
};

/** Checks what passes. */
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
    // oxlint-disable-next-line no-await-in-loop -- the first one acts
    const broken = await brokenBy(texts, rule, { models, index, ignoreCase });
    if (broken === undefined) continue;
    const { reason, text } = broken;
    const contentPreview = text.slice(0, 100).toWellFormed();
    const violation = { rule, reason, contentPreview };
    const blocked = blockText(rule.activationMessage ?? "the content is not allowed");
    if (rule.action === "warning") return { value, violation };
    if (rule.action === "block") return { value, violation, blocked };
    // oxlint-disable-next-line no-await-in-loop -- it is the last
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

/** Why a rule is broken, and by which text; undefined where it is not. */
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

/** The value with what breaks the rule replaced; undefined where it cannot be. */
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

/** What stands in place of a masked text. */
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

/** A tool in any spelling of its name. */
function isTool(name: string, actual: string): boolean {
  return isSide(name, [actual]) || sanitizeToolName(name) === sanitizeToolName(actual);
}
