// A conversation that proceeds only as far as its reader asks.
//
//   RST1. The run starts when the reader asks for the first event.
//   RST2. After a yielded event, no further step of the run starts until the reader asks for the next event.
//   RST3. `yieldOn` names the yielded types; questions to people are always yielded. `run_completion` never is: it ends
//         the reading, and an error is thrown.
//   RST4. A reader that leaves early cancels the run, unless `detach` lets it continue.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { RunServices } from "../../events/run-services.ts";
import type { LocalRunOptions } from "../../runtime/handle/local-run.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import { isTerminal } from "../../runtime/run.ts";
import type { Ag2Event, Ag2Type } from "./ag2-contents.ts";
import { Ag2View } from "./ag2-events.ts";
import { answerable, ConversationValues } from "./conversation-values.ts";

/** Starts a conversation as a run in this process. */
export type ConversationStart<Output extends JsonValue = JsonValue> = (
  run: LocalRunOptions,
) => RunHandle<Output>;

/** Options of stepping through a conversation. */
export type StepOptions = {
  /** Types of events to stop at; `custom:<name>` is an event that a tool emits under this name. @default all */
  readonly yieldOn?: readonly (Ag2Type | `custom:${string}`)[] | null;
  /** Set to let the run continue after its reader leaves. @default false */
  readonly detach?: boolean;
};

const OPTIONS = definitionOptions<StepOptions>("new RunSteps()", {
  yieldOn: true,
  detach: true,
});

/** A conversation to step through with `for await`, and its result. */
export class RunSteps<Output extends JsonValue = JsonValue> extends ConversationValues {
  readonly #start: ConversationStart<Output>;
  readonly #options: StepOptions;
  readonly #run: LocalRunOptions;
  #handle: RunHandle<Output> | undefined;

  constructor(
    start: ConversationStart<Output>,
    options: StepOptions = {},
    run: LocalRunOptions = {},
  ) {
    super();
    refuseUnknownOptions(options, OPTIONS, new.target !== RunSteps);
    this.#start = start;
    this.#options = options;
    this.#run = run;
  }

  /** The run, after the request for the first event. */
  get handle(): RunHandle<Output> | undefined {
    return this.#handle;
  }

  /** Begins the run. Throws `conflict` on the second call. */
  override async *[Symbol.asyncIterator](): AsyncGenerator<Ag2Event> {
    if (this.#handle !== undefined)
      throw new EngineError("conflict", "the run is stepped through once, and that has begun");
    const gate = new StepGate();
    const services: RunServices = { ...this.#run.services, stepping: (seq) => gate.pass(seq) };
    const handle = (this.#handle = this.#start({ ...this.#run, services }));
    const view = new Ag2View();
    try {
      for await (const event of handle.events({ words: "receive" })) {
        for (const each of view.read(event))
          if (this.#isYielded(each)) yield answerable(each, handle);
        if ("seq" in event) gate.read(event.seq);
      }
      await handle.output();
    } finally {
      if (this.#options.detach !== true) await cancel(handle);
      gate.open();
    }
  }

  protected override async result(): Promise<JsonValue> {
    if (this.#handle === undefined)
      throw new EngineError("conflict", "the run has not begun: ask for its first event");
    return this.#handle.output();
  }

  #isYielded(event: Ag2Event): boolean {
    const { type } = event;
    if (type === "run_completion" || type === "error") return false;
    const { yieldOn } = this.#options;
    if (type === "input_request" || !yieldOn || yieldOn.includes(type)) return true;
    return type === "custom" && yieldOn.includes(`custom:${event.content.name}`);
  }
}

async function cancel(handle: Pick<RunHandle, "status" | "cancel">): Promise<void> {
  const { status } = await handle.status();
  if (isTerminal(status)) return;
  await handle.cancel("its reader left").catch((error: unknown) => {
    if (!EngineError.is(error) || error.code !== "conflict") throw error; // it has ended meanwhile
  });
}

/** Starts steps once the events before them were read. */
class StepGate {
  #seq = 0;
  readonly #held = new Map<() => void, number>();

  /** Resolves after the events up to `seq` were read. */
  async pass(seq: number): Promise<void> {
    if (seq <= this.#seq) return;
    await new Promise<void>((resolve) => this.#held.set(resolve, seq));
  }

  read(seq: number): void {
    this.#seq = seq;
    for (const [resolve, until] of this.#held)
      if (until <= seq) {
        this.#held.delete(resolve);
        resolve();
      }
  }

  open(): void {
    this.read(Number.POSITIVE_INFINITY);
  }
}
