import { createScheduledController } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { digestHex } from "../../src/base/bytes.ts";
import { EdgecrewClient } from "../../src/client/index.ts";
import { pieces } from "../support/file-store.suite.ts";
import worker from "./worker.ts";

const { FILES: bucket } = env as unknown as { FILES: R2Bucket };
const MIB = 1024 * 1024;
const TABLES = [
  "stored_files",
  "file_blobs",
  "file_uses",
  "file_removals",
  "file_uploads",
  "workspace_files",
];

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  exports.default.fetch(new Request(`https://api.test${path}`, init));
const { files, crews, runs } = new EdgecrewClient({
  baseUrl: "https://api.test",
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
});
const bytesOf = (length: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 9)) % 256);
const keys = async (): Promise<readonly string[]> =>
  (await bucket.list()).objects.map(({ key }) => key);

async function rows(table: string): Promise<number> {
  const row = await env.DB.prepare(`SELECT COUNT(*) AS count FROM ${table}`).first<{
    count: number;
  }>();
  return row?.count ?? 0;
}

const sweep = (): Promise<void> => worker.scheduled(createScheduledController(), env);

beforeEach(async () => {
  await env.DB.batch(TABLES.map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
  await bucket.delete([...(await keys())]);
});

describe("files over HTTP, in D1 and R2", () => {
  it("are streamed there and back, in pieces of the right length", async () => {
    const bytes = bytesOf(20 * MIB);
    const stored = await files.upload(pieces(bytes), { name: "large.bin" });
    expect(stored).toMatchObject({
      bytes: bytes.length,
      sha256: await digestHex(bytes),
      kind: "other",
    });
    const whole = await files.content(stored.id);
    expect(whole.headers.get("content-length")).toBe(String(bytes.length));
    expect(await digestHex(new Uint8Array(await whole.arrayBuffer()))).toBe(stored.sha256);
    const piece = await files.content(stored.id, { range: { first: 9 * MIB, last: 9 * MIB + 9 } });
    expect([piece.status, piece.headers.get("content-length")]).toEqual([206, "10"]);
    expect(new Uint8Array(await piece.arrayBuffer())).toEqual(bytes.slice(9 * MIB, 9 * MIB + 10));
    const { url } = await files.url(stored.id);
    const signed = await ask(url.slice("https://api.test".length), { method: "HEAD" });
    expect([signed.status, signed.headers.get("content-length")]).toEqual([
      200,
      String(bytes.length),
    ]);
    const has = { headers: { "if-none-match": `"${stored.sha256}"` } };
    expect((await ask(`/files/${stored.id}/content`, has)).status).toBe(304);
    await files.delete(stored.id);
    expect(await keys()).toEqual([]);
  });

  it("FLB2: two equal ones at once are stored once", async () => {
    const both = await Promise.all([1, 2].map(() => files.upload(pieces(bytesOf(9 * MIB)))));
    expect(new Set(both.map(({ id }) => id)).size).toBe(2);
    expect([await rows("file_blobs"), await rows("file_removals"), (await keys()).length]).toEqual([
      1, 0, 1,
    ]);
    await files.delete(both[0]?.id ?? "");
    expect((await files.content(both[1]?.id ?? "")).status).toBe(200);
    await files.delete(both[1]?.id ?? "");
    expect([await rows("file_blobs"), (await keys()).length]).toEqual([0, 0]);
  });

  it("FLB1: leave no data when they are too large (FT32)", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += MIB;
        controller.enqueue(new Uint8Array(MIB));
      },
    });
    await expect(files.upload(endless)).rejects.toMatchObject({ code: "payload_too_large" });
    expect(sent).toBeLessThan(140 * MIB);
    for (const table of TABLES) expect([table, await rows(table)]).toEqual([table, 0]);
    expect(await keys()).toEqual([]);
  });

  it("may come in several requests (FT39)", async () => {
    const bytes = bytesOf(11 * MIB);
    const tus = { "tus-resumable": "1.0.0" };
    const begun = await ask("/files", {
      method: "POST",
      headers: { ...tus, "upload-length": String(bytes.length) },
    });
    const path = begun.headers.get("location") ?? "";
    const patch = (offset: number, end: number): Promise<Response> =>
      ask(path, {
        method: "PATCH",
        body: bytes.slice(offset, end),
        headers: {
          ...tus,
          "content-type": "application/offset+octet-stream",
          "upload-offset": String(offset),
        },
      });
    expect((await patch(0, 10 * MIB)).status).toBe(204);
    expect((await patch(5, 10)).status).toBe(409);
    const head = await ask(path, { method: "HEAD", headers: tus });
    expect(head.headers.get("upload-offset")).toBe(String(10 * MIB));
    expect((await patch(10 * MIB, bytes.length)).status).toBe(204);
    const stored = await files.get(path.split("/").at(-1) ?? "");
    expect(stored).toMatchObject({ bytes: bytes.length, sha256: await digestHex(bytes) });
  });

  it("have forms of several", async () => {
    const form = new FormData();
    form.append("file", new Blob(["one"]), "1.txt");
    form.append("file", new Blob([bytesOf(9 * MIB)]), "2.bin");
    const stored = await ask("/files", { method: "POST", body: form });
    const { items } = await stored.json<{ items: { name: string; bytes: number }[] }>();
    expect(items.map(({ name, bytes }) => [name, bytes])).toEqual([
      ["1.txt", 3],
      ["2.bin", 9 * MIB],
    ]);
  });

  it("belong to their runs, like files the runs have written", async () => {
    const id = "with-files";
    const inputFiles = { doc: { data: btoa("the minutes"), name: "doc.txt" } };
    const run = await crews.kickoff("delegating", { id, inputs: { id }, inputFiles });
    await run.output();
    const [owned] = (await files.list({ run: id })).items;
    expect(await (await files.content(owned?.id ?? "")).text()).toBe("the minutes");
    expect((await files.ofRun(id)).map(({ path }) => path)).toEqual([`reports/${id}.md`]);
    const report = await files.contentOfRun(id, `reports/${id}.md`);
    expect(await report.text()).toBe(((await runs.get(id)).output as { raw: string }).raw);
    await run.delete();
    await expect(files.ofRun(id)).rejects.toMatchObject({ code: "not_found" });
    await sweep();
    expect((await keys()).filter((key) => key.includes("/blobs/"))).toEqual([]);
    for (const table of TABLES) expect([table, await rows(table)]).toEqual([table, 0]);
  });

  it("FLB3: are removed by the minute once expired", async () => {
    const { id } = await files.upload("short", { expires: 60 });
    const past = Date.now() - 1000;
    await env.DB.prepare("UPDATE stored_files SET expires_at = ?1, sweep_at = ?1").bind(past).run();
    await expect(files.get(id)).rejects.toMatchObject({ code: "not_found" });
    await sweep();
    expect([await rows("stored_files"), (await keys()).length]).toEqual([0, 0]);
  });
});
