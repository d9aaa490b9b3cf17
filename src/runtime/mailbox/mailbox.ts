// Mailbox: messages sent to a run under way, until code in the run receives them.
//
//   MBX1. A message is one stored value, written in the transaction of its event. The same id again writes nothing.
//   MBX2. Delivery is a reading of the journal (`…/mail`), stored with the model call that sees it: it has the messages
//        themselves, so replays and forks see the same messages at the same places.
//   MBX3. A message reaches a receiver once. Without an address, every agent under way at its arrival receives it, or the
//        next one to call a model, if none was.
//   MBX4. Messages are received in the order of their arrival.
//   MBX5. A message to a run that waits is no answer to its question, and wakes nothing.
//   MBX6. Messages still pending at the end of the run are undelivered; later ones are refused.
//   MBX7. The number, the length and the pending messages of a run are bounded.
import { isoTime, type Clock } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import type { MailPort, MailReceiver, ReceivedMail } from "../../events/mail.ts";
import { isMailKey } from "../../journal/mail-delivery.ts";
import { allRows } from "../../journal/replay-plan.ts";
import type { RunReader } from "../run-reader.ts";
import type { RunStore } from "../run-store.ts";
import type { RunWriter } from "../run-writer.ts";
import { isTerminal } from "../run.ts";
import { isSameName } from "../../text/fold.ts";
import {
  checkMessage,
  isSameMessage,
  MAIL_LIMITS,
  type KeptMessage,
  type MessageReceipt,
  type MessageRequest,
  type RunMessage,
} from "./run-message.ts";

export type MailboxOptions = {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly reader: RunReader;
  readonly writer: RunWriter;
  /** Aborts model calls and tools under way. */
  readonly interrupt: () => void;
};

export class Mailbox implements MailPort {
  readonly #options: MailboxOptions;
  readonly #store: RunStore;
  #messages: KeptMessage[] | undefined;
  /** Keys of the receivers of each message, by its id. */
  #receivers: Map<string, Set<string>> | undefined;

  constructor(options: MailboxOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  get hasMail(): boolean {
    return this.#kept.length > 0;
  }

  /**
   * Accepts a message. Throws `conflict` for an ended run and for another message of this id, `limit_exceeded` for one
   * too many, `invalid_input` for an invalid one.
   */
  send(request: MessageRequest): RunMessage {
    checkMessage(request);
    const { id: runId, status } = this.#options.reader.record();
    const known = this.#kept.find(({ id }) => id === request.id);
    if (known !== undefined) {
      if (isSameMessage(known, request)) return this.#view(known);
      throw new EngineError("conflict", `run ${runId} has another message with the id ${known.id}`);
    }
    if (isTerminal(status))
      throw new EngineError(
        "conflict",
        `run ${runId} is ${status}: no message reaches it any more; start a new run`,
      );
    this.#checkRoom();
    const message = this.#accept(request);
    if (message.mode === "interrupt") this.#options.interrupt();
    return this.#view(message);
  }

  /** The messages of the run, in the order of their arrival. */
  list(): readonly RunMessage[] {
    this.#options.reader.record();
    return this.#kept.map((message) => this.#view(message));
  }

  /** Takes back a pending message. Throws `not_found`, or `conflict` for a message already seen. */
  withdraw(id: string): MessageReceipt {
    const { id: runId } = this.#options.reader.record();
    const place = this.#kept.findIndex((message) => message.id === id);
    const message = this.#kept[place];
    if (message === undefined)
      throw new EngineError("not_found", `run ${runId} has no message ${JSON.stringify(id)}`);
    const receipt = receiptOf(this.#view(message));
    const { state } = receipt;
    if (state === "withdrawn") return receipt;
    if (state !== "pending")
      throw new EngineError("conflict", `message ${id} is ${state} and cannot be withdrawn`);
    const withdrawn: KeptMessage = { ...message, withdrawn: true };
    this.#change(() => {
      this.#put(place, withdrawn);
      this.#options.writer.emit("message_withdrawn", { messageId: id }, place + 1);
    });
    return receiptOf(this.#view(withdrawn));
  }

  take(
    receiver: MailReceiver,
    { key, since }: { readonly key: string; readonly since: number },
  ): readonly ReceivedMail[] {
    const taken = this.#kept.filter((message) => this.#isFor(message, receiver, { key, since }));
    for (const { id } of taken) this.#received(id, key);
    return taken.map(({ id, content, speaker, to }) => ({
      id,
      content,
      ...(speaker === undefined ? undefined : { speaker }),
      ...(to === undefined ? undefined : { to }),
    }));
  }

  /** Reports the messages that nobody has seen, in the transaction of the run's end (MBX6). */
  ends(): void {
    for (const [place, message] of this.#kept.entries())
      if (this.#isPending(message))
        this.#options.writer.emit("message_undelivered", { messageId: message.id }, place + 1);
  }

  /** Drops the state of an ended drive: its last deliveries may be unrecorded. */
  driveEnds(): void {
    this.#receivers = undefined;
  }

  #checkRoom(): void {
    const pending = this.#kept.filter((message) => this.#isPending(message)).length;
    if (this.#kept.length >= MAIL_LIMITS.messages)
      throw new EngineError(
        "limit_exceeded",
        `a run takes at most ${MAIL_LIMITS.messages} messages`,
      );
    if (pending >= MAIL_LIMITS.pending)
      throw new EngineError(
        "limit_exceeded",
        `a run has at most ${MAIL_LIMITS.pending} pending messages`,
      );
  }

  #accept(request: MessageRequest): KeptMessage {
    const { mode = "steer", content, to, speaker } = request;
    const place = this.#kept.length;
    const message: KeptMessage = {
      id: request.id ?? `m${place + 1}`,
      mode,
      content,
      ...(to === undefined ? undefined : { to }),
      ...(speaker === undefined ? undefined : { speaker }),
      sentAtMs: this.#options.clock.now(),
      after: this.#store.journal.lastSeq(),
    };
    const { id: messageId } = message;
    this.#change(() => {
      this.#put(place, message);
      const by = speaker?.name ?? speaker?.id;
      this.#options.writer.emit(
        "message_received",
        { messageId, mode, ...(to && { to }), ...(by && { speaker: by }) },
        place + 1,
      );
    });
    return message;
  }

  /** Makes a change completely or not at all, in memory too. */
  #change(change: () => void): void {
    try {
      this.#options.writer.transaction(change);
    } catch (error) {
      this.#messages = undefined;
      throw error;
    }
  }

  #put(place: number, message: KeptMessage): void {
    this.#store.setValue(valueName(place), JSON.stringify(message));
    this.#kept[place] = message;
  }

  get #kept(): KeptMessage[] {
    if (this.#messages !== undefined) return this.#messages;
    const messages: KeptMessage[] = [];
    for (let json; (json = this.#store.value(valueName(messages.length))) !== undefined;)
      messages.push(JSON.parse(json) as KeptMessage);
    return (this.#messages = messages);
  }

  #isFor(
    message: KeptMessage,
    { names, queue }: MailReceiver,
    { key, since }: { readonly key: string; readonly since: number },
  ): boolean {
    if (message.withdrawn === true) return false;
    const { to, mode, after } = message;
    if (to !== undefined && !names.some((name) => isSameName(to, name))) return false;
    const receivers = this.#receiversOf(message.id);
    if (receivers.has(key)) return false;
    const wasUnderWay = since <= after;
    if (mode === "queue")
      return receivers.size === 0 && (queue === "turn" || (queue === "task" && !wasUnderWay));
    return receivers.size === 0 || wasUnderWay;
  }

  #isPending(message: KeptMessage): boolean {
    return message.withdrawn !== true && this.#receiversOf(message.id).size === 0;
  }

  #receiversOf(id: string): ReadonlySet<string> {
    return this.#deliveries.get(id) ?? NOBODY;
  }

  #received(id: string, key: string): void {
    const receivers = this.#deliveries.get(id);
    if (receivers === undefined) this.#deliveries.set(id, new Set([key]));
    else receivers.add(key);
  }

  /** The recorded deliveries (MBX2). */
  get #deliveries(): Map<string, Set<string>> {
    if (this.#receivers !== undefined) return this.#receivers;
    const receivers = new Map<string, Set<string>>();
    this.#receivers = receivers;
    if (!this.hasMail) return receivers;
    const { journal } = this.#store;
    for (const { key, kind, parent } of allRows(journal)) {
      if (kind !== "value" || !isMailKey(key)) continue;
      const mail = JSON.parse(journal.get(key)?.value ?? "[]") as readonly ReceivedMail[];
      for (const { id } of mail) this.#received(id, parent ?? "");
    }
    return receivers;
  }

  #view(message: KeptMessage): RunMessage {
    const { id, mode, content, to, speaker, sentAtMs, withdrawn } = message;
    const isOver = isTerminal(this.#options.reader.record().status);
    const state =
      withdrawn === true
        ? "withdrawn"
        : !this.#isPending(message)
          ? "delivered"
          : isOver
            ? "undelivered"
            : "pending";
    return {
      id,
      mode,
      content,
      ...(to === undefined ? undefined : { to }),
      ...(speaker === undefined ? undefined : { speaker }),
      state,
      sentAt: isoTime(sentAtMs),
    };
  }
}

function receiptOf({ id, mode, state, sentAt }: RunMessage): MessageReceipt {
  return { id, mode, state, sentAt };
}

const NOBODY: ReadonlySet<string> = new Set();

/** Name of the stored value of the message at a place, from 0. */
function valueName(place: number): string {
  return `message:${place}`;
}
