import type { RunState } from "./run-state.ts";

/** State of a run stored across reloads. */
export type SavedRun = { readonly lastSeq: number; readonly state: RunState };

/** Storage of runs across reloads. Both functions may be asynchronous, as on phones. */
export type Persist = {
  readonly save: (id: string, saved: SavedRun) => void | Promise<void>;
  readonly load: (id: string) => SavedRun | undefined | Promise<SavedRun | undefined>;
};

type Storage = {
  readonly getItem: (key: string) => string | null;
  readonly setItem: (key: string, value: string) => void;
};

/** Contains the version of `RunState`: states of other versions are ignored. */
const PREFIX = "edgecrew.run/1:";

/** Stores runs in `sessionStorage`, for as long as the tab is open. Stores nothing if it is missing or full. */
export function sessionPersist(storage?: Storage): Persist {
  const place = (): Storage | undefined => {
    try {
      return storage ?? (globalThis as { sessionStorage?: Storage }).sessionStorage;
    } catch {
      return undefined; // forbidden by the browser's settings
    }
  };
  return {
    save: (id, saved) => {
      try {
        place()?.setItem(PREFIX + id, JSON.stringify(saved));
      } catch {
        // Full: after a reload the run is read from its start.
      }
    },
    load: (id) => {
      try {
        const text = place()?.getItem(PREFIX + id);
        return text === null || text === undefined ? undefined : (JSON.parse(text) as SavedRun);
      } catch {
        return undefined;
      }
    },
  };
}
