// Deliveries of messages: readings that are stored with the step that sees them.
//
//   MD1. A delivery belongs to the model call at its place. Once this call has a result, the delivery is final.
//   MD2. A call that was cut off is made again, also with the messages that have arrived since: a further row.
//   MD3. Code that passed the place without messages in an earlier drive passes it again: a step begun elsewhere after
//        the end of the call before it (`after`) shows that the code went on.
//   MD4. Without messages nothing is written.
//   MD5. A step that sees messages itself, and began without them, goes on without them: what it did is on record.
import type { Clock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { Activity } from "./activity.ts";
import type { DriveEnd } from "./drive-end.ts";
import type { JournalRows } from "./journal-rows.ts";
import type { StepClaims } from "./step-claims.ts";
import { decode } from "./step-row.ts";

/** Step that sees messages: a model call below its place, or the step of the place itself. */
export type MailStep = "call" | "self";

/** Place of a delivery. */
export type MailPlace = {
  /** Key of the delivery. */
  readonly key: string;
  /** Place of the step that sees it. */
  readonly at: string;
  /** Place of the step before it, after which the code may also end (MD3). */
  readonly after?: string | undefined;
  readonly step: MailStep;
};

export class MailDeliveries {
  readonly #end: DriveEnd;
  readonly #rows: JournalRows;
  readonly #claims: StepClaims;
  readonly #clock: Clock;
  /** True if the record has deliveries. */
  readonly isAny: boolean;

  constructor(options: {
    readonly end: DriveEnd;
    readonly rows: JournalRows;
    readonly claims: StepClaims;
    readonly clock: Clock;
    readonly recorded: ReadonlySet<string>;
  }) {
    this.#end = options.end;
    this.#rows = options.rows;
    this.#claims = options.claims;
    this.#clock = options.clock;
    this.isAny = [...options.recorded].some(isMailKey);
  }

  /**
   * Returns the messages at a place: the recorded ones, and new ones unless the place has passed. `take` receives the
   * place of the enclosing step's start.
   */
  receive(
    parent: Activity,
    place: MailPlace,
    take: (since: number) => readonly JsonObject[],
  ): readonly JsonObject[] {
    if (this.#end.isOver || parent.isLeftBehind) return [];
    const recorded: JsonObject[] = [];
    let key = place.key;
    for (let count = 2; ; count++) {
      const row = this.#claims.claim(key, "value");
      if (row === "closed") return [];
      if (row === undefined) break;
      recorded.push(...(decode(row.value) as readonly JsonObject[]));
      key = `${place.key}~${count}`;
    }
    if (this.#hasPassed(parent, place)) return recorded;
    const fresh = take(this.startOf(parent));
    if (fresh.length === 0 || !this.#rows.admit(key)) return recorded;
    this.#rows.putValue(key, { parent: parent.key, atMs: this.#clock.now(), value: fresh });
    return [...recorded, ...fresh];
  }

  /** The place of a step's start in the journal; 0 for the program itself. */
  startOf({ key }: Activity): number {
    return key === null ? 0 : (this.#rows.get(key)?.startedSeq ?? 0);
  }

  #hasPassed(parent: Activity, { at, after, step }: MailPlace): boolean {
    if (step === "self") {
      if (this.#rows.has(at)) return true;
    } else {
      if (this.#rows.has(`${at}/files`)) return true;
      if (this.#rows.has(`${at}/llm`)) return this.#rows.get(`${at}/llm`)?.endedSeq !== null;
    }
    if (after === undefined) return false;
    const last = this.#rows.get(step === "self" ? after : `${after}/llm`)?.endedSeq;
    if (last === undefined || last === null) return false;
    const inside = parent.key === null ? "" : `${parent.key}/`;
    const isBeside = (key: string): boolean =>
      ![`${at}/`, `${after}/`].some((own) => key.startsWith(own));
    return this.#rows.hasBegunAfter(last, (key) => key.startsWith(inside) && isBeside(key));
  }
}

/** True for the key of a delivery. */
export function isMailKey(key: string): boolean {
  return /(?:^|\/)mail(?:~\d+)?$/.test(key);
}
