// Changes of the tenant's runs, for every page of every tab. All pages share one client, and each browser one
// connection.
import type { ChangesConnection, RunChange } from "../../src/client/index.ts";
import { client } from "../api.ts";
import { Watched } from "./watched.ts";

/** State of the connection. */
export type Connection = ChangesConnection | { readonly state: "offline" };

export const connection = new Watched<Connection>({ state: "connecting" });

export function onChange(listener: (change: RunChange) => void): () => void {
  return client.runs.changes(listener);
}

/** Follows changes and shows the state of the connection; the returned function ends it. Called once after a login. */
export function followChanges(): () => void {
  return client.runs.changes(
    () => undefined,
    (now) =>
      connection.set(now.state === "retrying" && !navigator.onLine ? { state: "offline" } : now),
  );
}
