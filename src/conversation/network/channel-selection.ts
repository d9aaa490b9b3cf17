// A channel while its group talks: its turns, and the treatment of late members.
//
//   CHW1. An expectation fires at its time, by a durable timer: once, also if the process has died meanwhile.
//   CHW2. A late person keeps one open question while warnings come. It is withdrawn when the turn passes on or the
//         channel ends.
//   CHW3. A late model is stopped when the turn passes on or the channel ends. Tool calls under way may finish; actions
//         that end their member's turn come after them.
//   CHW4. A member over its rate limit waits before its turn, and the wait does not count as lateness.
//   CHW5. A channel reads the clock only if its result matters: for expectations, a time limit, or rate limits of its
//         members.
import type { RunScope } from "../../events/run-scope.ts";
import type {
  GroupRun,
  RoundLimits,
  RoundOutcome,
  SpeakerDecision,
  SpeakerSelection,
} from "../groups/group.ts";
import type { RoundResult } from "../groups/round-result.ts";
import { dueExpectations, type ExpectationFacts } from "./expectations.ts";
import { takeToken, type RateLimit, type RateState } from "./rate-limit.ts";
import type { ChannelEnding, ChannelViolation } from "./timed-round.ts";
import { turnOrder, type OpenedChannel, type TurnOrder } from "./turn-order.ts";
import { CLOSING, EXPIRED, TurnWatch, type TurnTerms } from "./turn-watch.ts";
import { Watches, type ChannelWatch } from "./watches.ts";

/** Terms of a channel while it is open. */
export type ChannelTerms = OpenedChannel &
  TurnTerms & {
    readonly rateOf: (name: string) => RateLimit | undefined;
    readonly watches: readonly ChannelWatch[];
    /** Members hidden from its start. */
    readonly hidden: readonly string[];
  };

export class ChannelSelection implements SpeakerSelection {
  readonly #run: GroupRun;
  readonly #terms: ChannelTerms;
  readonly #order: TurnOrder;
  readonly #rates = new Map<string, RateState | undefined>();
  readonly #watches: Watches;
  readonly #fired = new Set<string>();
  /** The current turn, and its start. */
  #turn: { readonly name: string; readonly sinceMs: number } | undefined;
  /** Undefined: since the next round. */
  #silentSinceMs: number | undefined;
  #messageCount = 1;
  /** Member called by a watch. */
  #called: string | undefined;
  readonly violations: ChannelViolation[] = [];
  readonly hidden: string[] = [];
  ending: ChannelEnding | undefined;

  constructor(run: GroupRun, terms: ChannelTerms) {
    const { openedAtMs, initiator } = terms;
    this.#run = run;
    this.#terms = terms;
    this.#order = turnOrder(run, terms);
    this.#watches = new Watches(terms.watches, openedAtMs);
    this.#takeToken(initiator, openedAtMs);
    for (const name of terms.hidden) this.#hide(name, openedAtMs);
  }

  async next(place: RunScope): Promise<SpeakerDecision> {
    if (this.ending !== undefined) return { kind: "end", reason: this.ending.reason };
    const decision = await this.#order.next(place);
    if (decision.kind === "tools" || decision.kind === "end") return decision;
    const called = this.#called;
    if (called !== undefined && !this.#run.silent.has(called) && !this.hidden.includes(called))
      return { kind: "speaker", name: called, cause: "watch" };
    const isIdle = decision.kind === "idle";
    if (this.#watches.isDueAfter(this.#messageCount) || (isIdle && this.#watches.canFire))
      return { kind: "speaker", name: this.#watches.label, cause: "watch" };
    return isIdle ? { kind: "end", reason: decision.reason } : decision;
  }

  during(
    place: RunScope,
    decision: SpeakerDecision,
    carryOut: (limits?: RoundLimits) => Promise<RoundOutcome>,
  ): Promise<RoundOutcome> {
    if (decision.kind === "tools") return this.#whileCallsAreExecuted(place, carryOut);
    if (decision.kind !== "speaker") return carryOut();
    if (decision.name === this.#watches.label) return this.#wake(place);
    return this.#readsClock ? this.#inTime(place, decision.name, carryOut) : carryOut();
  }

  follow(round: RoundResult): void {
    const { speaker, message, timed } = round;
    const atMs = timed?.startedAtMs ?? this.#terms.openedAtMs;
    if (timed?.woken !== undefined) {
      this.#watches.fired(timed.woken, { atMs, messageCount: ++this.#messageCount });
      this.#called = this.#terms.watches[timed.woken]?.member;
      this.#silentSinceMs = undefined;
      return;
    }
    this.#silentSinceMs ??= timed?.startedAtMs;
    for (const key of timed?.fired ?? []) this.#fired.add(key);
    this.violations.push(...(timed?.violations ?? []));
    this.ending = timed?.ending ?? this.ending;
    if (speaker !== undefined && timed !== undefined && message?.role !== "tool") {
      this.#takeToken(speaker, timed.startedAtMs);
      const since = this.#turn?.name === speaker ? this.#turn.sinceMs : timed.startedAtMs;
      this.#turn = { name: speaker, sinceMs: since };
    }
    const isCalls = (message?.toolCalls?.length ?? 0) > 0 || message?.role === "tool";
    if (!isCalls) {
      this.#turn = undefined;
      if (message !== undefined) {
        this.#messageCount++;
        this.#silentSinceMs = undefined;
      }
    }
    if (speaker === this.#called && !isCalls) this.#called = undefined;
    for (const name of timed?.hidden ?? []) this.#hide(name, atMs);
    if (timed?.hidden === undefined) this.#order.follow(round, atMs);
  }

  get #readsClock(): boolean {
    const { expectations, expiresAtMs, participants, rateOf } = this.#terms;
    return (
      expectations.length > 0 ||
      expiresAtMs !== undefined ||
      participants.some((name) => (rateOf(name)?.perMinute ?? 0) > 0)
    );
  }

  #hide(name: string, atMs: number): void {
    this.hidden.push(name);
    this.#order.hide(name, atMs);
  }

  /** Runs a turn under its expectations. */
  async #inTime(
    place: RunScope,
    name: string,
    carryOut: (limits?: RoundLimits) => Promise<RoundOutcome>,
  ): Promise<RoundOutcome> {
    const startedAtMs = await this.#afterItsRate(place, name);
    const facts = this.#facts(name, startedAtMs);
    const { expectations, expiresAtMs = Infinity } = this.#terms;
    const closing = expectations.filter(({ action }) => CLOSING.has(action));
    const about = { nowMs: startedAtMs, fired: this.#fired };
    const isLate = dueExpectations(closing, facts, about).violations.length > 0;
    const { nextAtMs = Infinity } = dueExpectations(closing, facts, about);
    const deadlineAtMs = isLate ? startedAtMs : Math.min(nextAtMs, expiresAtMs);
    const watch = new TurnWatch(place, { facts, nowMs: startedAtMs, terms: this.#terms });
    return watch.over(this.#fired, () =>
      carryOut(Number.isFinite(deadlineAtMs) ? { deadlineAtMs } : {}),
    );
  }

  /** Warnings come during the execution of calls; actions that end the turn come after them. */
  async #whileCallsAreExecuted(
    place: RunScope,
    carryOut: () => Promise<RoundOutcome>,
  ): Promise<RoundOutcome> {
    const turn = this.#turn;
    const expectations = this.#terms.expectations.filter(({ action }) => !CLOSING.has(action));
    if (turn === undefined || expectations.length === 0) return carryOut();
    const facts = this.#facts(turn.name, turn.sinceMs);
    const { expiresAtMs: _, ...terms } = { ...this.#terms, expectations };
    const watch = new TurnWatch(place, { facts, nowMs: turn.sinceMs, terms });
    // A note between calls and their results would separate them.
    const { notes: __, ...outcome } = await watch.over(this.#fired, carryOut);
    return outcome;
  }

  /** Returns the start of a member's turn: now, or later by its rate limit. */
  async #afterItsRate(place: RunScope, name: string): Promise<number> {
    const nowMs = place.at("began").now();
    const rate = this.#terms.rateOf(name);
    const isNew = this.#turn?.name !== name;
    const decision = rate === undefined ? undefined : takeToken(rate, this.#rates.get(name), nowMs);
    if (!isNew || decision === undefined || decision.isAllowed) return nowMs;
    const { retryAfterMs: waitMs } = decision;
    place.emit("chat_rate_limited", { channel: this.#terms.channel, member: name, waitMs });
    await place.at("rate").wait({ kind: "timer", dueAtMs: nowMs + waitMs });
    return nowMs + waitMs;
  }

  /** Takes one token for each turn, at its start. */
  #takeToken(name: string, atMs: number): void {
    const rate = this.#terms.rateOf(name);
    if (rate === undefined || this.#turn?.name === name) return;
    this.#rates.set(name, takeToken(rate, this.#rates.get(name), atMs).state);
  }

  #facts(name: string, nowMs: number): ExpectationFacts {
    const { kind, participants, openedAtMs } = this.#terms;
    const turnSinceMs = this.#turn?.name === name ? this.#turn.sinceMs : nowMs;
    return {
      status: "active",
      participants,
      acknowledged: participants,
      messageCount: this.#messageCount,
      createdAtMs: openedAtMs,
      lastMessageAtMs: this.#silentSinceMs ?? nowMs,
      turnSinceMs,
      turnOf: kind === "conversation" ? undefined : name,
    };
  }

  /** Waits for the next watch within the channel's time. Its note becomes a message. */
  async #wake(place: RunScope): Promise<RoundOutcome> {
    const { expiresAtMs, channel } = this.#terms;
    const woken = await this.#watches.next(place, {
      messageCount: this.#messageCount,
      expiresAtMs,
    });
    const { label: speaker } = this.#watches;
    const timed = { startedAtMs: woken.atMs, violations: [], fired: [] };
    if (woken.index === undefined) return { speaker, timed: { ...timed, ending: EXPIRED } };
    const watch = this.#terms.watches[woken.index];
    const { member = "", note = "" } = watch ?? {};
    place.emit("chat_watch_fired", { channel, member, watch: woken.index });
    const message = { role: "user", content: note, name: speaker } as const;
    return { speaker, message, timed: { ...timed, woken: woken.index } };
  }
}
