import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { FilesWorld } from "../../../support/files-world.ts";
import { textOf } from "../../../support/http-app.ts";

const PART = 5 * 1024 * 1024;
const TUS = { "tus-resumable": "1.0.0" };

/** Bytes that differ from place to place. */
const bytesOf = (length: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 9)) % 256);

async function begin(
  world: FilesWorld,
  length: number,
  more: Record<string, string> = {},
): Promise<string> {
  const headers = { ...TUS, "upload-length": String(length), ...more };
  const {
    status,
    headers: answered,
    text,
  } = await world.ask("/files?expires=3600", {
    method: "POST",
    headers,
  });
  if (status !== 201) throw new Error(text);
  return answered.get("location") ?? "";
}

function patch(
  world: FilesWorld,
  path: string,
  {
    at,
    body,
    ...more
  }: {
    at: number;
    body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
    [header: string]: unknown;
  },
) {
  return world.ask(path, {
    method: "PATCH",
    body,
    headers: {
      ...TUS,
      "content-type": "application/offset+octet-stream",
      "upload-offset": String(at),
      ...(more as Record<string, string>),
    },
  });
}

async function offset(world: FilesWorld, path: string): Promise<(number | string | null)[]> {
  const { status, headers } = await world.request(path, { method: "HEAD", headers: TUS });
  return [status, headers.get("upload-offset"), headers.get("upload-length")];
}

describe("an upload in several requests", () => {
  it("continues at its offset, and becomes a file with the last piece (FT39)", async () => {
    const world = new FilesWorld();
    const bytes = bytesOf(PART + 1000);
    const path = await begin(world, bytes.length, {
      "upload-metadata": `filename ${btoa("film.mp4")},filetype ${btoa("video/mp4")}, empty`,
    });
    expect(path).toMatch(/^\/files\/uploads\/file_/);
    const first = await patch(world, path, { at: 0, body: bytes.slice(0, PART) });
    expect([first.status, first.headers.get("upload-offset")]).toEqual([204, String(PART)]);
    expect((await patch(world, path, { at: 7, body: bytes.slice(PART) })).status).toBe(409);
    expect(await offset(world, path)).toEqual([200, String(PART), String(bytes.length)]);
    expect((await world.get(path.replace("/uploads", ""))).status).toBe(404);
    expect((await patch(world, path, { at: PART, body: bytes.slice(PART) })).status).toBe(204);
    expect(await offset(world, path)).toEqual([200, String(bytes.length), String(bytes.length)]);
    const file = (await world.get(path.replace("/uploads", ""))).json;
    expect(file).toMatchObject({
      name: "film.mp4",
      bytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    });
    expect(Date.parse(textOf(file["expiresAt"]))).toBe(world.clock.now() + 3_600_000);
    const content = await world.request(`${path.replace("/uploads", "")}/content`);
    expect(Buffer.compare(new Uint8Array(await content.arrayBuffer()), bytes)).toBe(0);
    expect([
      world.rows("file_uploads"),
      world.rows("file_removals"),
      world.bucket.uploads.size,
    ]).toEqual([0, 0, 0]);
  });

  it("takes all in one piece, and equal bytes once", async () => {
    const world = new FilesWorld();
    const bytes = bytesOf(3 * PART);
    for (const _ of [1, 2]) {
      const path = await begin(world, bytes.length);
      expect((await patch(world, path, { at: 0, body: bytes })).status).toBe(204);
      expect(await offset(world, path)).toEqual([200, String(3 * PART), String(3 * PART)]);
    }
    expect([
      world.rows("stored_files"),
      world.rows("file_blobs"),
      world.bucket.keys.length,
    ]).toEqual([2, 1, 1]);
  });

  it("PUP1: keeps the whole parts of an interrupted piece", async () => {
    const world = new FilesWorld();
    const bytes = bytesOf(3 * PART);
    const path = await begin(world, bytes.length);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent > 2 * PART) return controller.error(new Error("the client is gone"));
        controller.enqueue(bytes.slice(sent, (sent += 700_000)));
      },
    });
    expect((await patch(world, path, { at: 0, body })).status).toBe(400);
    expect(await offset(world, path)).toEqual([200, String(2 * PART), String(3 * PART)]);
    expect((await patch(world, path, { at: 2 * PART, body: bytes.slice(2 * PART) })).status).toBe(
      204,
    );
    const { json } = await world.get(path.replace("/uploads", ""));
    expect(json["sha256"]).toBe(createHash("sha256").update(bytes).digest("hex"));
  });

  it("refuses pieces without a way to continue, and bytes beyond the announced length", async () => {
    const world = new FilesWorld();
    const path = await begin(world, 2 * PART);
    const odd = await patch(world, path, { at: 0, body: bytesOf(1000), "content-length": "1000" });
    expect([odd.status, textOf(odd.json["detail"])]).toEqual([
      400,
      expect.stringContaining(String(PART)),
    ]);
    expect(await offset(world, path)).toEqual([200, "0", String(2 * PART)]);
    expect((await patch(world, path, { at: 0, body: bytesOf(2 * PART + 1) })).status).toBe(413);
    const [, at] = await offset(world, path);
    const rest = bytesOf(2 * PART).slice(Number(at));
    expect((await patch(world, path, { at: Number(at), body: rest })).status).toBe(204);
  });

  it("PUP2: takes one request at a time", async () => {
    const world = new FilesWorld();
    const bytes = bytesOf(2 * PART);
    const path = await begin(world, bytes.length);
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    world.bucket.onBytes = () => gate;
    const slow = patch(world, path, { at: 0, body: bytes.slice(0, PART) });
    await world.clock.settle();
    const second = await patch(world, path, { at: 0, body: bytes.slice(0, PART) });
    expect([second.status, textOf(second.json["detail"])]).toEqual([
      409,
      expect.stringContaining("another request"),
    ]);
    // One whose request was cut off is free again after a minute.
    await world.clock.advance(61_000);
    world.bucket.onBytes = () => undefined;
    expect((await patch(world, path, { at: 0, body: bytes })).status).toBe(204);
    release();
    expect((await slow).status).toBe(409);
    const { json } = await world.get(path.replace("/uploads", ""));
    expect(json["sha256"]).toBe(createHash("sha256").update(bytes).digest("hex"));
  });

  it("PUP3: is ended by the client, or after a day", async () => {
    const world = new FilesWorld();
    const [one, two] = [await begin(world, 2 * PART), await begin(world, 2 * PART)];
    await patch(world, two, { at: 0, body: bytesOf(PART) });
    expect((await world.ask(one, { method: "DELETE", headers: TUS })).status).toBe(204);
    expect((await world.request(one, { method: "HEAD", headers: TUS })).status).toBe(404);
    expect((await patch(world, one, { at: 0, body: bytesOf(PART) })).status).toBe(404);
    expect(world.bucket.uploads.size).toBe(1);
    await world.clock.advance(24 * 60 * 60_000);
    await world.sweep();
    expect([
      world.bucket.uploads.size,
      world.rows("file_uploads"),
      world.rows("file_removals"),
    ]).toEqual([0, 0, 0]);
  });

  it("is completed by a later request when the last one was cut off after its part", async () => {
    const world = new FilesWorld();
    const bytes = bytesOf(100);
    const path = await begin(world, bytes.length);
    const { sqlite } = world.database;
    sqlite.exec(
      "CREATE TRIGGER cut BEFORE INSERT ON stored_files BEGIN SELECT RAISE(ABORT, 'network connection lost'); END",
    );
    expect((await patch(world, path, { at: 0, body: bytes })).status).toBe(503);
    expect(await offset(world, path)).toEqual([200, "100", "100"]);
    sqlite.exec("DROP TRIGGER cut");
    expect((await patch(world, path, { at: 100, body: new Uint8Array() })).status).toBe(204);
    expect((await world.get(path.replace("/uploads", ""))).json["bytes"]).toBe(100);
  });

  it.each([
    [{ "upload-length": "0" }, 400],
    [{ "upload-length": "many" }, 400],
    [{ "upload-length": "5000000001" }, 413],
    [{ "upload-length": "2000000000" }, 413],
    [{ "tus-resumable": "0.2.2", "upload-length": "1" }, 412],
    [{ "upload-length": "1", "upload-metadata": "filename §" }, 400],
  ])("does not begin with %j: %d", async (headers, status) => {
    const world = new FilesWorld();
    const answer = await world.ask("/files", { method: "POST", headers: { ...TUS, ...headers } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("tus-version")).toBe(status === 412 ? "1.0.0" : null);
    expect([world.rows("file_uploads"), world.bucket.uploads.size]).toEqual([0, 0]);
  });

  it("refuses requests without the protocol's headers", async () => {
    const world = new FilesWorld();
    const path = await begin(world, 10);
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await world.ask(path, { method: "PATCH", body: "0123456789", headers })).status;
    const type = { "content-type": "application/offset+octet-stream" };
    expect(await ask({ ...type, "upload-offset": "0" })).toBe(412);
    expect(await ask({ ...TUS, "upload-offset": "0" })).toBe(415);
    expect(await ask({ ...TUS, ...type })).toBe(400);
    expect(await ask({ ...TUS, ...type, "upload-offset": "0" })).toBe(204);
  });

  it("needs a store for multipart files", async () => {
    const world = new FilesWorld({ inD1: true });
    const { status, json } = await world.ask("/files", {
      method: "POST",
      headers: { ...TUS, "upload-length": "10" },
    });
    expect([status, json["code"]]).toEqual([503, "unavailable"]);
    expect(json["detail"]).toContain(
      "an upload in several requests needs a file store with `parts`",
    );
  });
});
