import { PlatformFault } from "../../src/base/platform-fault.ts";
import type { EventStore } from "../../src/events/event-log.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import type { RunStore } from "../../src/runtime/run-store.ts";

/** What a write is about: the method that was called, with the step's key or the event's type. */
export type Write =
  | `put ${string}`
  | `append ${string}`
  | "save"
  | `setValue ${string}`
  | `putOutbox ${string}`
  | `removeOutbox ${string}`;

/** A store that fails the writes that `fails` picks, as a disk that is full or a platform that takes the object away. */
export function faultyRunStore(store: RunStore, fails: (write: Write) => boolean): RunStore {
  const check = (write: Write): void => {
    if (fails(write)) throw new PlatformFault(`the storage failed at: ${write}`);
  };
  return {
    journal: override<JournalStore>(store.journal, {
      put: (row) => (check(`put ${row.key} ${row.state}`), store.journal.put(row)),
    }),
    events: override<EventStore>(store.events, {
      append: (event) => (check(`append ${event.type}`), store.events.append(event)),
      appendUnread: (make) => {
        const event = make();
        check(`append ${event.type}`);
        store.events.append(event);
      },
    }),
    load: () => store.load(),
    save: (record) => (check("save"), store.save(record)),
    value: (name) => store.value(name),
    setValue: (name, json) => (check(`setValue ${name}`), store.setValue(name, json)),
    outbox: () => store.outbox(),
    putOutbox: (entry) => (check(`putOutbox ${entry.id}`), store.putOutbox(entry)),
    removeOutbox: (entry, options) => (
      check(`removeOutbox ${entry.id}`),
      store.removeOutbox(entry, options)
    ),
    transaction: (change) => store.transaction(change),
    commit: () => store.commit(),
    clear: () => store.clear(),
  };
}

/** `target`, with some methods replaced; the others keep their private state. */
function override<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get: (_, name) => {
      const replaced = (methods as Record<PropertyKey, unknown>)[name];
      const member = (target as Record<PropertyKey, unknown>)[name];
      return replaced ?? (typeof member === "function" ? member.bind(target) : member);
    },
  });
}
