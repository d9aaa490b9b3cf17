// Cached lists of tools for other runs.
//
//   XL1. A list is cached for one identity: tenant, address, transport and everything else that distinguishes callers
//        for the server.
//   XL2. Requests during a pending one share its answer. A failure is not cached.
//   XL3. After a server's report of changed tools, the next run asks it again.
import type { FoundServer } from "./discovery.ts";

const MAX_KEPT = 200;

type Kept = { readonly untilMs: number; readonly found: FoundServer };

/** Lists of tools in this process. */
export class ToolLists {
  readonly #kept = new Map<string, Kept>();
  readonly #asked = new Map<string, Promise<FoundServer>>();

  /** Returns the list under a key, or the answer of `ask`, cached for `keepMs`. */
  get(
    key: string,
    { nowMs, keepMs }: { readonly nowMs: number; readonly keepMs: number },
    ask: () => Promise<FoundServer>,
  ): Promise<FoundServer> {
    if (keepMs <= 0) return ask();
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.untilMs > nowMs) return Promise.resolve(kept.found);
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked.catch(() => ask());
    const answer = ask().then((found) => {
      this.#keep(key, { found, untilMs: nowMs + keepMs });
      return found;
    });
    this.#asked.set(key, answer);
    const forget = (): void => void this.#asked.delete(key);
    answer.then(forget, forget);
    return answer;
  }

  /** Drops the lists of a server: all keys with its address as prefix. */
  drop(url: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(`${url} `)) this.#kept.delete(key);
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
  }
}
