// Planted bugs of events from outside, and of events of a tool's own; see planted-bugs.ts.
import { OutsideEvents, type EventHost } from "../../src/runtime/outside-events.ts";
import type { RunScope } from "../../src/events/run-scope.ts";
import type { RunHostPorts } from "../../src/runtime/run-host.ts";
import { overriding, withScope, withStore } from "./overriding.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import { emittingPrograms, eventPrograms } from "./programs.ts";

export const EVENT_BUGS: readonly PlantedBug[] = [
  {
    name: "event-ends-all-waits-of-its-name",
    rules: ["FT1"],
    breaks: "An event ends every open wait for its name.",
    programs: eventPrograms,
    ports: (ports) =>
      withEvents(ports, (host) => ({
        settle: (key, value) => {
          const { event } = host.store.journal.get(key)?.wait ?? {};
          const others = host.store.journal.waits().filter(({ wait }) => wait?.event === event);
          const settled = host.settle(key, value);
          for (const other of others) if (other.key !== key) host.settle(other.key, value);
          return settled;
        },
      })),
  },
  {
    name: "early-event-is-not-kept",
    rules: ["FT1", "OE2"],
    breaks: "An event that nobody waits for yet counts as kept, and is not on record.",
    programs: eventPrograms,
    ports: (ports) =>
      withStore(ports, (store) => ({
        setValue: (name, json) => store.setValue(name, without("kept", name, json)),
      })),
  },
  {
    name: "kept-event-need-not-fit",
    rules: ["FT2"],
    breaks: "An event that was kept ends a wait whose schema it does not fit.",
    programs: eventPrograms,
    ports: (ports) =>
      withEvents(ports, ({ store }) => ({
        store: overriding(store, {
          journal: overriding(store.journal, {
            waits: () =>
              store.journal.waits().map((row) => {
                if (row.wait?.schema === undefined) return row;
                const { schema: _, ...wait } = row.wait;
                return { ...row, wait };
              }),
          }),
        }),
      })),
  },
  {
    name: "repeated-event-counts-again",
    rules: ["OE4"],
    breaks: "An event that comes again with its id counts again.",
    programs: eventPrograms,
    ports: (ports) =>
      withStore(ports, (store) => ({
        setValue: (name, json) => store.setValue(name, without("ids", name, json)),
      })),
  },
  {
    name: "event-of-a-repeated-call-is-lost",
    rules: ["TEV1"],
    breaks:
      "An execution of a tool that runs again emits nothing, also what the first one had not come to.",
    programs: emittingPrograms,
    ports: (ports) =>
      withScope(ports, {
        emit: (type, at, emit) => (isRepeated(ports, type, at) ? "" : emit(at)),
      }),
  },
  {
    name: "event-of-a-repeated-call-counts-again",
    rules: ["TEV1"],
    breaks: "An execution of a tool that runs again has its events stored again.",
    programs: emittingPrograms,
    ports: (ports) =>
      withScope(ports, {
        emit: (type, at, emit) => emit(isRepeated(ports, type, at) ? at.at("again") : at),
      }),
  },
  {
    name: "event-ends-the-newest-wait",
    rules: ["OE1"],
    breaks: "Of several waits for its name an event ends the one that was opened last.",
    programs: eventPrograms,
    ports: (ports) =>
      withEvents(ports, ({ store }) => ({
        store: overriding(store, {
          journal: overriding(store.journal, { waits: () => store.journal.waits().toReversed() }),
        }),
      })),
  },
];

/** True for an event of a tool's own whose call has been executed before. */
function isRepeated({ store }: RunHostPorts, type: string, { path }: RunScope): boolean {
  if (type !== "custom_event_emitted") return false;
  const row = store.journal.get(path.slice(0, path.lastIndexOf("/event:")));
  return row !== undefined && row.attempt > 1;
}

/** What a run notes of its events, with none in one list. */
function without(list: "kept" | "ids", name: string, json: string): string {
  if (name !== "outside-events") return json;
  return JSON.stringify({ ...(JSON.parse(json) as object), [list]: [] });
}

/** A program that takes events in another way. */
function withEvents(
  ports: RunHostPorts,
  change: (host: EventHost) => Partial<EventHost>,
): RunHostPorts {
  return {
    ...ports,
    program: (start) => {
      const program = ports.program(start);
      const outsideEvents = (host: EventHost): OutsideEvents =>
        new OutsideEvents({ ...host, ...change(host) });
      return overriding(program, { outsideEvents });
    },
  };
}
