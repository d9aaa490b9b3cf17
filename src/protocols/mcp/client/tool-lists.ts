// Lists of tools that are kept for other runs.
//
//   XL1. A list is kept for one identity: tenant, address, transport and everything that the server could tell callers apart by.
//   XL2. Who asks while the list is on its way waits for that answer. A failure is not kept.
//   XL3. A server that says that its tools have changed is asked again by the next run.
import type { FoundServer } from "./discovery.ts";

const MAX_KEPT = 200;

type Kept = { readonly untilMs: number; readonly found: FoundServer };

/** The lists of tools in this process. */
export class ToolLists {
  readonly #kept = new Map<string, Kept>();
  readonly #asked = new Map<string, Promise<FoundServer>>();

  /** The list under a key, or what `ask` answers, kept for so long. */
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

  /** Forgets the lists of a server, whose keys begin with its address. */
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
