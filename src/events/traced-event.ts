// Relations of an event to others in the stream, computed by the reader and not stored with every event.
//
//   TE1. A pure function of the events before it: the same stream gives the same relations, live or from the log.
//   TE2. A reader starting in the middle of a stream misses only earlier facts: tasks and names of scopes opened
//        before.
import { opensScope, type LiveEvent, type RunEvent } from "./run-event.ts";

/** Position of an event among the others, with its task and agent. */
export type EventRelations = {
  /** `id` of the previous event, with `seq` one less. */
  readonly previousEventId?: string;
  /** Step key of the event's task. */
  readonly taskId?: string;
  readonly taskName?: string;
  readonly agentRole?: string;
  /** Fingerprint of the working crew, agent or task: the innermost one with a `securityConfig`. */
  readonly sourceFingerprint?: string;
};

/** An event with its relations. Names in its own payload take precedence over those of the enclosing scopes. */
export type Traced<Event extends RunEvent | LiveEvent = RunEvent | LiveEvent> = Event &
  EventRelations;

type Scope = Omit<EventRelations, "previousEventId">;

export class EventTracer {
  readonly #scopes = new Map<string, Scope>();
  #previousEventId: string | undefined;

  /** Takes the next event of the stream. A live event is outside the order: it becomes no other event's predecessor. */
  trace<Event extends RunEvent | LiveEvent>(event: Event): Traced<Event> {
    const scope = this.#scopeOf(event);
    const previous =
      this.#previousEventId === undefined ? undefined : { previousEventId: this.#previousEventId };
    if ("seq" in event) {
      this.#previousEventId = event.id;
      if (opensScope(event.type)) this.#scopes.set(event.id, scope);
      if (event.startedId !== undefined) this.#scopes.delete(event.startedId);
    }
    return { ...scope, ...previous, ...event };
  }

  #scopeOf(event: RunEvent | LiveEvent): Scope {
    const enclosing =
      this.#scopes.get(event.startedId ?? "") ?? this.#scopes.get(event.parentId ?? "");
    const own = event as {
      taskId?: unknown;
      taskName?: unknown;
      agentRole?: unknown;
      fingerprint?: unknown;
    };
    const taskId = textOf(own.taskId) ?? enclosing?.taskId;
    const taskName = textOf(own.taskName) ?? enclosing?.taskName;
    const agentRole = textOf(own.agentRole) ?? enclosing?.agentRole;
    const sourceFingerprint = textOf(own.fingerprint) ?? enclosing?.sourceFingerprint;
    return {
      ...(taskId === undefined ? undefined : { taskId }),
      ...(taskName === undefined ? undefined : { taskName }),
      ...(agentRole === undefined ? undefined : { agentRole }),
      ...(sourceFingerprint === undefined ? undefined : { sourceFingerprint }),
    };
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
