import { describe, expect, it } from "vitest";
import type { OpenApiDocument } from "../../../src/http/openapi/openapi.ts";
import { checkParts, consumerOf, runDue } from "../../../src/parts/bind-parts.ts";
import type { BoundPart, Part } from "../../../src/parts/part.ts";
import { findSubject, subjectsOf } from "../../../src/parts/subjects.ts";
import { BOARD_QUEUE, boardPart } from "../../support/board-part.ts";
import { HttpWorld, textOf } from "../../support/http-app.ts";

describe("a part unknown to the core", () => {
  it("runs programs of its own kind, with its service and its events", async () => {
    const world = new HttpWorld({ parts: [boardPart()] });
    const { status, json } = await world.ask("/boards/lobby", { json: { note: "tea" } });
    expect([status, json["links"]?.["self"]]).toEqual([202, "/runs/id-1"]);
    await world.clock.settle();
    const { json: run } = await world.ask("/runs/id-1");
    expect(run).toMatchObject({ kind: "board", name: "lobby", status: "completed" });
    expect(run["output"]).toEqual({ count: 1 });
    expect((await world.ask("/boards")).json).toEqual({ notes: ["lobby: tea"] });
    const { text } = await world.ask("/runs/id-1/events?types=note_pinned");
    expect(text).toContain('"note":"tea"');
  });

  it("is listed by its kind, as runs of the core's own parts are", async () => {
    const world = new HttpWorld({ parts: [boardPart()] });
    await world.ask("/boards/lobby", { json: { note: "tea" } });
    await world.clock.settle();
    const { json } = await world.ask("/runs?kind=board");
    expect(json["items"]).toMatchObject([{ id: "id-1", kind: "board" }]);
    const { status } = await new HttpWorld().ask("/runs?kind=board");
    expect(status).toBe(400);
  });

  it("checks its queries, bodies and scopes as every operation does", async () => {
    const world = new HttpWorld({
      parts: [boardPart()],
      auth: { mode: "keys", adminKey: "boss" },
    });
    const { json } = await world.ask("/keys", {
      key: "boss",
      json: { tenant: "default", scopes: ["read"] },
    });
    const key = textOf(json["key"]);
    expect((await world.ask("/boards")).status).toBe(401);
    expect((await world.ask("/boards/lobby", { key, json: { note: "x" } })).status).toBe(403);
    const wrong = await world.ask("/boards?limit=0", { key });
    expect([wrong.status, wrong.json["errors"]?.[0]?.["path"]]).toEqual([400, "/limit"]);
    const body = await world.ask("/boards/lobby", { key: "boss", json: { note: 4 } });
    expect([body.status, body.json["errors"]?.[0]?.["path"]]).toEqual([400, "/note"]);
    expect((await world.ask("/boards/bytes")).status).toBe(200);
  });

  it("answers bytes and streams as they are", async () => {
    const world = new HttpWorld({ parts: [boardPart()] });
    const bytes = await world.request("/boards/bytes");
    expect(new Uint8Array(await bytes.arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]));
    expect((await world.ask("/boards/stream")).text).toBe("one\ntwo\n");
  });

  it("is described in the API document, and on its page", async () => {
    const world = new HttpWorld({ parts: [boardPart()] });
    const document = (await world.ask("/openapi.json")).json as unknown as OpenApiDocument;
    expect(Object.keys(document.paths)).toContain("/boards/{name}");
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(["PinNote", "BoardNotes"]),
    );
    expect((await world.ask("/docs")).text).toContain('<section id="pinNote">');
  });

  it("keeps the services of tenants apart, and opens each once for a request", async () => {
    const part = boardPart();
    let opened = 0;
    const counting: Part = {
      ...part,
      services: {
        board: (place) => {
          opened++;
          return part.services?.board?.(place);
        },
      },
    };
    const { placeOf } = new HttpWorld({ parts: [counting] }).services;
    const { services } = placeOf("acme");
    expect(opened).toBe(0);
    services.board?.pin("a");
    services.board?.pin("b");
    expect(opened).toBe(1);
    expect(placeOf("acme").services.board?.notes).toEqual(["a", "b"]);
    expect(placeOf("other").services.board?.notes).toEqual([]);
  });

  it("finds startable subjects by kind and name", async () => {
    const { parts, definitions } = new HttpWorld({ parts: [boardPart()] }).services;
    const sources = { subjects: subjectsOf(parts), definitions };
    const lobby = await findSubject(sources, "default", { kind: "board", name: "lobby" });
    expect(lobby.requiredInputs).toEqual(["note"]);
    await expect(findSubject(sources, "default", { kind: "board", name: "hall" })).rejects.toThrow(
      'there is no board "hall"',
    );
    await expect(findSubject(sources, "default", { kind: "cow", name: "x" })).rejects.toThrow(
      'there is no cow "x"',
    );
  });

  it("consumes its queues", async () => {
    const part = boardPart();
    const world = new HttpWorld({ parts: [part] });
    expect(consumerOf(world.services.parts, BOARD_QUEUE)).toBe(part);
    expect(consumerOf(world.services.parts, "others")).toBeUndefined();
    const settled: string[] = [];
    const message = {
      id: "1",
      body: "hello",
      attempts: 1,
      ack: () => void settled.push("ack"),
      retry: () => void settled.push("retry"),
    };
    await world.bound.get("board")?.queue?.(BOARD_QUEUE, [message]);
    expect(settled).toEqual(["ack"]);
    expect((await world.ask("/boards")).json).toEqual({ notes: [`${BOARD_QUEUE}: hello`] });
  });
});

describe("runs of a removed part", () => {
  it("fail with the kind's name, and can still be looked at", async () => {
    const part = boardPart();
    const parts: Part[] = [part];
    const world = new HttpWorld({ parts });
    await world.runs.start({
      id: "r",
      tenant: "default",
      kind: "gone",
      name: "x",
      inputs: {},
    });
    await world.clock.settle();
    const { json } = await world.ask("/runs/r");
    expect(json).toMatchObject({ status: "failed", error: { code: "not_found" } });
    expect(textOf(json["error"]?.["message"])).toContain('kind "gone"');
  });
});

describe("duties", () => {
  it("are run for every part, and a failed one does not stop the others", async () => {
    const done: string[] = [];
    const fails = async (): Promise<void> => {
      throw new Error("first");
    };
    const duties = ["a", "b"].map((name): [string, BoundPart] => [
      name,
      { due: async () => void done.push(name) },
    ]);
    const reported: unknown[] = [];
    const all: [string, BoundPart][] = [["broken", { due: fails }], ["idle", {}], ...duties];
    const work = runDue(all, (error) => reported.push(error));
    await expect(work).rejects.toThrow("work of the cron failed: broken; see the log");
    expect(done).toEqual(["a", "b"]);
    expect(reported).toEqual([new Error("first")]);
  });
});

describe("conflicting parts", () => {
  it.each([
    [[{ name: "a" }, { name: "a" }], 'part "a"'],
    [
      [
        { name: "a", queues: ["q"] },
        { name: "b", queues: ["q"] },
      ],
      'queue "q"',
    ],
    [[boardPart(), { ...boardPart(), name: "other" }], 'run kind "board"'],
  ] as ReadonlyArray<readonly [readonly Part[], string]>)("are refused: %#", (parts, what) => {
    expect(() => checkParts(parts)).toThrow(what);
  });
});
