import { DurableObject } from "cloudflare:workers";
import { hostRun, type RunApp, type RunEnv } from "../src/cloudflare/host-run.ts";
import { toResult } from "../src/cloudflare/rpc-result.ts";
import type { RunObjectApi } from "../src/cloudflare/run-object-api.ts";
import type { EventSockets } from "../src/cloudflare/event-sockets.ts";
import { cursorOf, eventStream } from "../src/cloudflare/event-stream.ts";
import type { RunHost } from "../src/runtime/run-host.ts";

type Api<Method extends keyof RunObjectApi> = ReturnType<RunObjectApi[Method]>;

export type CrewRunClass = new (
  ctx: DurableObjectState,
  env: RunEnv,
) => DurableObject<RunEnv> & RunObjectApi;

/** The Durable Object class of an app's runs: one object, one run. */
export function crewRunClass(app: RunApp): CrewRunClass {
  return class CrewRun extends DurableObject<RunEnv> implements RunObjectApi {
    #host: RunHost;
    #sockets: EventSockets;

    constructor(ctx: DurableObjectState, env: RunEnv) {
      super(ctx, env);
      ({ host: this.#host, sockets: this.#sockets } = hostRun(ctx, env, app));
    }

    start(...[start, adopt]: Parameters<RunObjectApi["start"]>): Api<"start"> {
      return toResult(() => this.#host.start(start, adopt));
    }

    begin(start: Parameters<RunObjectApi["begin"]>[0]): Api<"begin"> {
      return toResult(() => this.#host.begin(start));
    }

    childStarts(runIds: readonly string[]): Api<"childStarts"> {
      return toResult(() => this.#host.childStarts(runIds));
    }

    childrenBegun(runIds: readonly string[]): Api<"childrenBegun"> {
      return toResult(() => this.#host.childrenBegun(runIds));
    }

    childEnded(report: Parameters<RunObjectApi["childEnded"]>[0]): Api<"childEnded"> {
      return toResult(() => this.#host.childEnded(report));
    }

    status(): Api<"status"> {
      return toResult(() => this.#host.status());
    }

    settled(timeoutMs: number): Api<"settled"> {
      return toResult(() => this.#host.settled(timeoutMs));
    }

    steps(options: Parameters<RunObjectApi["steps"]>[0]): Api<"steps"> {
      return toResult(() => this.#host.steps(options));
    }

    resume(answer: Parameters<RunObjectApi["resume"]>[0]): Api<"resume"> {
      return toResult(() => this.#host.resume(answer));
    }

    sendEvent(event: Parameters<RunObjectApi["sendEvent"]>[0]): Api<"sendEvent"> {
      return toResult(() => this.#host.sendEvent(event));
    }

    cancel(reason: string | undefined): Api<"cancel"> {
      return toResult(() => this.#host.cancel(reason));
    }

    pause(): Api<"pause"> {
      return toResult(() => this.#host.pause());
    }

    unpause(): Api<"unpause"> {
      return toResult(() => this.#host.unpause());
    }

    recordBefore(point: Parameters<RunObjectApi["recordBefore"]>[0]): Api<"recordBefore"> {
      return toResult(() => this.#host.recordBefore(point));
    }

    checkpoints(options: Parameters<RunObjectApi["checkpoints"]>[0]): Api<"checkpoints"> {
      return toResult(() => this.#host.checkpoints(options));
    }

    forget(): Api<"forget"> {
      return toResult(async () => {
        await this.#host.forget();
        await this.ctx.storage.deleteAll();
        // The next run of this id may be of another program: nothing that was read of this one counts for it.
        ({ host: this.#host, sockets: this.#sockets } = hostRun(this.ctx, this.env, app));
      });
    }

    poke(): Api<"poke"> {
      return toResult(() => this.#host.poke());
    }

    reindex(): Api<"reindex"> {
      return toResult(() => this.#host.reindex());
    }

    /** The run's events: Server-Sent Events, or a WebSocket. An error is answered as its record. */
    override async fetch(request: Request): Promise<Response> {
      const answer = await toResult(() => {
        this.#host.hasToldAll(0); // throws for a run that never was, before anything is opened
        const cursor = cursorOf(request);
        const upgrade = request.headers.get("Upgrade")?.toLowerCase() === "websocket";
        return upgrade ? this.#sockets.accept(cursor) : eventStream(this.#host, cursor);
      });
      return answer.ok ? answer.value : Response.json(answer.error, { status: 500 });
    }

    override alarm(): Promise<void> {
      return this.#host.alarm();
    }

    override webSocketMessage(): void {
      // Listeners only listen; "ping" is answered without waking the object.
    }
  };
}
