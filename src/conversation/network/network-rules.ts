// Permissions of a network's participants.
//
//   NWR1. Names are matched by case-sensitive patterns; without a rule everything is allowed.
//   NWR2. A limit of 0 on channels, tasks, rate or time means no limit. The depth is a number of hand-overs, and 0
//         allows none.
//   NWR3. A message reaches members that its sender may send to and that accept the sender. The initiator cannot invite
//         members that it does not reach.
import * as z from "zod";
import { camelCase } from "../../base/camel-case.ts";
import { EngineError } from "../../base/error.ts";
import { isJsonObject } from "../../base/json.ts";
import { invalidInput } from "../../base/invalid-input.ts";
import { toIssues } from "../../base/zod-issues.ts";
import { durationMs } from "../../base/duration.ts";
import { matchesGlob } from "./name-glob.ts";
import type { RateLimit } from "./rate-limit.ts";

/** The kinds of channels between participants. */
export type ChannelKind = "consulting" | "conversation" | "discussion" | "workflow";

/** Returns the rule of a participant; undefined: everything is allowed. */
export type RuleOf = (name: string) => NetworkRule | undefined;

/** The rule of one participant. */
export type NetworkRule = {
  readonly access: {
    /** Patterns of accepted senders. */
    readonly inboundFrom: readonly string[];
    /** Patterns of permitted recipients. */
    readonly outboundTo: readonly string[];
    /** Kinds of channels that it may open, and join. */
    readonly channelTypes: {
      readonly initiate: readonly string[];
      readonly accept: readonly string[];
    };
  };
  readonly limits: {
    readonly maxConcurrentChannels: number;
    readonly maxConcurrentTasks: number;
    readonly channelTtlMs: number;
    readonly taskTtlMs: number;
    readonly rate: RateLimit;
    readonly delegationDepth: number;
  };
};

const ANY: readonly string[] = ["*"];
const UNLIMITED = { maxConcurrentChannels: 0, delegationDepth: 5 };

const patterns = z.array(z.string()).default(["*"]);
const limit = z.int().min(0);
const duration = z.union([z.string(), z.number()]).transform((value, context) => {
  try {
    return durationMs(value);
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error));
    return z.NEVER;
  }
});

const ruleForm = z.strictObject({
  access: z
    .strictObject({
      inboundFrom: patterns,
      outboundTo: patterns,
      channelTypes: z.strictObject({ initiate: patterns, accept: patterns }).prefault({}),
    })
    .prefault({}),
  limits: z
    .strictObject({
      maxConcurrentChannels: limit.default(0),
      maxConcurrentTasks: limit.default(0),
      channelTtlDefault: duration.prefault("2h"),
      taskTtlDefault: duration.prefault("15m"),
      rate: z.strictObject({ perMinute: limit.default(0), burst: limit.default(0) }).prefault({}),
      delegationDepth: limit.default(5),
      // Messages are read as they come, so an inbox never fills.
      inbox: z
        .strictObject({
          maxPending: limit.default(1_000),
          overflow: z.literal("reject").default("reject"),
        })
        .prefault({}),
    })
    .prefault({}),
});

/** Reads a rule in camelCase or snake_case. Throws `invalid_input` with one issue for each wrong field. */
export function readNetworkRule(input: unknown = {}): NetworkRule {
  const form = camelFields(input);
  const parsed = ruleForm.safeParse(form);
  if (!parsed.success)
    throw invalidInput("the rule of a participant cannot be used", toIssues(parsed.error, form));
  const { access, limits } = parsed.data;
  const { channelTtlDefault, taskTtlDefault, inbox: _, ...rest } = limits;
  return {
    access,
    limits: {
      ...rest,
      channelTtlMs: channelTtlDefault,
      taskTtlMs: taskTtlDefault,
    },
  };
}

/**
 * Throws `forbidden` if a participant may not open a channel of this kind with these others, or if they may not join
 * it. Throws `conflict` if the participant has reached its limit of open channels.
 */
export function checkOpening(
  kind: ChannelKind,
  initiator: string,
  {
    participants,
    ruleOf,
    openChannels = 0,
    depth = 0,
  }: {
    readonly participants: readonly string[];
    readonly ruleOf: RuleOf;
    /** Number of channels that the initiator has open. */
    readonly openChannels?: number;
    /** Number of channels around this one. */
    readonly depth?: number;
  },
): void {
  const own = ruleOf(initiator);
  if (own !== undefined && !matchesGlob(own.access.channelTypes.initiate, kind))
    throw denied(`"${initiator}" may not open channels of the kind "${kind}"`);
  const { maxConcurrentChannels: most, delegationDepth } = own?.limits ?? UNLIMITED;
  if (depth > delegationDepth)
    throw denied(`"${initiator}" may hand work on ${delegationDepth} times, got ${depth}`);
  if (most > 0 && openChannels >= most)
    throw new EngineError(
      "conflict",
      `"${initiator}" may have ${most} channels open, got one more: close one first`,
    );
  for (const name of participants) {
    if (name === initiator) continue;
    const rule = ruleOf(name);
    if (rule !== undefined && !matchesGlob(rule.access.channelTypes.accept, kind))
      throw denied(`"${name}" accepts no channels of the kind "${kind}"`);
    checkReach(initiator, name, ruleOf);
  }
}

/** Throws `conflict` if a participant has reached its limit of tasks. */
export function checkTasks(
  name: string,
  { ruleOf, openTasks }: { readonly ruleOf: RuleOf; readonly openTasks: number },
): void {
  const most = ruleOf(name)?.limits.maxConcurrentTasks ?? 0;
  if (most > 0 && openTasks >= most)
    throw new EngineError("conflict", `"${name}" may have ${most} tasks under way, got one more`);
}

/** True if a message from one participant reaches another. */
export function reaches(sender: string, receiver: string, ruleOf: RuleOf): boolean {
  const { outboundTo = ANY } = ruleOf(sender)?.access ?? {};
  const { inboundFrom = ANY } = ruleOf(receiver)?.access ?? {};
  return matchesGlob(outboundTo, receiver) && matchesGlob(inboundFrom, sender);
}

function checkReach(sender: string, receiver: string, ruleOf: RuleOf): void {
  const { outboundTo = ANY } = ruleOf(sender)?.access ?? {};
  if (!matchesGlob(outboundTo, receiver))
    throw denied(`"${sender}" may not send to "${receiver}"; it may to: ${outboundTo.join(", ")}`);
  if (!reaches(sender, receiver, ruleOf))
    throw denied(`"${receiver}" lets in no messages of "${sender}"`);
}

function denied(message: string): EngineError {
  return new EngineError("forbidden", message);
}

function camelFields(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [camelCase(key), camelFields(each)]),
  );
}
