/** Storage of a run's id across reloads. */
export type KeepIn = "storage" | "address";

type Page = {
  readonly sessionStorage?: {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
  };
  readonly location?: { readonly href: string };
  readonly history?: {
    replaceState(data: unknown, unused: string, url: string): void;
    state: unknown;
  };
};

const PREFIX = "edgecrew.id:";

/** Returns the id stored under a name; undefined without one, and on servers. */
export function keptId(name: string, place: KeepIn): string | undefined {
  const { sessionStorage, location } = globalThis as Page;
  try {
    if (place === "storage") return sessionStorage?.getItem(PREFIX + name) ?? undefined;
    return location === undefined
      ? undefined
      : (new URL(location.href).searchParams.get(name) ?? undefined);
  } catch {
    return undefined; // forbidden by the browser's settings
  }
}

/** Stores an id under a name, or deletes it. */
export function keepId(name: string, place: KeepIn, id: string | undefined): void {
  const { sessionStorage, location, history } = globalThis as Page;
  try {
    if (place === "storage") {
      if (id === undefined) sessionStorage?.removeItem(PREFIX + name);
      else sessionStorage?.setItem(PREFIX + name, id);
      return;
    }
    if (location === undefined) return;
    const url = new URL(location.href);
    if (id === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, id);
    history?.replaceState(history.state, "", url.href);
  } catch {
    // Forbidden by the browser's settings: a reload does not find the run.
  }
}
