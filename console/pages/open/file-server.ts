// Answers requests about a run from its file, with the Worker's own code over a store in memory. So the components that
// show runs also show files, without any change.
import { EngineError } from "../../../src/base/error.ts";
import type { RunEvent } from "../../../src/events/run-event.ts";
import type { StepRecord } from "../../../src/journal/journal-store.ts";
import { eventPage } from "../../../src/runtime/event-page.ts";
import { rowsOfExport, RUN_FORMAT } from "../../../src/runtime/export-run.ts";
import { adoptRows } from "../../../src/runtime/fork.ts";
import { InMemoryRunStore } from "../../../src/runtime/in-memory-run-store.ts";
import { RunSteps } from "../../../src/runtime/run-steps.ts";
import type { RunStart } from "../../../src/runtime/run.ts";
import type { OpenedRun } from "./read-export.ts";

const PAGE = 200;

/** Responses for one run, by the rest of the path. */
export class FileServer {
  readonly #opened: OpenedRun;
  readonly #store = new InMemoryRunStore();
  readonly #steps: RunSteps;

  constructor(opened: OpenedRun) {
    this.#opened = opened;
    const { run, steps, events } = opened;
    // Only the steps of an export are read here, and they are already checked.
    const exported = { format: RUN_FORMAT, steps } as unknown as Parameters<typeof rowsOfExport>[0];
    const rows = rowsOfExport(exported);
    // A file does not name the place up to which a fork copied its steps: they ended before the fork was created.
    const copied = run.origin === undefined ? [] : rows.filter(endedBefore(run.createdAt));
    adoptRows(this.#store, copied, Date.parse(run.createdAt));
    for (const row of rows) this.#store.journal.put(row);
    for (const event of events) this.#store.events.append(event);
    this.#steps = new RunSteps({
      store: this.#store,
      start: () => run as unknown as RunStart,
      program: () => undefined, // its code is not in the file
    });
  }

  /** Undefined for requests about other runs. */
  answer(url: URL, headers: Headers): Response | undefined {
    const path = `/runs/${encodeURIComponent(this.#opened.run.id)}`;
    if (url.pathname !== path && !url.pathname.startsWith(`${path}/`)) return undefined;
    try {
      return this.#answer(url.pathname.slice(path.length), url.searchParams, headers);
    } catch (error) {
      if (EngineError.is(error)) return problem(error.code, error.message);
      throw error;
    }
  }

  #answer(what: string, query: URLSearchParams, headers: Headers): Response {
    const text = (name: string): string | undefined => query.get(name) ?? undefined;
    const cursor = text("cursor");
    const limit = Number(text("limit") ?? PAGE);
    const nowMs = Date.now();
    switch (what) {
      case "":
        return Response.json(this.#opened.run);
      case "/journal": {
        const values = text("values");
        return Response.json(
          this.#steps.page({
            ...Object.fromEntries(query),
            cursor,
            limit,
            order: text("order") === "desc" ? "desc" : "asc",
            depth: text("depth") === undefined ? undefined : Number(text("depth")),
            kinds: text("kinds")?.split(",") as never,
            states: text("states")?.split(",") as never,
            values: values === "cut" ? "cut" : values !== undefined,
            hash: text("hash") !== undefined,
          }),
        );
      }
      case "/step":
        return Response.json(
          this.#steps.one(text("key") ?? "", { ...numbers(query, ["from", "length"]), nowMs }),
        );
      case "/messages":
        return Response.json({ items: messagesOf(this.#opened.run) });
      case "/calls":
        return Response.json(this.#steps.calls({ cursor, limit, under: text("under") }));
      case "/call":
        return Response.json(
          this.#steps.call(text("key") ?? "", { ...numbers(query, ["message"]), nowMs }),
        );
      case "/events":
        return headers.get("accept")?.includes("event-stream") === true
          ? this.#stream(Number(headers.get("last-event-id") ?? text("after") ?? 0))
          : Response.json(
              eventPage(this.#store.events, {
                ...numbers(query, ["after", "before"]),
                limit,
                order: text("order") === "desc" ? "desc" : "asc",
                types: text("types")?.split(","),
                path: text("path"),
                slim: text("slim") !== undefined,
              }),
            );
      default:
        return problem("not_found", "A file does not have this.");
    }
  }

  /** Streams the events of the file. After them the stream is complete, and the client does not connect again. */
  #stream(after: number): Response {
    const events = this.#opened.events.slice(after);
    if (events.length === 0) return new Response(null, { status: 204 });
    return new Response(events.map(framed).join(""), {
      headers: { "content-type": "text/event-stream" },
    });
  }
}

/** Messages of a conversation, from its output. */
function messagesOf({ kind, output }: OpenedRun["run"]): readonly object[] {
  const { messages = [] } = (kind === "conversation" ? (output ?? {}) : {}) as {
    readonly messages?: readonly object[];
  };
  return messages.map((message, index) => ({ index, ...message }));
}

const endedBefore =
  (at: string) =>
  ({ endedAtMs }: StepRecord): boolean =>
    endedAtMs !== null && endedAtMs < Date.parse(at);

const framed = (event: RunEvent): string =>
  `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\nretry: 50\n\n`;

function numbers(
  query: URLSearchParams,
  names: readonly string[],
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = query.get(name);
      return text === null ? [] : [[name, Number(text)]];
    }),
  );
}

function problem(code: string, detail: string): Response {
  const status = code === "not_found" ? 404 : 400;
  return Response.json(
    { type: "about:blank", title: code, status, detail, code },
    { status, headers: { "content-type": "application/problem+json" } },
  );
}

/**
 * Answers requests about the run from its file from now on; the returned function ends it. Other requests stay
 * unchanged.
 */
export function serveFile(opened: OpenedRun): () => void {
  const server = new FileServer(opened);
  const outer = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const asked = new Request(input, init);
    return server.answer(new URL(asked.url), asked.headers) ?? outer(input, init);
  };
  return () => {
    globalThis.fetch = outer;
  };
}
