// One turn of a channel, with the timers of its expectations.
import { EngineError } from "../../base/error.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { RoundOutcome } from "../groups/group.ts";
import type { MemberNote } from "../targets/handoff-messages.ts";
import {
  dueExpectations,
  type Expectation,
  type ExpectationAction,
  type ExpectationFacts,
  type ExpectationViolation,
} from "./expectations.ts";
import type { ChannelEnding, ChannelViolation, TimedRound } from "./timed-round.ts";

/** Expectations and time limit of a channel. */
export type TurnTerms = {
  readonly channel: string;
  readonly initiator: string;
  readonly participants: readonly string[];
  readonly expectations: readonly Expectation[];
  readonly expiresAtMs?: number | undefined;
};

/** Actions that end the turn. */
export const CLOSING: ReadonlySet<ExpectationAction> = new Set(["hide", "auto_close"]);

export const EXPIRED: ChannelEnding = { status: "expired", reason: "expired" };

/** One turn and its timers. */
export class TurnWatch {
  readonly #place: RunScope;
  readonly #facts: ExpectationFacts;
  readonly #terms: TurnTerms;
  readonly #violations: ChannelViolation[] = [];
  readonly #startedAtMs: number;
  #nowMs: number;

  constructor(
    place: RunScope,
    {
      facts,
      nowMs,
      terms,
    }: {
      readonly facts: ExpectationFacts;
      readonly nowMs: number;
      readonly terms: TurnTerms;
    },
  ) {
    this.#place = place;
    this.#facts = facts;
    this.#nowMs = nowMs;
    this.#startedAtMs = nowMs;
    this.#terms = terms;
  }

  /** Returns the outcome of the turn, or of its lateness. */
  async over(
    firedBefore: ReadonlySet<string>,
    begin: () => Promise<RoundOutcome>,
  ): Promise<RoundOutcome & { readonly timed: TimedRound }> {
    const fired = new Set(firedBefore);
    const { expectations, expiresAtMs = Infinity } = this.#terms;
    let turn: Promise<Turned> | undefined;
    for (let count = 1; ; count++) {
      const about = { nowMs: this.#nowMs, fired };
      const { violations, nextAtMs = Infinity } = dueExpectations(expectations, this.#facts, about);
      for (const violation of violations) this.#fire(violation, fired);
      const closing = violations.find(({ expectation }) => CLOSING.has(expectation.action));
      if (closing !== undefined) return this.#late(fired, closing);
      if (this.#nowMs >= expiresAtMs) return this.#late(fired);
      turn ??= settled(begin());
      const dueAtMs = Math.min(nextAtMs, expiresAtMs);
      const turned = await this.#before(turn, dueAtMs, count);
      if (turned !== undefined) return this.#inTime(fired, turned);
      this.#nowMs = dueAtMs;
    }
  }

  /** Returns the turn's outcome by the due time; undefined if the turn has not ended. */
  async #before(
    turn: Promise<Turned>,
    dueAtMs: number,
    count: number,
  ): Promise<RoundOutcome | undefined> {
    if (!Number.isFinite(dueAtMs)) return outcomeOf(await turn);
    const timer = this.#place
      .at(`timer:${count}`)
      .wait<null>({ kind: "timer", dueAtMs })
      .then(() => undefined);
    const turned = await Promise.race([turn, timer]);
    if (turned === undefined) return undefined;
    // A model stopped at the deadline: the timer decides.
    const isStopped = "error" in turned && EngineError.is(turned.error) && isTimeout(turned.error);
    if (isStopped && this.#place.clock.now() >= dueAtMs) return timer;
    return outcomeOf(turned);
  }

  #inTime(fired: ReadonlySet<string>, outcome: RoundOutcome) {
    const notes = [...(outcome.notes ?? []), ...this.#notes()];
    return {
      ...outcome,
      ...(notes.length === 0 ? undefined : { notes }),
      timed: this.#timed(fired),
    };
  }

  /** Passes the turn on, or ends the channel. Without a violation its time is over. */
  #late(fired: ReadonlySet<string>, violation?: ExpectationViolation) {
    const { turnOf: speaker = this.#terms.initiator } = this.#facts;
    const timed = this.#timed(fired);
    const notes = { notes: this.#notes() };
    if (violation === undefined) return { speaker, ...notes, timed: { ...timed, ending: EXPIRED } };
    const { expectation, late } = violation;
    if (expectation.action === "hide")
      return { speaker, ...notes, timed: { ...timed, hidden: late } };
    const reason = `${expectation.kind} was not met${late.length === 0 ? "" : ` by ${late.map((name) => `"${name}"`).join(", ")}`}`;
    const ending = { status: "closed", reason } as const;
    return { speaker, ...notes, timed: { ...timed, ending } };
  }

  #timed(fired: ReadonlySet<string>): TimedRound {
    return { startedAtMs: this.#startedAtMs, violations: this.#violations, fired: [...fired] };
  }

  #fire({ expectation, late, key }: ExpectationViolation, fired: Set<string>): void {
    fired.add(key);
    const { kind, action, withinMs } = expectation;
    this.#violations.push({ expectation: kind, action, late, atMs: this.#nowMs });
    const { channel } = this.#terms;
    const about = { channel, expectation: kind, action, withinMs, late };
    this.#place.emit("chat_expectation_violated", about, this.#violations.length);
  }

  /** Returns notes for members: a warning for the late one, a notification of the channel for everybody. */
  #notes(): readonly MemberNote[] {
    const { channel, participants } = this.#terms;
    return this.#violations.flatMap(({ expectation, action, late }) => {
      const who = late.length === 0 ? "everybody" : late.join(", ");
      const content = `${expectation} was not met by ${who}.`;
      const receivers =
        action === "warn" ? late : action === "notify_channel" ? participants : ([] as const);
      return receivers.map(
        (to) => ({ to, message: { role: "user", content, name: channel } }) as const,
      );
    });
  }
}

type Turned = { readonly outcome: RoundOutcome } | { readonly error: unknown };

/** Converts to a value, so a late turn causes no unhandled rejection. */
function settled(turn: Promise<RoundOutcome>): Promise<Turned> {
  return turn.then(
    (outcome) => ({ outcome }),
    (error: unknown) => ({ error }),
  );
}

function outcomeOf(turned: Turned): RoundOutcome {
  if ("error" in turned) throw turned.error;
  return turned.outcome;
}

function isTimeout({ code }: EngineError): boolean {
  return code === "timeout";
}
