// A safeguard policy applied to what passes.
//
//   SFC1. The first rule that matches and is broken acts. Messages match with upper and lower case as written, everything else in any case.
//   SFC2. What comes out is what is used: a masked or blocked text takes the place of the original everywhere.
//   SFC3. A text that should be masked and cannot be is blocked.
import type { ToolCall } from "../../llm/language-model.ts";
import { readJudgement, type GuardrailJudge } from "./guardrails.ts";
import { contentText, type ConversationMessage } from "../messages.ts";
import { isModel, type SafeguardPolicy, type SafeguardRule } from "./safeguard-policy.ts";
import { firstMatch, replacedMatches, textPattern } from "./text-pattern.ts";

/** What is about to pass from one to another. */
export type SafeguardSubject =
  | { readonly kind: "toolInput"; readonly agent: string; readonly tool: string }
  | { readonly kind: "toolOutput"; readonly agent: string; readonly tool: string }
  | { readonly kind: "llmInput"; readonly agent: string }
  | { readonly kind: "llmOutput"; readonly agent: string }
  | { readonly kind: "userInput"; readonly agent: string };

/** The models that a policy uses. */
export type SafeguardModels = {
  readonly judge: GuardrailJudge;
  /** Rewrites a text without these items. */
  readonly mask?: (text: string, disallowItems: readonly string[]) => Promise<string>;
};

/** A rule that was broken. */
export type SafeguardViolation = {
  readonly rule: SafeguardRule;
  readonly reason: string;
  /** The first characters of what broke it, for events. */
  readonly contentPreview: string;
};

/** A text after the policy, and the rule that it broke. */
export type CheckedText = { readonly text: string; readonly violation?: SafeguardViolation };

/** A message after the policy, and the rule that it broke. */
export type CheckedMessage = {
  readonly message: ConversationMessage;
  readonly violation?: SafeguardViolation;
};

/** Checks a text that passes between an agent and its tools, its model or its person. */
export async function safeguardText(
  policy: SafeguardPolicy,
  subject: SafeguardSubject,
  { text, models }: { readonly text: string; readonly models: SafeguardModels },
): Promise<CheckedText> {
  const matching = rulesFor(policy, subject);
  const violation = await firstViolation(matching, { text, models, ignoreCase: true });
  if (violation === undefined) return { text };
  return { text: await changed(text, violation, models), violation };
}

/** Checks a message from one member to another. In a group each receiver gets its own copy. */
export async function safeguardMessage(
  policy: SafeguardPolicy,
  {
    from,
    to,
    message,
  }: { readonly from: string; readonly to: string; readonly message: ConversationMessage },
  models: SafeguardModels,
): Promise<CheckedMessage> {
  const matching = policy.agentTransitions.filter(
    ({ source, destination }) => isSide(source, from) && isSide(destination, to),
  );
  return checkedMessage(matching, message, models);
}

/** Checks a message that goes to a whole group. */
export async function safeguardGroupMessage(
  policy: SafeguardPolicy,
  message: ConversationMessage,
  models: SafeguardModels,
): Promise<CheckedMessage> {
  const { groupMessages } = policy;
  return checkedMessage(groupMessages === undefined ? [] : [groupMessages], message, models);
}

async function checkedMessage(
  rules: readonly SafeguardRule[],
  message: ConversationMessage,
  models: SafeguardModels,
): Promise<CheckedMessage> {
  const text = checkedContent(message);
  const violation = await firstViolation(rules, { text, models, ignoreCase: false });
  if (violation === undefined) return { message };
  return { message: await changedMessage(message, violation, models), violation };
}

type Checking = {
  readonly text: string;
  readonly models: SafeguardModels;
  readonly ignoreCase: boolean;
};

async function firstViolation(
  rules: readonly SafeguardRule[],
  { text, models, ignoreCase }: Checking,
): Promise<SafeguardViolation | undefined> {
  if (text === "") return undefined;
  for (const rule of rules) {
    const reason = await brokenBecause(rule, { text, models, ignoreCase });
    if (reason !== undefined)
      return { rule, reason, contentPreview: text.slice(0, 100).toWellFormed() };
  }
  return undefined;
}

async function brokenBecause(
  { check }: SafeguardRule,
  { text, models, ignoreCase }: Checking,
): Promise<string | undefined> {
  if (check.kind === "regex") {
    const match = firstMatch(textPattern(check.pattern, { ignoreCase }), text);
    return match === undefined ? undefined : `the content matches ${check.pattern}`;
  }
  const { customPrompt, disallowItems } = check;
  const items = disallowItems.map((item) => `- ${item}`).join("\n");
  const prompt =
    customPrompt ?? `Activate when the text contains, names or reveals any of these:\n${items}`;
  const { activated, justification } = readJudgement(await models.judge(prompt, text));
  return activated ? justification : undefined;
}

function rulesFor(policy: SafeguardPolicy, subject: SafeguardSubject): readonly SafeguardRule[] {
  const { agent } = subject;
  switch (subject.kind) {
    case "toolInput":
      return between(policy.toolInteraction, agent, subject.tool);
    case "toolOutput":
      return between(policy.toolInteraction, subject.tool, agent);
    case "llmInput":
      return policy.llmInteraction.filter(
        (rule) => rule.source === agent && isModel(rule.destination),
      );
    case "llmOutput":
      return policy.llmInteraction.filter(
        (rule) => isModel(rule.source) && rule.destination === agent,
      );
    default:
      return between(policy.userInteraction, "user", agent);
  }
}

function between(
  rules: readonly SafeguardRule[],
  from: string,
  to: string,
): readonly SafeguardRule[] {
  return rules.filter(({ source, destination }) => isSide(source, from) && isSide(destination, to));
}

function isSide(name: string, actual: string): boolean {
  return name === "*" || name === actual;
}

/** What of a message is checked: the arguments of its calls, else the results of tools, else its text. */
function checkedContent({
  content,
  toolCalls = [],
  toolResponses = [],
}: ConversationMessage): string {
  if (toolCalls.length > 0) return toolCalls.map((call) => call.arguments).join(" | ");
  if (toolResponses.length > 0) return toolResponses.map((each) => each.content).join(" | ");
  return contentText(content);
}

async function changedMessage(
  message: ConversationMessage,
  violation: SafeguardViolation,
  models: SafeguardModels,
): Promise<ConversationMessage> {
  if (violation.rule.action === "warning") return message;
  const change = (text: string): Promise<string> => changed(text, violation, models);
  const { content, toolCalls, toolResponses } = message;
  const responses = await eachOf(toolResponses, async (response) => ({
    ...response,
    content: await change(response.content),
  }));
  const calls = await eachOf(toolCalls, async (call) => changedCall(call, violation, change));
  return {
    ...message,
    content: await changedContent(content, violation, change),
    ...(responses === undefined ? {} : { toolResponses: responses }),
    ...(calls === undefined ? {} : { toolCalls: calls }),
  };
}

/** Of parts that are masked only the texts are others; what is blocked is one text. */
async function changedContent(
  content: ConversationMessage["content"],
  { rule }: SafeguardViolation,
  change: (text: string) => Promise<string>,
): Promise<ConversationMessage["content"]> {
  if (content === null || content === "") return content;
  if (typeof content === "string" || rule.action === "block") return change(contentText(content));
  return Promise.all(
    content.map(async (part) =>
      typeof part["text"] === "string" ? { ...part, text: await change(part["text"]) } : part,
    ),
  );
}

async function changedCall(
  call: ToolCall,
  violation: SafeguardViolation,
  change: (text: string) => Promise<string>,
): Promise<ToolCall> {
  const input =
    violation.rule.action === "block"
      ? JSON.stringify({ error: blockText(violation) })
      : await change(call.arguments);
  return { ...call, arguments: input };
}

async function changed(
  text: string,
  violation: SafeguardViolation,
  models: SafeguardModels,
): Promise<string> {
  const { action, check } = violation.rule;
  if (action === "warning") return text;
  if (action === "block") return blockText(violation);
  if (check.kind === "regex")
    return replacedMatches(textPattern(check.pattern, { ignoreCase: true }), text, MASK);
  return models.mask === undefined ? blockText(violation) : models.mask(text, check.disallowItems);
}

const MASK = "[SENSITIVE_INFO]";

function blockText({ rule, reason }: SafeguardViolation): string {
  return `[Blocked by a safeguard: ${rule.activationMessage ?? reason}]`;
}

async function eachOf<Item>(
  items: readonly Item[] | undefined,
  change: (item: Item) => Promise<Item>,
): Promise<readonly Item[] | undefined> {
  return items === undefined ? undefined : Promise.all(items.map(change));
}
