// Runs that are killed again and again while people write to them, and a book of each message.
import { sleep } from "../../src/base/clock.ts";
import type { JsonValue } from "../../src/base/json.ts";
import type { MailMode, MailReceiver } from "../../src/events/mail.ts";
import type { RunScope } from "../../src/events/run-scope.ts";
import { SqlRunStore } from "../../src/cloudflare/runs/sql-run-store.ts";
import { EngineError } from "../../src/base/error.ts";
import { PlatformFault } from "../../src/base/platform-fault.ts";
import type { RunStore } from "../../src/runtime/run-store.ts";
import { isTerminal } from "../../src/runtime/run.ts";
import { faultyRunStore } from "./faulty-run-store.ts";
import { sqliteInMemory } from "./run-stores.ts";
import { RunWorld } from "./run-world.ts";

const CALL_MS = 10;
const TURNS = 6;
const MODES: readonly MailMode[] = ["steer", "steer", "steer", "queue", "interrupt"];

/** A store with a planted bug. */
export type PlantedStore = (store: RunStore) => RunStore;

type Sent = { readonly id: string; readonly mode: MailMode; readonly withdrawn: boolean };

export type KilledRun = { readonly kills: number; readonly faults: readonly string[] };

/** Numbers in [0, 1) from a seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

/** Plays one run with `messages` messages; kills its process at random writes and moments. */
export async function playKilledRun(
  seed: number,
  messages: number,
  bug?: PlantedStore,
): Promise<KilledRun> {
  return new MailWorld(seed, messages, bug).play();
}

class MailWorld {
  readonly #random: () => number;
  readonly #messages: number;
  readonly #bug: PlantedStore | undefined;
  readonly #database = sqliteInMemory();
  readonly #faults: string[] = [];
  /** Accepted messages, in the order of their arrival. */
  readonly #accepted: Sent[] = [];
  #store!: SqlRunStore;
  #world!: RunWorld;
  #kills = 0;
  #writesLeft = Infinity;
  #isDead = false;

  constructor(seed: number, messages: number, bug: PlantedStore | undefined) {
    this.#random = numbers(seed);
    this.#messages = messages;
    this.#bug = bug;
  }

  async play(): Promise<KilledRun> {
    const world = (this.#world = new RunWorld((scope) => this.#program(scope), {
      fixture: { store: this.#open(), reopen: () => this.#open() },
      wrap: (store) => this.#wrapped(store),
    }));
    await world.start();
    let sent = 0;
    for (let round = 0; round < 400; round++) {
      void world.ring().catch(() => undefined);
      await world.clock.advance(Math.floor(this.#random() * CALL_MS));
      if (this.#isDead) await this.#revive();
      else if (this.#random() < 0.15) await this.#kill();
      if (sent < this.#messages && this.#random() < 0.5) this.#send(sent++);
      if (isTerminal(this.#store.load()?.status ?? "queued")) break;
      if (this.#random() < 0.2) this.#writesLeft = Math.floor(this.#random() * 6);
    }
    this.#writesLeft = Infinity;
    for (let round = 0; round < 200; round++) {
      if (this.#isDead) await this.#revive();
      await world.clock.advance(1_000);
      void world.ring().catch(() => undefined);
      await world.clock.settle();
      if (isTerminal(this.#store.load()?.status ?? "queued")) break;
    }
    this.#checkEnd();
    return { kills: this.#kills, faults: this.#faults };
  }

  async #program(scope: RunScope): Promise<JsonValue> {
    const talk = (name: string, receiver: Partial<MailReceiver> = {}): Promise<JsonValue> =>
      scope.at(name).group("agent", (inside) => this.#talk(inside, { names: [name], ...receiver }));
    const both = await Promise.all([talk("a"), talk("b")]);
    return [...both, await talk("c", { queue: "task" })];
  }

  async #talk(scope: RunScope, receiver: MailReceiver): Promise<JsonValue> {
    const transcript: string[] = [];
    for (let turn = 1; turn <= TURNS; turn++) {
      const place = scope.at(`turn:${turn}`);
      transcript.push(...place.mail(receiver).map(({ id }) => id));
      const words = [...transcript];
      const call = place.at("llm").step<string[]>({
        kind: "model",
        run: async ({ signal }) => {
          this.#checkCall(place.path, scope.path, words);
          await sleep(this.#world.clock, CALL_MS, signal);
          return words;
        },
      });
      const answer = await call.catch((error: unknown) => {
        if (EngineError.is(error) && error.code === "interrupted") return words;
        throw error;
      });
      if (JSON.stringify(answer) !== JSON.stringify(words))
        this.#faults.push(`${place.path} answered ${answer.join()} and has now ${words.join()}`);
    }
    return transcript;
  }

  /** A model call begins: it sees each message to the agent so far, once, in order. */
  #checkCall(place: string, talk: string, words: readonly string[]): void {
    if (new Set(words).size < words.length)
      this.#faults.push(`${place} sees one twice: ${words.join()}`);
    const order = this.#accepted.map(({ id }) => id);
    const places = words.map((id) => order.indexOf(id)).filter((at) => at >= 0);
    if (places.some((at, index) => at < (places[index - 1] ?? -1)))
      this.#faults.push(`${place} sees ${words.join()} out of order`);
    const began = this.#store.journal.get(talk)?.startedSeq ?? Infinity;
    const due = this.#accepted.filter(
      ({ id, mode, withdrawn }) => mode !== "queue" && !withdrawn && this.#placeOf(id) >= began,
    );
    for (const { id } of due)
      if (!words.includes(id)) this.#faults.push(`${place} does not see ${id}`);
    for (const { id, withdrawn } of this.#accepted)
      if (withdrawn && words.includes(id)) this.#faults.push(`${place} sees withdrawn ${id}`);
  }

  /** The place in the journal at which a message arrived. */
  #placeOf(id: string): number {
    for (let n = 0; ; n++) {
      const json = this.#store.value(`message:${n}`);
      if (json === undefined) return -1;
      const kept = JSON.parse(json) as { readonly id: string; readonly after: number };
      if (kept.id === id) return kept.after;
    }
  }

  #checkEnd(): void {
    const { host, store } = this.#world;
    const record = this.#store.load();
    if (record?.status !== "completed") {
      this.#faults.push(`the run is ${record?.status}: ${record?.error?.message}`);
      return;
    }
    const { items } = { items: host.mailbox.list() };
    const listed = items.map(({ id }) => id);
    for (const { id, withdrawn } of this.#accepted) {
      if (listed.filter((each) => each === id).length !== 1)
        this.#faults.push(`${id} was accepted and is listed ${listed.join()}`);
      const state = items.find((each) => each.id === id)?.state;
      if ((state === "withdrawn") !== withdrawn || state === "pending")
        this.#faults.push(`${id} is ${state} at the end`);
    }
    const events = store.events.read(0, 100_000);
    const told = (type: string, id: string): number =>
      events.filter(
        (event) => event.type === type && (event as { messageId?: string }).messageId === id,
      ).length;
    for (const { id, state } of items) {
      if (told("message_received", id) !== 1) this.#faults.push(`${id} has no single receipt`);
      const isDelivered = told("message_delivered", id) > 0;
      if (isDelivered !== (state === "delivered")) this.#faults.push(`${id} is ${state}: no event`);
      if ((told("message_undelivered", id) === 1) !== (state === "undelivered"))
        this.#faults.push(`${id} is ${state}: its end is not told`);
    }
  }

  /** Sends a message like a client: again with the same id until it is accepted. */
  #send(n: number): void {
    const id = `m${n}`;
    const mode = MODES[Math.floor(this.#random() * MODES.length)] ?? "steer";
    for (let attempt = 0; attempt < 2 && !this.#isDead; attempt++) {
      try {
        this.#world.host.mailbox.send({ id, mode, content: id });
        const isNew = !this.#accepted.some((each) => each.id === id);
        if (isNew) this.#accepted.push({ id, mode, withdrawn: this.#withdraws(id) });
        if (this.#random() < 0.7) return;
      } catch (error) {
        if (EngineError.is(error) && error.code === "conflict") return;
        if (!PlatformFault.is(error)) throw error;
        return;
      }
    }
  }

  #withdraws(id: string): boolean {
    if (this.#random() > 0.1 || this.#isDead) return false;
    return this.#world.host.mailbox.withdraw(id).state === "withdrawn";
  }

  #open(): SqlRunStore {
    return (this.#store = new SqlRunStore(this.#database));
  }

  #wrapped(store: RunStore): RunStore {
    const own = this.#store;
    const changed = this.#bug?.(store) ?? store;
    return faultyRunStore(changed, () => {
      if (own !== this.#store) return true;
      if (this.#writesLeft-- > 0) return false;
      this.#isDead = true;
      own.close();
      return true;
    });
  }

  async #kill(): Promise<void> {
    this.#store.close();
    await this.#revive();
  }

  async #revive(): Promise<void> {
    this.#kills++;
    this.#isDead = false;
    this.#writesLeft = Infinity;
    this.#store.close();
    this.#world.deployAs(`${this.#kills}`); // its crash counts a quarter
    const { alarm, clock, host } = this.#world;
    if (alarm.dueAtMs === null) await host.poke();
    if (alarm.dueAtMs !== null && alarm.dueAtMs > clock.now())
      await clock.advance(alarm.dueAtMs - clock.now());
  }
}
