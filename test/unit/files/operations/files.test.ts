import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { FilesWorld } from "../../../support/files-world.ts";
import { textOf } from "../../../support/http-app.ts";
import { pieces } from "../../../support/file-store.suite.ts";

const MB = 1_000_000;

/** A body that grows until the other side has enough. */
function endless(): { stream: ReadableStream<Uint8Array>; isCancelled: () => boolean } {
  let cancelled = false;
  const piece = new Uint8Array(64 * 1024);
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(piece),
    cancel: () => void (cancelled = true),
  });
  return { stream, isCancelled: () => cancelled };
}

const digestOf = (text: string): string =>
  `sha-256=:${createHash("sha256").update(text).digest("base64")}:`;

describe.each([{ inD1: false }, { inD1: true }])("files over HTTP, with D1: $inD1", ({ inD1 }) => {
  it("are stored, shown and returned unchanged, as attachments (FT30, CA27)", async () => {
    const world = new FilesWorld({ inD1 });
    const stored = await world.ask("/files?name=a.pdf", { body: "ab" });
    expect(stored.status).toBe(201);
    expect(stored.json).toMatchObject({ name: "a.pdf", bytes: 2, kind: "text" });
    expect(stored.headers.get("location")).toBe(`/files/${textOf(stored.json["id"])}`);
    const path = `/files/${textOf(stored.json["id"])}`;
    expect((await world.get(path)).json).toEqual(stored.json);
    const content = await world.get(`${path}/content`);
    expect([content.status, content.text]).toEqual([200, "ab"]);
    expect(Object.fromEntries(content.headers)).toMatchObject({
      etag: `"${createHash("sha256").update("ab").digest("hex")}"`,
      "accept-ranges": "bytes",
      "cache-control": "private, no-cache",
      "content-disposition": `attachment; filename="a.pdf"; filename*=UTF-8''a.pdf`,
      "content-length": "2",
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
    });
  });

  it("have the type of their bytes, under any name (CA27)", async () => {
    const world = new FilesWorld({ inD1 });
    const png = Uint8Array.from([
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0,
      7, 0, 0, 0, 5, 8, 6, 0, 0, 0,
    ]);
    const { json } = await world.ask("/files?name=a.pdf", {
      body: png,
      headers: { "content-type": "application/pdf" },
    });
    expect(json).toMatchObject({ mediaType: "image/png", kind: "image", width: 7, height: 5 });
    const text = await world.ask("/files?name=a.csv", {
      body: "a,b",
      headers: { "content-type": "text/csv; charset=utf-8" },
    });
    expect(text.json).toMatchObject({
      mediaType: expect.stringMatching("^text/csv"),
      kind: "text",
    });
  });

  it("FLB1: are not stored with the wrong digest, empty, or cut short (FT31, BI12)", async () => {
    const world = new FilesWorld({ inD1 });
    const put = async (body: string, headers: Record<string, string>): Promise<number> =>
      (await world.ask("/files?name=a", { body, headers })).status;
    expect(await put("ab", { "content-digest": digestOf("ac") })).toBe(400);
    expect(await put("ab", { "content-digest": "sha-256=:nonsense:" })).toBe(400);
    expect(await put("", {})).toBe(400);
    expect((await world.ask("/files?name=a", { method: "POST" })).status).toBe(400);
    expect(await put("ab", { "content-length": "3" })).toBe(400);
    expect(await put("ab", { "content-encoding": "gzip" })).toBe(415);
    expect(await put("ab", { "content-digest": digestOf("ab") })).toBe(201);
    expect(await put("ac", { "content-digest": `sha-512=:aaaa:, ${digestOf("ac")}` })).toBe(201);
    expect([world.rows("stored_files"), world.rows("file_blobs")]).toEqual([2, 2]);
    expect(world.rows("file_removals")).toBe(0);
  });

  it.each(["path=../x", `path=${"x".repeat(513)}`, "expires=59", "expires=soon"])(
    "are refused with ?%s, naming the field (BI12)",
    async (query) => {
      const { status, json } = await new FilesWorld({ inD1 }).ask(`/files?${query}`, { body: "a" });
      expect([status, json["errors"]?.[0]?.["path"]]).toEqual([400, `/${query.split("=")[0]}`]);
    },
  );

  it("FLB1: leave no row behind when the client goes away in the middle", async () => {
    const world = new FilesWorld({ inD1 });
    let count = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (count++ === 3) controller.error(new Error("the client is gone"));
        else controller.enqueue(new Uint8Array(400_000));
      },
    });
    const { status, json } = await world.ask("/files?name=a", { method: "POST", body });
    expect([status, json["detail"], world.reported]).toEqual([400, "the body broke off", []]);
    const tables = ["stored_files", "file_blobs", "file_removals", "files"].map((table) =>
      world.rows(table),
    );
    expect(tables).toEqual([0, 0, 0, 0]);
    expect([world.bucket.keys, world.bucket.uploads.size]).toEqual([[], 0]);
  });

  it("FLB2: equal bytes are stored once, and removed with the last file (FT33)", async () => {
    const world = new FilesWorld({ inD1 });
    const ids = await Promise.all(["a.txt", "b.txt"].map((name) => world.upload("same", { name })));
    expect(new Set(ids).size).toBe(2);
    const blobs = (): number => (inD1 ? world.rows("files") : world.bucket.keys.length);
    expect([world.rows("file_blobs"), world.rows("file_removals"), blobs()]).toEqual([1, 0, 1]);
    expect((await world.ask(`/files/${ids[0]}`, { method: "DELETE" })).status).toBe(204);
    expect(blobs()).toBe(1);
    expect((await world.get(`/files/${ids[1]}/content`)).text).toBe("same");
    await world.ask(`/files/${ids[1]}`, { method: "DELETE" });
    expect([world.rows("file_blobs"), world.rows("file_removals"), blobs()]).toEqual([0, 0, 0]);
  });

  it("are found again by the same Idempotency-Key, which is for one file (FT38)", async () => {
    const world = new FilesWorld({ inD1, limits: { quota: { files: 2 } } });
    const headers = { "idempotency-key": "upload of Tuesday" };
    const [one, two] = await Promise.all([
      world.upload("ab", { headers }),
      world.upload("ab", { headers }),
    ]);
    expect(two).toBe(one);
    await world.upload("other");
    expect(await world.upload("ab", { headers })).toBe(one); // although the quota is used up
    const other = await world.ask("/files?name=a.txt", { body: "ac", headers });
    expect([other.status, other.json["code"]]).toEqual([409, "conflict"]);
    expect([world.rows("stored_files"), world.rows("file_blobs")]).toEqual([2, 2]);
    expect(world.rows("file_removals")).toBe(0);
  });

  it("are bytes in the API description, also JSON files and ranges of them", async () => {
    const world = new FilesWorld({ inD1 });
    const headers = { "content-type": "application/json" };
    const stored = await world.ask("/files?name=a.json", { body: '{"one":[1,2]}', headers });
    const path = `/files/${textOf(stored.json["id"])}/content`;
    const whole = await world.get(path);
    const piece = await world.get(path, { range: "bytes=1-5" });
    expect([whole.status, whole.text, piece.status, piece.text]).toEqual([
      200,
      '{"one":[1,2]}',
      206,
      '"one"',
    ]);
    expect(piece.headers.get("content-type")).toMatch(/^application\/json/);
  });

  it("are returned in ranges, and not again to a client with the same version (FT35, CA27)", async () => {
    const world = new FilesWorld({ inD1 });
    const path = `/files/${await world.upload("abcd")}/content`;
    const range = async (value: string, more: Record<string, string> = {}) => {
      const { status, text, headers } = await world.get(path, { range: value, ...more });
      return [status, status === 416 ? "" : text, headers.get("content-range")];
    };
    expect(await range("bytes=2-3")).toEqual([206, "cd", "bytes 2-3/4"]);
    expect(await range("bytes=1-")).toEqual([206, "bcd", "bytes 1-3/4"]);
    expect(await range("bytes=-2")).toEqual([206, "cd", "bytes 2-3/4"]);
    expect(await range("bytes=-9")).toEqual([206, "abcd", "bytes 0-3/4"]);
    expect(await range("bytes=3-99")).toEqual([206, "d", "bytes 3-3/4"]);
    expect(await range("bytes=9-")).toEqual([416, "", "bytes */4"]);
    expect(await range("bytes=4-4")).toEqual([416, "", "bytes */4"]);
    expect(await range("bytes=-0")).toEqual([416, "", "bytes */4"]);
    for (const odd of ["bytes=3-2", "bytes=0-1,3-3", "items=0-1", "bytes=a-b", "bytes=-"])
      expect([odd, ...(await range(odd))]).toEqual([odd, 200, "abcd", null]);
    const etag = (await world.get(path)).headers.get("etag") ?? "";
    expect(await range("bytes=2-3", { "if-range": etag })).toEqual([206, "cd", "bytes 2-3/4"]);
    expect(await range("bytes=2-3", { "if-range": '"other"' })).toEqual([200, "abcd", null]);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const { status, text, headers } = await world.get(path, { "if-none-match": known });
      expect([status, text, headers.get("etag")]).toEqual([304, "", etag]);
    }
    expect((await world.get(path, { "if-none-match": '"x"' })).status).toBe(200);
    const head = await world.ask(path, { method: "HEAD" });
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([200, "", "4"]);
  });

  it("of another tenant are not found (FT34)", async () => {
    const world = new FilesWorld({ inD1, auth: { mode: "keys", adminKey: "operator" } });
    const keyOf = async (tenant: string): Promise<string> => {
      const json = { tenant, scopes: ["run", "read", "admin"] };
      return textOf((await world.ask("/keys", { json, key: "operator" })).json["key"]);
    };
    const [acme, other] = [await keyOf("acme"), await keyOf("other")];
    const id = await world.upload("ab", { key: acme });
    const tries = [
      world.ask(`/files/${id}`, { key: other }),
      world.ask(`/files/${id}/content`, { key: other }),
      world.ask(`/files/${id}/url`, { json: {}, key: other }),
      world.ask(`/files/${id}?force=1`, { method: "DELETE", key: other }),
    ];
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await world.ask("/files", { key: other })).json["items"]).toEqual([]);
    const kickoff = await world.ask("/crews/greeting/kickoff", {
      json: { inputs: { doc: { $file: id } } },
      key: other,
    });
    expect(kickoff.status).toBe(400);
    expect((await world.ask(`/files/${id}`, { key: acme })).status).toBe(200);
  });

  it("have their sender's name, but no stored object has it (FT41, CA27)", async () => {
    const world = new FilesWorld({ inD1 });
    const name = "../../e vil<>.png";
    const id = await world.upload("ab", { name });
    expect((await world.get(`/files/${id}`)).json["name"]).toBe(name);
    expect(world.bucket.keys.every((key) => key.startsWith("default/blobs/"))).toBe(true);
    const { headers } = await world.get(`/files/${id}/content`);
    expect(headers.get("content-disposition")).toBe(
      `attachment; filename=".._.._e vil__.png"; filename*=UTF-8''..%2F..%2Fe%20vil%3C%3E.png`,
    );
    for (const bad of ["a\r\nset-cookie: x", "\u0000", "x".repeat(256)])
      expect(
        (await world.ask(`/files?name=${encodeURIComponent(bad)}`, { body: "a" })).status,
      ).toBe(400);
    expect(
      (await world.get(`/files/${await world.upload("ac", { name: "ü'(x)*" })}/content`)).status,
    ).toBe(200);
  });

  it("are listed newest first, by kind, page by page", async () => {
    const world = new FilesWorld({ inD1 });
    for (const name of ["a.txt", "b.txt", "c.txt"]) {
      await world.upload(name, { name });
      await world.clock.advance(1000);
    }
    const first = (await world.get("/files?limit=2")).json;
    const names = (page: typeof first): unknown =>
      (page["items"] as unknown as { name: string }[]).map(({ name }) => name);
    expect(names(first)).toEqual(["c.txt", "b.txt"]);
    const second = (await world.get(`/files?limit=2&cursor=${textOf(first["nextCursor"])}`)).json;
    expect([names(second), second["nextCursor"]]).toEqual([["a.txt"], undefined]);
    expect(names((await world.get("/files?kind=text")).json)).toHaveLength(3);
    expect(names((await world.get("/files?kind=image")).json)).toEqual([]);
    expect((await world.get("/files?kind=nonsense")).status).toBe(400);
    expect((await world.get("/files?cursor=nonsense")).status).toBe(400);
  });

  it("FLB3: are gone when they have expired, and removed within the next minute", async () => {
    const world = new FilesWorld({ inD1, limits: { ttl: 120 } });
    const usual = await world.upload("usual");
    const short = await world.ask("/files?name=a&expires=60", { body: "short" });
    expect(Date.parse(textOf(short.json["expiresAt"]))).toBe(world.clock.now() + 60_000);
    await world.clock.advance(60_001);
    expect((await world.get(`/files/${textOf(short.json["id"])}/content`)).status).toBe(404);
    expect((await world.get("/files")).json["items"]).toHaveLength(1);
    await world.sweep();
    expect([world.rows("stored_files"), world.rows("file_blobs")]).toEqual([1, 1]);
    expect((await world.get(`/files/${usual}/content`)).text).toBe("usual");
    await world.clock.advance(60_000);
    await world.sweep();
    expect([world.rows("stored_files"), world.rows("files"), world.bucket.keys.length]).toEqual([
      0, 0, 0,
    ]);
    for (const expires of ["59", "31536001", "x"])
      expect((await world.ask(`/files?expires=${expires}`, { body: "a" })).status).toBe(400);
  });

  it("keep to the quota of their tenant", async () => {
    const world = new FilesWorld({ inD1, limits: { quota: { files: 3, bytes: 10 } } });
    await world.upload("123456");
    const tooMany = await world.ask("/files?name=a", { body: "12345" });
    expect([tooMany.status, tooMany.json["code"]]).toEqual([413, "limit_exceeded"]);
    // A body of unknown length is found out when it is there.
    const unknown = await world.ask("/files", { method: "POST", body: pieces(new Uint8Array(5)) });
    expect([unknown.status, unknown.json["code"]]).toEqual([413, "limit_exceeded"]);
    await world.upload("1");
    await world.upload("2");
    expect((await world.ask("/files?name=a", { body: "3" })).json["code"]).toBe("limit_exceeded");
    expect([world.rows("file_blobs"), world.rows("file_removals")]).toEqual([3, 0]);
  });
});

describe("the size of a file", () => {
  it("is refused before the upload, when the client sends it (FT31, CA27)", async () => {
    const world = new FilesWorld();
    const { stream } = endless();
    const headers = { "content-length": String(100 * MB + 1) };
    const { status, json } = await world.ask("/files", { method: "POST", body: stream, headers });
    expect([status, json["code"]]).toEqual([413, "payload_too_large"]);
    expect([world.bucket.keys, world.bucket.uploads.size, world.rows("file_removals")]).toEqual([
      [],
      0,
      0,
    ]);
  });

  it("FLB1: is counted while a body of unknown length grows, which is cancelled (FT32, CA27)", async () => {
    const world = new FilesWorld({ limits: { maxBytes: 20 * MB } });
    const { stream, isCancelled } = endless();
    const { status, json } = await world.ask("/files", { method: "POST", body: stream });
    expect([status, json["code"]]).toEqual([413, "payload_too_large"]);
    expect(isCancelled()).toBe(true);
    expect([world.bucket.keys, world.bucket.uploads.size, world.rows("file_removals")]).toEqual([
      [],
      0,
      0,
    ]);
  });

  it("may be 100 MB in R2, with one part in memory at most", async () => {
    const world = new FilesWorld();
    const body = pieces(new Uint8Array(100 * MB));
    const { status, json } = await world.ask("/files?name=a", { method: "POST", body });
    expect([status, json["bytes"]]).toEqual([201, 100 * MB]);
    expect(json["sha256"]).toBe(
      createHash("sha256")
        .update(new Uint8Array(100 * MB))
        .digest("hex"),
    );
  });

  it("is 1.9 MB in D1, which names R2 for more (FT40)", async () => {
    const world = new FilesWorld({ inD1: true });
    const { status, json } = await world.ask("/files", {
      method: "POST",
      body: pieces(new Uint8Array(2 * MB)),
    });
    expect(status).toBe(413);
    expect(json["detail"]).toContain("keep files in R2");
    expect([world.rows("files"), world.rows("file_removals")]).toEqual([0, 0]);
  });
});
