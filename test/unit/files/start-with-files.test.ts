import { describe, expect, it } from "vitest";
import { incidentReview } from "../../../examples/incident-review.ts";
import { conversationPart } from "../../../src/conversation/conversation-part.ts";
import { allReaders } from "../../support/all-readers.ts";
import { askingScript, textOf } from "../../support/http-app.ts";
import { FilesWorld } from "../../support/files-world.ts";

const data = btoa("the minutes");
const talking = conversationPart({
  conversations: { review: incidentReview },
  registry: {},
  readers: allReaders,
});

/** The inputs of a run as they are on record. */
async function inputsOf(world: FilesWorld, id: string): Promise<unknown> {
  return (await world.get(`/runs/${id}`)).json["inputs"];
}

describe("runs started with files", () => {
  it("SWF1: have references among their inputs, for any form of file", async () => {
    const world = new FilesWorld();
    const stored = await world.upload("ab");
    const inputFiles = {
      a: stored,
      b: { data, name: "minutes.txt" },
      c: "https://example.com/c.png",
      d: "reports/d.txt",
      e: "reports/hidden.txt",
    };
    const { status, json } = await world.ask("/crews/briefing/kickoff", {
      json: { id: "r", inputs: { topic: "x", e: { $file: stored } }, input_files: inputFiles },
    });
    expect([status, json["id"]]).toEqual([202, "r"]);
    const b = (await world.get("/files?run=r")).json["items"] as unknown as {
      id: string;
      name: string;
    }[];
    expect(b.map(({ name }) => name)).toEqual(["minutes.txt", "a.txt"]);
    expect(await inputsOf(world, "r")).toEqual({
      topic: "x",
      a: { $file: stored },
      b: { $file: b[0]?.id, name: "minutes.txt" },
      c: { $file: "https://example.com/c.png" },
      d: { $file: "reports/d.txt" },
      e: { $file: stored },
    });
    expect((await world.get(`/files/${b[0]?.id}/content`)).text).toBe("the minutes");
  });

  it.each([
    [
      "/agents/writer/kickoff",
      { messages: "Hello" },
      (refs: object) => ({ messages: "Hello", inputs: refs }),
    ],
    [
      "/flows/review/kickoff",
      { inputs: { topic: "x" } },
      (refs: object) => ({ topic: "x", ...refs }),
    ],
    [
      "/crews/greeting/kickoff-for-each",
      { inputs: [{ n: 1 }, { n: 2 }] },
      (refs: object) => ({
        inputs: [
          { n: 1, ...refs },
          { n: 2, ...refs },
        ],
      }),
    ],
    ["/crews/greeting/test", { iterations: 1 }, (refs: object) => refs],
    [
      "/conversations/review/kickoff",
      { message: "Hello" },
      (inputFiles: object) => ({ message: "Hello", inputFiles }),
    ],
  ])("SWF1: of %s have them in their place", async (path, body, expected) => {
    const world = new FilesWorld({ parts: [talking] });
    const id = await world.upload("ab");
    const { status, json } = await world.ask(path, { json: { ...body, inputFiles: { doc: id } } });
    expect(status).toBe(202);
    expect(await inputsOf(world, textOf(json["id"]))).toEqual(expected({ doc: { $file: id } }));
  });

  it("SWF1: may be those of CrewAI's API, with `files`", async () => {
    const world = new FilesWorld();
    const id = await world.upload("ab");
    const { status, json } = await world.ask("/compat/greeting/kickoff", {
      json: { inputs: {}, files: { doc: id } },
    });
    expect(status).toBe(200);
    expect(await inputsOf(world, textOf(json["kickoff_id"]))).toEqual({ doc: { $file: id } });
    const unknown = await world.ask("/compat/greeting/kickoff", {
      json: { inputs: {}, files: { doc: "file_x" } },
    });
    expect([unknown.status, unknown.text.includes("doc")]).toEqual([400, true]);
  });

  it.each([
    ["/crews/greeting/kickoff", { inputFiles: { doc: "file_x" } }, "/inputFiles/doc"],
    ["/crews/greeting/kickoff", { inputs: { "a/b": { $file: "file_x" } } }, "/inputs/a~1b"],
    ["/crews/greeting/kickoff", { inputFiles: { doc: { data: "no base64!" } } }, "/inputFiles/doc"],
    ["/crews/greeting/kickoff", { inputFiles: { doc: { data, path: "a" } } }, "/inputFiles/doc"],
    [
      "/crews/greeting/kickoff",
      { inputFiles: { doc: "http://10.0.0.1/a.png" } },
      "/inputFiles/doc",
    ],
    ["/crews/greeting/kickoff", { inputFiles: { doc: "../secret" } }, "/inputFiles/doc"],
    ["/crews/greeting/kickoff", { inputFiles: { doc: 7 } }, "/inputFiles/doc"],
    [
      "/agents/writer/kickoff",
      { messages: "Hi", inputs: { doc: { $file: "file_x" } } },
      "/inputs/doc",
    ],
    [
      "/crews/greeting/kickoff-for-each",
      { inputs: [{}, { doc: { $file: "file_x" } }] },
      "/inputs/1/doc",
    ],
    ["/flows/review/kickoff", { inputs: { topic: "x", doc: { $file: "file_x" } } }, "/inputs/doc"],
  ])("SWF2: %s with %j is refused, naming %s", async (path, json, pointer) => {
    const world = new FilesWorld();
    const answer = await world.ask(path, { json: { id: "r", ...json } });
    expect(answer.status).toBe(400);
    expect(answer.json["errors"]).toMatchObject([{ path: pointer }]);
    expect((await world.get("/runs/r")).status).toBe(404);
    expect([world.rows("stored_files"), world.rows("file_uses"), world.bucket.keys.length]).toEqual(
      [0, 0, 0],
    );
  });

  it("SWF3: own the files of the request, and the same request finds them again", async () => {
    const world = new FilesWorld();
    const start = (text: string) =>
      world.ask("/crews/greeting/kickoff", {
        json: { id: "r", inputFiles: { doc: { data: btoa(text) } } },
      });
    expect((await start("one")).status).toBe(202);
    expect((await start("one")).status).toBe(202);
    expect([world.rows("stored_files"), world.bucket.keys.length]).toEqual([1, 1]);
    expect((await start("two")).status).toBe(409);
    expect([world.rows("stored_files"), world.bucket.keys.length]).toEqual([1, 1]);
    await world.clock.advance(366 * 24 * 60 * 60_000); // it does not expire
    await world.sweep();
    expect(world.rows("stored_files")).toBe(1);
    expect((await world.ask("/runs/r", { method: "DELETE" })).status).toBe(204);
    await world.sweep();
    expect([world.rows("stored_files"), world.rows("file_uses"), world.bucket.keys.length]).toEqual(
      [0, 0, 0],
    );
  });

  it("SWF3: leave no file behind when they do not begin", async () => {
    const world = new FilesWorld();
    const json = { inputs: { topic: 7 }, inputFiles: { doc: { data } } };
    expect((await world.ask("/flows/review/kickoff", { json })).status).toBe(400);
    expect([world.rows("stored_files"), world.bucket.keys.length]).toEqual([0, 0]);
  });

  it("leave their files to a fork", async () => {
    const world = new FilesWorld();
    await world.ask("/crews/greeting/kickoff", {
      json: { id: "r", inputFiles: { doc: { data } } },
    });
    await world.clock.settle();
    const fork = await world.ask("/runs/r/fork", { json: { id: "f", fromTask: "greet" } });
    expect(fork.status).toBe(202);
    await world.clock.settle();
    await world.ask("/runs/r", { method: "DELETE" });
    await world.sweep();
    expect(world.rows("stored_files")).toBe(1);
    const [file] = (await world.get("/files?run=f")).json["items"] as unknown as { id: string }[];
    expect((await world.get(`/files/${file?.id}/content`)).text).toBe("the minutes");
    await world.ask("/runs/f", { method: "DELETE" });
    await world.sweep();
    expect([world.rows("stored_files"), world.bucket.keys.length]).toEqual([0, 0]);
  });
});

describe("a file of a run", () => {
  it("is not deleted without an admin's force (FT37)", async () => {
    const world = new FilesWorld({
      script: askingScript(),
      auth: { mode: "keys", adminKey: "operator" },
    });
    const keyOf = async (...scopes: string[]): Promise<string> => {
      const json = { tenant: "acme", scopes };
      return textOf((await world.ask("/keys", { json, key: "operator" })).json["key"]);
    };
    const [key, admin] = [await keyOf("run", "read"), await keyOf("admin")];
    const id = await world.upload("ab", { key });
    const json = { id: "r", inputs: { topic: "x" }, inputFiles: { doc: id } };
    expect((await world.ask("/crews/briefing/kickoff", { json, key })).status).toBe(202);
    await world.clock.settle();
    expect((await world.ask("/runs/r", { key })).json["status"]).toBe("waiting");
    const remove = async (query: string, by: string): Promise<number> =>
      (await world.ask(`/files/${id}${query}`, { method: "DELETE", key: by })).status;
    expect(await remove("", key)).toBe(409);
    expect(await remove("?force=1", key)).toBe(403);
    expect(await remove("?force=0", admin)).toBe(409);
    expect(await remove("?force=1", admin)).toBe(204);
    expect(await remove("?force=1", admin)).toBe(404);
  });

  it("FLB3: does not expire before the run is over", async () => {
    const world = new FilesWorld({ script: askingScript(), limits: { ttl: 60 } });
    const id = await world.upload("ab");
    const json = { id: "r", inputs: { topic: "x" }, inputFiles: { doc: id } };
    await world.ask("/crews/briefing/kickoff", { json });
    await world.clock.settle();
    await world.clock.advance(61_000);
    await world.sweep();
    expect((await world.get(`/files/${id}/content`)).text).toBe("ab");
    expect((await world.ask(`/files/${id}`, { method: "DELETE" })).status).toBe(409);
    await world.ask("/runs/r/cancel", { json: {} });
    await world.clock.advance(2_000);
    expect((await world.get(`/files/${id}/content`)).status).toBe(404);
    await world.clock.advance(60 * 60_000);
    await world.sweep();
    expect([world.rows("stored_files"), world.bucket.keys.length]).toEqual([0, 0]);
  });
});
