// The console's pages before a Worker that is not there: one very long run, which may go on as fast as one likes, and a list of
// runs. For what a real Worker would need minutes to bring about.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { servePage } from "./console-files.ts";

export type LongRunOptions = {
  /** Rows of the journal when it begins. */
  readonly rows: number;
  readonly isOver?: boolean;
  /** Runs in the list, the long one not counted. */
  readonly runs?: number;
  /** Waits so long between its first and its second half. */
  readonly waitMs?: number;
};

type Row = {
  readonly key: string;
  readonly kind: string;
  readonly parent?: string;
  readonly label: string;
  readonly state: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly seq: { readonly start: number; readonly end?: number };
  readonly attempt: number;
  readonly bytes: number;
  readonly usage?: typeof USAGE;
};

const BEGUN_MS = Date.UTC(2026, 5, 1, 9);
const TURNS = 40;
const iso = (ms: number): string => new Date(ms).toISOString();

export class LongRunServer {
  readonly url: string;
  /** Methods and paths with their queries, in the order in which they were asked for. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #rows: Row[] = [];
  readonly #listeners = new Set<ServerResponse>();
  readonly #changes = new Set<ServerResponse>();
  readonly #options: LongRunOptions;
  readonly #events: { readonly seq: number; readonly type: string }[] = [];
  #isCut = false;
  #seq = 0;
  #stepCount = 0;
  #atMs = BEGUN_MS;

  private constructor(server: Server, options: LongRunOptions) {
    this.#server = server;
    this.#options = options;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (let index = 0; index < options.rows; index++) {
      if (index === Math.floor(options.rows / 2) && options.waitMs !== undefined) this.#wait();
      else this.#step();
    }
  }

  static async start(options: LongRunOptions): Promise<LongRunServer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const world = new LongRunServer(server, options);
    server.on("request", (request, response) => world.#answer(request, response));
    return world;
  }

  get rowCount(): number {
    return this.#rows.length;
  }

  /** Open streams of `GET /changes`. */
  get changeStreams(): number {
    return this.#changes.size;
  }

  /** Tells all streams that a run is new. */
  change(id: string): void {
    this.#seq += 1;
    const run = { ...this.#summary(0), id, createdAt: iso(Date.now()), change: this.#seq };
    for (const each of this.#changes) tell(each, "run", run);
  }

  /** Goes on by so many steps, each with two events. */
  goOn(count: number): void {
    for (let done = 0; done < count; done++) {
      const row = this.#step();
      const isModel = row.kind === "model";
      const events = [
        { type: isModel ? "llm_call_started" : "tool_usage_started", at: row.startedAt },
        {
          type: isModel ? "llm_call_completed" : "tool_usage_finished",
          at: row.endedAt,
          ...(isModel && { callId: row.key, response: "Said.", usage: USAGE }),
        },
      ];
      for (const event of events) {
        const kept = { seq: ++this.#seq, runId: "long", path: row.key, ...event };
        this.#events.push(kept);
        for (const each of this.#listeners) send(each, kept.seq, kept);
      }
    }
  }

  /** Ends all streams and answers nobody, until it is called with false. */
  cut(isCut: boolean): void {
    this.#isCut = isCut;
    if (!isCut) return;
    for (const each of [...this.#listeners, ...this.#changes]) each.destroy();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #step(): Row {
    const index = this.#stepCount++;
    const task = `task:part-${Math.floor(index / (TURNS * 2))}`;
    const place = index % (TURNS * 2);
    const turn = `${task}/turn:${Math.floor(place / 2) + 1}`;
    if (place === 0) this.#put({ key: task, kind: "task", label: task.slice(5) });
    return place % 2 === 0
      ? this.#put({ key: `${turn}/llm`, kind: "model", parent: task, label: "canned" })
      : this.#put({ key: `${turn}/tool:search#0`, kind: "tool", parent: task, label: "search" });
  }

  #wait(): void {
    const ms = this.#options.waitMs ?? 0;
    this.#put({ key: "wait:someday", kind: "wait", label: "someday" }, ms);
  }

  #put(row: Pick<Row, "key" | "kind" | "parent" | "label">, tookMs = 40): Row {
    const startedAt = iso(this.#atMs);
    this.#atMs += tookMs;
    const seq = this.#rows.length * 2 + 1;
    const made: Row = {
      ...row,
      state: "done",
      startedAt,
      endedAt: iso(this.#atMs),
      seq: { start: seq, end: seq + 1 },
      attempt: 1,
      bytes: 20,
      ...(row.kind === "model" && { usage: USAGE }),
    };
    this.#rows.push(made);
    return made;
  }

  #answer(request: IncomingMessage, response: ServerResponse): unknown {
    const url = new URL(request.url ?? "/", this.url);
    if (url.pathname.startsWith("/console")) {
      return servePage(url.pathname, response);
    }
    this.requests.push(`${request.method} ${url.pathname}${url.search}`);
    if (this.#isCut) {
      return request.destroy();
    }
    const wantsStream = request.headers.accept?.includes("event-stream") === true;
    const json = (value: unknown, status = 200): void => {
      response.writeHead(status, {
        "content-type": status === 200 ? "application/json" : "application/problem+json",
      });
      response.end(JSON.stringify(value));
    };
    switch (url.pathname) {
      case "/runs":
        return json(this.#list(url.searchParams));
      case "/runs/long":
        return json({ ...this.#summary(-1), inputs: {}, waits: [], usage: USAGE });
      case "/runs/long/journal":
        return json(this.#journal(url.searchParams));
      case "/runs/long/events":
        if (wantsStream) {
          this.#stream(response, this.#listeners, request);
          const after = Number(request.headers["last-event-id"] ?? 0);
          for (const event of this.#events) if (event.seq > after) send(response, event.seq, event);
          return undefined;
        }
        return json(this.#eventPage(url.searchParams));
      case "/changes":
        if (wantsStream) {
          this.#stream(response, this.#changes, request);
          return tell(response, "position", { change: this.#seq });
        }
        return json({ items: [], next: 0, more: false });
      case "/waits":
        return json({ items: [] });
      default:
        if (url.pathname.endsWith("/cancel"))
          return url.pathname.endsWith("5/cancel")
            ? json({ code: "conflict", title: "x", detail: "the run has ended", status: 409 }, 409)
            : json({ ...this.#summary(0), status: "cancelled" });
        return json({ code: "not_found", title: "not found", status: 404 }, 404);
    }
  }

  #stream(response: ServerResponse, streams: Set<ServerResponse>, request: IncomingMessage): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": open\n\n");
    streams.add(response);
    request.on("close", () => streams.delete(response));
    response.on("close", () => streams.delete(response));
  }

  #journal(query: URLSearchParams): object {
    const limit = Number(query.get("limit") ?? 50);
    const rows = query.get("order") === "desc" ? this.#rows.toReversed() : this.#rows;
    const around = query.get("around");
    const from =
      around === null
        ? Number(query.get("cursor") ?? 0)
        : Math.max(0, rows.findLastIndex(({ key }) => key === around) - Math.floor(limit / 2));
    // A page of a journal that grows at its beginning goes on where the last one ended.
    const isBack = query.get("order") === "desc" && query.get("cursor") !== null;
    const start = isBack ? rows.findIndex(({ seq }) => seq.start < from) : from;
    const items = start < 0 ? [] : rows.slice(start, start + limit);
    const last = items.at(-1);
    if (last === undefined || start + limit >= rows.length) return { items };
    const nextCursor = query.get("order") === "desc" ? last.seq.start : start + limit;
    return { items, nextCursor: String(nextCursor) };
  }

  #eventPage(query: URLSearchParams): object {
    if (query.get("order") === "desc")
      return { items: [{ seq: this.#seq, type: "none" }], next: 0, more: false };
    const after = Number(query.get("after") ?? 0);
    const later = this.#events.filter(({ seq }) => seq > after);
    const items = later.slice(0, Number(query.get("limit") ?? 100));
    return { items, next: items.at(-1)?.seq ?? after, more: later.length > items.length };
  }

  #list(query: URLSearchParams): object {
    const { runs = 0 } = this.#options;
    const limit = Number(query.get("limit") ?? 50);
    const from = Number(query.get("cursor") ?? 0);
    const items = Array.from({ length: Math.max(0, Math.min(limit, runs - from)) }, (_, index) =>
      this.#summary(from + index),
    );
    const counted = {
      count: runs,
      sums: { tokens: runs * 10, costUsd: runs / 100, requests: runs },
    };
    return {
      items,
      ...(query.get("count") === "1" && counted),
      ...(from + limit < runs && { nextCursor: String(from + limit) }),
    };
  }

  #summary(index: number) {
    const isLong = index < 0;
    const isOver = !isLong || this.#options.isOver === true;
    const begun = isLong ? BEGUN_MS : BEGUN_MS - index * 60_000;
    return {
      id: isLong ? "long" : `run-${String(index).padStart(5, "0")}`,
      kind: "crew",
      name: isLong ? "endless" : `part ${index % 7}`,
      status: isOver ? "completed" : "running",
      createdAt: iso(begun),
      startedAt: iso(begun),
      updatedAt: iso(begun + 1000),
      ...(isOver && { finishedAt: isLong ? iso(this.#atMs) : iso(begun + 1000) }),
    };
  }
}

const USAGE = {
  promptTokens: 8,
  completionTokens: 2,
  totalTokens: 10,
  requests: 1,
  costUsd: 0.001,
};

function send(to: ServerResponse, seq: number, data: object): void {
  to.write(`id: ${seq}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** What the feed of changes says. */
function tell(to: ServerResponse, event: string, data: { readonly change: number }): void {
  to.write(`id: ${data.change}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
