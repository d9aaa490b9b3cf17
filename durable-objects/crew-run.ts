import { DurableObject } from "cloudflare:workers";
import { EngineError } from "../src/base/error.ts";
import type { JsonValue } from "../src/base/json.ts";
import {
  drivePorts,
  hostRun,
  runStoreOf,
  type RunApp,
  type RunEnv,
} from "../src/cloudflare/host-run.ts";
import { toResult, type RpcResult } from "../src/cloudflare/rpc-result.ts";
import type { RunObjectApi, StoreObjectApi } from "../src/cloudflare/runs/run-object-api.ts";
import type { EventSockets } from "../src/cloudflare/runs/event-sockets.ts";
import { KEY_HASH_HEADER } from "../src/parts/key-store.ts";
import { cursorOf, eventStream } from "../src/cloudflare/runs/event-stream.ts";
import type { RunHost } from "../src/runtime/run-host.ts";
import {
  runOperation,
  type OperationInput,
  type OperationResult,
  type RunOperation,
} from "../src/runtime/run-operations.ts";

export type CrewRunClass = {
  new (ctx: DurableObjectState, env: RunEnv): DurableObject<RunEnv> & RunObjectApi & StoreObjectApi;
  /** Runtime for the replay of open runs by `edgecrew deploy`, before the code is deployed. */
  readonly verifiable: (
    env: RunEnv,
  ) => ReturnType<typeof drivePorts> & { readonly versioned: NonNullable<RunApp["versioned"]> };
};

/** The Durable Object class of an app's runs: one object, one run. */
export function crewRunClass(app: RunApp): CrewRunClass {
  return class CrewRun extends DurableObject<RunEnv> implements RunObjectApi, StoreObjectApi {
    static readonly verifiable = (env: RunEnv) => ({
      ...drivePorts(env, app),
      versioned: app.versioned ?? {},
    });

    #host: RunHost;
    #sockets: EventSockets;

    constructor(ctx: DurableObjectState, env: RunEnv) {
      super(ctx, env);
      ({ host: this.#host, sockets: this.#sockets } = hostRun(ctx, env, app));
    }

    /** Reads the run from the storage again. */
    #load(): void {
      ({ host: this.#host, sockets: this.#sockets } = hostRun(this.ctx, this.env, app));
    }

    call<Name extends RunOperation>(
      operation: Name,
      input: OperationInput<Name>,
    ): Promise<RpcResult<OperationResult<Name>>> {
      return toResult(async () => {
        const result = await runOperation(this.#host, operation, input);
        if (operation === "forget") {
          await this.ctx.storage.deleteAll();
          // The next run of this id may have another program, so no state of this one is reused.
          this.#load();
        }
        return result;
      });
    }

    inStore(part: string, input: JsonValue): Promise<RpcResult<JsonValue>> {
      return toResult(() => {
        const store = runStoreOf(this.ctx);
        const result = storeWorkOf(app, part)(store, input);
        store.commit(); // the next store reads it from the storage
        this.#load();
        return result;
      });
    }

    /** The run's events: Server-Sent Events, or a WebSocket. An error is returned as its record. */
    override async fetch(request: Request): Promise<Response> {
      const answer = await toResult(() => this.#follow(request));
      return answer.ok ? answer.value : Response.json(answer.error, { status: 500 });
    }

    #follow(request: Request): Response | Promise<Response> {
      this.#host.reader.record(); // throws for a run that never existed, before any subscription is opened
      const cursor = cursorOf(request);
      const upgrade = request.headers.get("Upgrade")?.toLowerCase() === "websocket";
      return upgrade
        ? this.#sockets.accept(cursor, request.headers.get(KEY_HASH_HEADER))
        : eventStream(this.#host, cursor);
    }

    override alarm(): Promise<void> {
      return this.#host.alarm();
    }

    override webSocketMessage(): void {
      // Clients only receive; "ping" is answered without waking the object.
    }
  };
}

/** Returns the work of a part inside of a run's store. Throws `unavailable` for a part that the Worker lacks. */
function storeWorkOf(
  { parts }: RunApp,
  part: string,
): NonNullable<RunApp["parts"][number]["inStore"]> {
  const work = parts.find(({ name }) => name === part)?.inStore;
  if (work !== undefined) return work;
  throw new EngineError("unavailable", `the Worker has no part ${part} for its runs yet`, {
    retryable: true,
  });
}
