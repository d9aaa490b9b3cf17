// A feature that nobody in src knows: what a user adds to an app with one line. It has a service, runs of its own kind, operations that
// answer JSON, bytes and a stream, a queue, and something due every minute.
import * as z from "zod";
import { operation } from "../../src/parts/operation.ts";
import type { Part } from "../../src/parts/part.ts";
import { startRun } from "../../src/parts/start-run.ts";
import { shape } from "../../src/parts/shape.ts";
import { FINISHED, STARTED } from "../../src/parts/documented-runs.ts";

/** What is pinned to a tenant's board. */
export class Board {
  readonly notes: string[] = [];

  pin(note: string): number {
    return this.notes.push(note);
  }
}

declare module "../../src/events/run-services.ts" {
  interface RunServices {
    readonly board?: Board;
  }
}

declare module "../../src/events/run-event.ts" {
  interface EventPayloads {
    note_pinned: { note: string };
  }
}

export const BOARD_QUEUE = "board-notes";

const boardNotes = shape("BoardNotes", () => z.strictObject({ notes: z.array(z.string()) }));

export function boardPart(): Part & { readonly ticks: () => number } {
  const boards = new Map<string, Board>();
  let ticks = 0;
  const boardOf = (tenant: string): Board => {
    const board = boards.get(tenant) ?? new Board();
    boards.set(tenant, board);
    return board;
  };
  const shared = { group: "Board", problems: [400] } as const;
  return {
    name: "board",
    ticks: () => ticks,
    services: { board: ({ tenant }) => boardOf(tenant) },
    events: ["note_pinned"],
    queues: [BOARD_QUEUE],
    kinds: {
      board: {
        program: ({ name }) => ({
          tasks: [],
          run: async (scope, inputs) => {
            const note = z.string().parse(inputs["note"]);
            const count = await scope.at("pin").step<number>({
              kind: "effect",
              run: async () => scope.services.board?.pin(`${name}: ${note}`) ?? 0,
            });
            scope.emit("note_pinned", { note });
            return { count };
          },
        }),
        subjects: {
          names: () => ["lobby"],
          get: (name) =>
            name === "lobby"
              ? {
                  requiredInputs: ["note"],
                  start: (inputs) => ({ kind: "board", name, inputs }),
                }
              : undefined,
        },
      },
    },
    bind: ({ runs, placeOf, randomId, clock }) => ({
      operations: [
        operation({
          ...shared,
          id: "pinNote",
          method: "post",
          path: "/boards/{name}",
          scope: "run",
          summary: "Pin a note",
          body: { name: "PinNote", schema: z.strictObject({ note: z.string() }), required: true },
          answers: { 200: FINISHED, 202: STARTED },
          handle: (request) =>
            startRun({ runs, randomId, clock }, request, {
              kind: "board",
              name: request.params["name"] ?? "",
              inputs: request.body,
            }),
        }),
        operation({
          ...shared,
          id: "listNotes",
          method: "get",
          path: "/boards",
          scope: "read",
          summary: "List notes",
          query: z.strictObject({ limit: z.coerce.number().int().min(1).default(10) }),
          answers: { 200: { description: "Notes", shape: boardNotes } },
          handle: ({ tenant, query: { limit } }) => ({
            status: 200,
            json: { notes: placeOf(tenant).services.board?.notes.slice(0, limit) ?? [] },
          }),
        }),
        operation({
          ...shared,
          id: "boardBytes",
          method: "get",
          path: "/boards/bytes",
          scope: "none",
          summary: "Bytes",
          answers: { 200: { description: "Bytes", types: ["application/octet-stream"] } },
          handle: () =>
            new Response(new Uint8Array([1, 2, 3]), {
              headers: { "content-type": "application/octet-stream" },
            }),
        }),
        operation({
          ...shared,
          id: "boardStream",
          method: "get",
          path: "/boards/stream",
          scope: "read",
          summary: "A stream",
          answers: { 200: { description: "Lines", types: ["text/plain"] } },
          handle: () => {
            const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
            const writer = writable.getWriter();
            const write = async (): Promise<void> => {
              for (const line of ["one\n", "two\n"])
                await writer.write(new TextEncoder().encode(line));
              await writer.close();
            };
            void write();
            return new Response(readable, { headers: { "content-type": "text/plain" } });
          },
        }),
      ],
      due: async () => ++ticks,
      queue: async (queue, messages) => {
        for (const message of messages) {
          boardOf("default").pin(`${queue}: ${String(message.body)}`);
          message.ack();
        }
      },
    }),
  };
}
