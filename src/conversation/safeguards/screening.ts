// Screening of a value at a boundary: first by an agent's own hooks, then by the active policies.
//
//   SCR1. Hooks come in the order of their registration, then policies, the agent's before the conversation's. The
//         result of one is the input of the next.
//   SCR2. A pattern leaves no row. A hook, a model's judgement and its mask are steps, once each.
//   SCR3. Each violation is one event, also after any number of replays.
import { changedWork, type AgentWork } from "../../agent/agent-work.ts";
import { preview } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { HookAborted } from "../../hooks/hook.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import type {
  SafeguardHookName,
  SafeguardedValues,
  SafeguardHookAbout,
} from "../agents/conversation-hooks.ts";
import type { ChatEvents } from "../events.ts";
import { policiesAt, type ActivePolicy } from "./active-policy.ts";
import { askJudge, askMasker } from "./ask-models.ts";
import type { PassingForm } from "./passing.ts";
import {
  safeguarded,
  type SafeguardModels,
  type SafeguardSubject,
  type SafeguardViolation,
} from "./safeguard-check.ts";

/** The screened agent and its work. Judging and masking models are called within its budget. */
export type Screening = { readonly agent: TalkingMember; readonly work: AgentWork };

/** Result of screening: the value to pass on, or the replacement text for a blocked value. */
export type Screened<Value> = { readonly value: Value; readonly blocked?: string };

/**
 * Passes a value through the agent's hooks; null if one of them refuses. Throws `hook_aborted` for an invalid
 * replacement.
 */
export async function throughHooks<Name extends SafeguardHookName>(
  place: RunScope,
  { agent }: Screening,
  {
    name,
    value,
    about,
    reads,
  }: {
    readonly name: Name;
    readonly value: SafeguardedValues[Name];
    readonly about: Omit<SafeguardHookAbout, "agent">;
    /** Reads the value from a hook's result; undefined for an invalid one. */
    readonly reads: (returned: unknown) => SafeguardedValues[Name] | undefined;
  },
): Promise<SafeguardedValues[Name] | null> {
  let current = value;
  for (const [index, hook] of agent.hooksOf(name).entries()) {
    const returned: unknown = await place
      .at(`hook:${index}`)
      .callOnce(
        async () => (await hook(current as never, { agent: agent.name, ...about })) ?? null,
      );
    if (returned === null) return null;
    const read = reads(returned);
    if (read === undefined)
      throw new HookAborted(
        `the hook ${name} of "${agent.name}" returned an unusable value: ${preview(returned)}`,
      );
    current = read;
  }
  return current;
}

/** Same as `throughHooks`, with an error for a refusal: `hook_aborted`. */
export async function throughHooksOrFail<Name extends SafeguardHookName>(
  place: RunScope,
  screening: Screening,
  passing: Parameters<typeof throughHooks<Name>>[2],
): Promise<SafeguardedValues[Name]> {
  const value = await throughHooks(place, screening, passing);
  if (value !== null) return value;
  throw new HookAborted(`the hook ${passing.name} of "${screening.agent.name}" refused`);
}

/** Passes a value through the policies, and returns the broken rules too. */
export async function throughPolicies<Value>(
  place: RunScope,
  { agent, work }: Screening,
  {
    subject,
    value,
    form,
  }: {
    readonly subject: SafeguardSubject;
    readonly value: Value;
    readonly form: PassingForm<Value>;
  },
): Promise<Screened<Value> & { readonly violations: readonly SafeguardViolation[] }> {
  const violations: SafeguardViolation[] = [];
  let current = value;
  for (const [index, active] of policiesAt(place, agent).entries()) {
    const models = modelsOf(place, active, { work, index });
    const checked = await safeguarded(active.policy, subject, { value: current, form, models });
    const { violation, blocked } = checked;
    if (violation !== undefined) {
      violations.push(violation);
      place.emit("chat_safeguard_violated", eventOf(subject, violation), index);
    }
    if (blocked !== undefined) return { value: current, blocked, violations };
    current = checked.value;
  }
  return { value: current, violations };
}

/** Judging and masking models are not the agent's: its hooks and rate limit do not apply. */
function modelsOf(
  place: RunScope,
  { safeguardLlm, maskLlm }: ActivePolicy,
  { work, index }: { readonly work: AgentWork; readonly index: number },
): SafeguardModels {
  let masked = 0;
  const caller = (llm: ActivePolicy["maskLlm"]): AgentWork =>
    changedWork(work, { model: place.model(llm), hooks: undefined, limiter: undefined });
  const judge: SafeguardModels["judge"] = (condition, text, rule) =>
    askJudge(place.at(`judge:${index}:${rule}`), caller(safeguardLlm), { condition, text });
  if (maskLlm === undefined) return { judge };
  return {
    judge,
    mask: (condition, text) =>
      askMasker(place.at(`mask:${index}:${masked++}`), caller(maskLlm), { condition, text }),
  };
}

type Violated = ChatEvents["chat_safeguard_violated"];

function eventOf(
  subject: SafeguardSubject,
  { rule, reason, contentPreview }: SafeguardViolation,
): Violated {
  return {
    ...sidesOf(subject, rule.source, rule.destination),
    action: rule.action,
    check: rule.check.kind,
    message: rule.activationMessage ?? reason,
    preview: contentPreview,
  };
}

/** Returns both sides of a boundary. Of several agents, the one named by the rule counts. */
function sidesOf(
  subject: SafeguardSubject,
  ruleSource: string,
  ruleDestination: string,
): Pick<Violated, "kind" | "source" | "target"> {
  switch (subject.kind) {
    case "message":
      return { kind: "agent", source: subject.from, target: subject.to };
    case "groupMessage":
      return { kind: "agent", source: subject.from, target: "*" };
    case "toolInput":
      return { kind: "tool", source: named(subject.agents, ruleSource), target: subject.tool };
    case "toolOutput":
      return { kind: "tool", source: subject.tool, target: named(subject.agents, ruleDestination) };
    case "llmInput":
      return { kind: "llm", source: subject.agent, target: "llm" };
    case "llmOutput":
      return { kind: "llm", source: "llm", target: subject.agent };
    default:
      return { kind: "user", source: "user", target: subject.agent };
  }
}

function named(agents: readonly string[], name: string): string {
  return agents.includes(name) ? name : (agents[0] ?? name);
}
