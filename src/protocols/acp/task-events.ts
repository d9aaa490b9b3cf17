import { log } from "../../base/log.ts";

/** Events of an agent's server, by name. `working` has no event. */
export type TaskEvents = {
  readonly "task:submitted": { readonly taskId: string };
  readonly "task:completed": { readonly taskId: string };
  readonly "task:failed": { readonly taskId: string; readonly error: string };
  readonly "task:canceled": { readonly taskId: string };
  readonly "task:yielded": { readonly taskId: string; readonly reason: string };
  readonly "task:resumed": { readonly taskId: string };
};

/** Called for an event, in the order of `on`. */
export type TaskListener<Name extends keyof TaskEvents> = (event: TaskEvents[Name]) => void;

/** Listeners by event. */
export class TaskEmitter {
  readonly #listeners = new Map<string, Set<(event: never) => void>>();

  /** Calls the listener for each event of this name, until the returned function is called. */
  on<Name extends keyof TaskEvents>(name: Name, listener: TaskListener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** An error of a listener affects neither the task nor other listeners. */
  protected emit<Name extends keyof TaskEvents>(name: Name, event: TaskEvents[Name]): void {
    for (const listener of Array.from(this.#listeners.get(name) ?? []))
      try {
        (listener as TaskListener<Name>)(event);
      } catch (error) {
        log("listener_failed", { event: name }, error);
      }
  }
}
