import type { RunState } from "./run-state.ts";

/** What is kept of a run over a reload. */
export type SavedRun = { readonly lastSeq: number; readonly state: RunState };

/** Where runs are kept over a reload. Both may be asynchronous, as on phones. */
export type Persist = {
  readonly save: (id: string, saved: SavedRun) => void | Promise<void>;
  readonly load: (id: string) => SavedRun | undefined | Promise<SavedRun | undefined>;
};

type Storage = {
  readonly getItem: (key: string) => string | null;
  readonly setItem: (key: string, value: string) => void;
};

/** The version of `RunState`: what another one has saved is not read. */
const PREFIX = "edgecrew.run/1:";

/** Keeps runs in `sessionStorage`, for as long as the tab is open. Where there is none, or it is full, nothing is kept. */
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
