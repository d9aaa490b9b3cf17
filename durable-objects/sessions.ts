import { DurableObject } from "cloudflare:workers";
import type { JsonValue } from "../src/base/json.ts";
import type { BoundPart, PartSession } from "../src/parts/part.ts";

const KEY = "session";
/** Lifetime of an unused session. */
const UNUSED_MS = 24 * 60 * 60 * 1000;

export type SessionsClass<Env> = new (ctx: DurableObjectState, env: Env) => DurableObject<Env>;

/** The Durable Object class of a part's sessions: one object, one session. */
export function sessionsClass<Env>(
  partOf: (env: Env) => BoundPart | undefined,
): SessionsClass<Env> {
  return class Sessions extends DurableObject<Env> {
    readonly #session: PartSession | undefined;

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env);
      const { storage } = ctx;
      this.#session = partOf(env)?.openSession?.({
        get: () => storage.get<JsonValue>(KEY),
        put: (value) => storage.put(KEY, value),
        clear: () => storage.deleteAll(),
      });
    }

    override async fetch(request: Request): Promise<Response> {
      if (this.#session === undefined) return new Response(null, { status: 404 });
      const response = await this.#session.fetch(request);
      if (response.ok) await this.ctx.storage.setAlarm(Date.now() + UNUSED_MS);
      return response;
    }

    override async alarm(): Promise<void> {
      await this.ctx.storage.deleteAll();
    }
  };
}
