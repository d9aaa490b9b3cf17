// WebSockets of one client, and their availability.
//
//   SOK1. A socket failure before opening rests all sockets for a minute, doubled with each further failure, at most a
//         quarter of an hour. An opened socket ends the rest.
//   SOK2. A socket left by the caller before opening does not count.
//   SOK3. A socket without result after 15 seconds has failed.
import type { Clock } from "../base/clock.ts";

/** Socket class of the platform. */
export type SocketClass = new (url: string, protocols: string[]) => ClientSocket;

/** Members of a WebSocket used by the client. */
export type ClientSocket = {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  onerror: ((event: unknown) => void) | null;
  onopen: ((event: unknown) => void) | null;
  close(): void;
};

/** An opening socket, with the `Sockets` for its result. */
export type EventSocket = {
  readonly socket: ClientSocket;
  readonly sockets: Sockets;
  /** Gets another token, after the server has refused this one. */
  readonly renew: () => Promise<void>;
};

export const OPEN_TIMEOUT_MS = 15_000;

const FIRST_REST_MS = 60_000;
const MAX_REST_MS = 15 * 60_000;

export class Sockets {
  readonly #clock: Clock;
  #class: SocketClass | undefined;
  #failures = 0;
  #restsUntilMs = 0;

  constructor(clock: Clock, socketClass: SocketClass | undefined) {
    this.#clock = clock;
    this.#class = socketClass;
  }

  /** Milliseconds until the next socket attempt, 0 for now; undefined on platforms without sockets. */
  get readyInMs(): number | undefined {
    if (this.#class === undefined) return undefined;
    return Math.max(0, this.#restsUntilMs - this.#clock.now());
  }

  /** Returns undefined if the platform refuses the address, which counts as a failure. */
  open(url: string, protocols: string[]): ClientSocket | undefined {
    if (this.#class === undefined) return undefined;
    try {
      return new this.#class(url, protocols);
    } catch {
      this.failed();
      return undefined;
    }
  }

  opened(): void {
    this.#failures = 0;
    this.#restsUntilMs = 0;
  }

  /** Disables sockets, because they cannot carry this client's requests. */
  close(): void {
    this.#class = undefined;
  }

  failed(): void {
    const restMs = Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** this.#failures++);
    this.#restsUntilMs = this.#clock.now() + restMs;
  }
}
