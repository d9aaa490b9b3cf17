// Watches: triggers that wake a member of a quiet channel.
//
//   WCH1. A watch fires while the channel is quiet. If it fell due at another time, it fires once when the channel is
//         quiet.
//   WCH2. A watch that counts messages fires after that number of messages, also if the channel is not quiet.
import { CronTimes, cronIssues } from "../../base/cron-times.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { durationMs } from "../../base/duration.ts";

type Duration = string | number;

/** Trigger of a watch. Durations are `30s`, `5m`, `2h`, `1d`, or a number of seconds. */
export type WatchTrigger =
  /** Fires once. */
  | { readonly kind: "delay"; readonly after: Duration }
  | { readonly kind: "interval"; readonly every: Duration }
  /** Five fields or a nickname such as `@daily`. The default time zone is UTC. */
  | { readonly kind: "cron"; readonly cron: string; readonly timeZone?: string }
  /** After a number of messages, after a time, or the earlier of both. */
  | { readonly kind: "cadence"; readonly messages?: number; readonly maxWait?: Duration };

/** A trigger that wakes a member. */
export type ChannelWatch = {
  readonly member: string;
  readonly on: WatchTrigger;
  /** Message to the channel when it fires; its member speaks next. */
  readonly note: string;
};

/** Throws `invalid_definition` for a watch that can never fire, or would fire endlessly. */
export function checkWatch({ member, on, note }: ChannelWatch, members: readonly string[]): void {
  if (!members.includes(member))
    throw invalidDefinition(
      `a watch wakes "${member}", who is no participant; there are: ${members.join(", ")}`,
    );
  if (note === "") throw invalidDefinition(`the watch of "${member}" needs a note`);
  if (on.kind === "cron") {
    const [issue] = cronIssues({ cron: on.cron, timeZone: on.timeZone ?? "UTC", nowMs: 0 });
    if (issue !== undefined) throw invalidDefinition(`the watch of "${member}": ${issue.message}`);
  }
  const { everyMs, messages } = timesOf(on);
  if (on.kind === "cadence" && everyMs === undefined && messages === undefined)
    throw invalidDefinition(`a cadence needs messages, maxWait, or both`);
  if (everyMs === 0 && on.kind !== "delay")
    throw invalidDefinition(`the watch of "${member}" must wait longer than 0 s`);
  if (messages !== undefined && !(Number.isInteger(messages) && messages >= 1))
    throw invalidDefinition(`messages of a cadence must be an integer >= 1, got ${messages}`);
}

function timesOf(on: WatchTrigger): {
  readonly everyMs?: number;
  readonly messages?: number | undefined;
} {
  switch (on.kind) {
    case "delay":
      return { everyMs: durationMs(on.after) };
    case "interval":
      return { everyMs: durationMs(on.every) };
    case "cadence":
      return {
        messages: on.messages,
        ...(on.maxWait === undefined ? undefined : { everyMs: durationMs(on.maxWait) }),
      };
    case "cron":
      return {};
    default:
      return on satisfies never;
  }
}

/** Watches of an open channel: a fold over the fired ones. */
export class Watches {
  /** Author of the watches' messages. */
  readonly label = "_Watch";
  readonly #watches: readonly ChannelWatch[];
  readonly #last: {
    readonly atMs: number;
    readonly messageCount: number;
    readonly count: number;
  }[];

  constructor(watches: readonly ChannelWatch[], openedAtMs: number) {
    this.#watches = watches;
    this.#last = watches.map(() => ({ atMs: openedAtMs, messageCount: 1, count: 0 }));
  }

  /** True if any of them may still fire in a quiet channel. */
  get canFire(): boolean {
    return this.#watches.some((_, index) => this.#dueAtMs(index) !== undefined);
  }

  /** True if a message-counting watch is due. */
  isDueAfter(messageCount: number): boolean {
    return this.#counted(messageCount) !== undefined;
  }

  fired(index: number, now: { readonly atMs: number; readonly messageCount: number }): void {
    const before = this.#last[index];
    if (before !== undefined) this.#last[index] = { ...now, count: before.count + 1 };
  }

  /** Waits for the next one; undefined if the channel's time ends earlier. */
  async next(
    place: RunScope,
    {
      messageCount,
      expiresAtMs = Infinity,
    }: { readonly messageCount: number; readonly expiresAtMs?: number | undefined },
  ): Promise<{ readonly index?: number; readonly atMs: number }> {
    const nowMs = place.at("began").now();
    const counted = this.#counted(messageCount);
    if (nowMs >= expiresAtMs) return { atMs: nowMs };
    if (counted !== undefined) return { index: counted, atMs: nowMs };
    const [first] = this.#watches
      .map((_, index) => ({ index, atMs: this.#dueAtMs(index) ?? Infinity }))
      .toSorted((a, b) => a.atMs - b.atMs);
    const due = first !== undefined && first.atMs < expiresAtMs ? first : { atMs: expiresAtMs };
    if (due.atMs <= nowMs) return { ...due, atMs: nowMs };
    await place.at("timer").wait({ kind: "timer", dueAtMs: due.atMs });
    return due;
  }

  #counted(messageCount: number): number | undefined {
    const index = this.#watches.findIndex(({ on }, place) => {
      const { messages } = timesOf(on);
      return messages !== undefined && messageCount - this.#of(place).messageCount >= messages;
    });
    return index < 0 ? undefined : index;
  }

  #dueAtMs(index: number): number | undefined {
    const watch = this.#watches[index];
    if (watch === undefined) return undefined;
    const { everyMs } = timesOf(watch.on);
    const { atMs, count } = this.#of(index);
    if (watch.on.kind === "cron")
      return new CronTimes(watch.on.cron, watch.on.timeZone ?? "UTC").next(atMs) ?? undefined;
    if (everyMs === undefined || (watch.on.kind === "delay" && count > 0)) return undefined;
    return atMs + everyMs;
  }

  #of(index: number): {
    readonly atMs: number;
    readonly messageCount: number;
    readonly count: number;
  } {
    return this.#last[index] ?? { atMs: 0, messageCount: 0, count: 0 };
  }
}
