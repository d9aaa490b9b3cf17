// Event client: who sends events to the runs of a simulation.
import type { StepRecord } from "../../src/journal/journal-store.ts";
import type { OutsideEvent } from "../../src/runtime/outside-events.ts";
import type { RunHost } from "../../src/runtime/run-host.ts";
import type { SimulatedRun } from "./simulated-run.ts";
import type { World } from "./world.ts";

export type EventClientOptions = {
  readonly world: World;
  /** Calls a run until it has said yes or no. */
  readonly insist: <T>(
    run: SimulatedRun,
    action: (host: RunHost) => Promise<T>,
    onAccepted: (value: T) => void,
  ) => void;
  /** Calls a run with what it has been told before. */
  readonly duplicate: (run: SimulatedRun, action: (host: RunHost) => Promise<unknown>) => void;
};

export class EventClient {
  readonly #options: EventClientOptions;
  #late = 0;

  constructor(options: EventClientOptions) {
    this.#options = options;
  }

  /** Sends the events that the world has for the first run, each at its time. */
  begin(root: SimulatedRun): void {
    const { world } = this.#options;
    const events = world.faults.client.events ?? [];
    for (const [index, { atMs, name, fits, id }] of events.entries()) {
      const event = {
        name,
        payload: fits ? `event ${index}` : index,
        ...(id === null ? {} : { id: `e${id}` }),
      };
      world.time.after(atMs, () =>
        id === null ? this.#sendOnce(root, event) : this.#send(root, event),
      );
    }
  }

  /** Sends what an open wait is waiting for. */
  sendTo(run: SimulatedRun, { wait }: Pick<StepRecord, "wait">): void {
    if (wait?.event === undefined) return;
    const nth = this.#late++;
    this.#send(run, { name: wait.event, payload: `late ${nth}`, id: `late-${nth}` });
  }

  #send(run: SimulatedRun, event: OutsideEvent): void {
    const { insist, duplicate, world } = this.#options;
    run.events.sending(event);
    insist(
      run,
      (host) => host.sendEvent(event),
      () => {
        run.events.accepted(event);
        if (world.random() < 0.2) duplicate(run, (host) => host.sendEvent(event));
      },
    );
  }

  #sendOnce(run: SimulatedRun, event: OutsideEvent): void {
    run.events.sending(event);
    run.object.call(
      (host) => host.sendEvent(event),
      () => undefined,
    );
  }
}
