import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { createClient, EdgecrewClient } from "../../../src/client/index.ts";
import { pieces } from "../../support/file-store.suite.ts";
import { FilesWorld } from "../../support/files-world.ts";

function clientOf(world: FilesWorld): EdgecrewClient {
  return new EdgecrewClient({
    baseUrl: "http://test.local",
    clock: world.clock,
    fetch: async (url, init) => world.app.request(url, init),
  });
}

it("works with files", async () => {
  const world = new FilesWorld();
  const { files, crews } = clientOf(world);
  const stored = await files.upload("a,b", { name: "a.csv", mediaType: "text/csv", expires: 3600 });
  expect(stored).toMatchObject({ name: "a.csv", mediaType: "text/csv", bytes: 3 });
  expect(await files.get(stored.id)).toEqual(stored);
  expect(await (await files.content(stored.id)).text()).toBe("a,b");
  expect(await (await files.content(stored.id, { range: { first: 2 } })).text()).toBe("b");
  expect(await (await files.content(stored.id, { range: { first: 0, last: 1 } })).text()).toBe(
    "a,",
  );
  const { url } = await files.url(stored.id, 60);
  expect((await world.get(url.slice(url.indexOf("/files")))).text).toBe("a,b");
  const blob = await files.upload(new Blob(["blob"]), { key: "k" });
  expect(await files.upload(new Blob(["blob"]), { key: "k" })).toEqual(blob);
  expect((await files.upload(pieces(new Uint8Array(100_000)))).bytes).toBe(100_000);
  expect((await files.upload(new Uint8Array([1]))).bytes).toBe(1);
  expect((await files.list({ limit: 2 })).items).toHaveLength(2);
  expect((await files.list({ kind: "text" })).items.map(({ name }) => name)).toContain("a.csv");

  const run = await crews.kickoff("greeting", { id: "r", inputFiles: { table: stored.id } });
  expect((await files.list({ run: run.id })).items).toEqual([stored]);
  await world.clock.settle();
  expect(await files.ofRun("r")).toEqual([]);
  await expect(files.contentOfRun("r", "no/ü.txt")).rejects.toMatchObject({ code: "not_found" });
  await world.clock.advance(2_000);
  await files.delete(stored.id);
  await expect(files.get(stored.id)).rejects.toMatchObject({ code: "not_found" });
  await files.delete(blob.id, { force: true });
});

describe("uploads", () => {
  it("a file among inputs is uploaded first, once, also when the answer was lost (CC4)", async () => {
    const world = new FilesWorld();
    let lost = 0;
    const bodies: unknown[] = [];
    const client = createClient({
      url: "http://test.local",
      clock: world.clock,
      fetch: async (url, init) => {
        if (url.endsWith("/kickoff")) bodies.push(JSON.parse(init.body as string));
        const response = await world.app.request(url, init);
        if (url.includes("/files") && lost++ === 0) throw new TypeError("fetch failed");
        return response;
      },
    });
    const inputs = {
      topic: "tea",
      table: new File(["a,b"], "a.csv", { type: "text/csv" }),
      list: [{ deep: new Blob(["x"]) }],
    };
    const starting = client.crews.kickoff("briefing", { id: "r-1", inputs });
    await world.clock.advance(5_000);
    await starting;
    const { items } = await client.files.list();
    expect(items.map(({ name }) => name).toSorted()).toEqual(["a.csv", "file"]);
    const idOf = (name: string): unknown => items.find((file) => file.name === name)?.id;
    expect(bodies).toEqual([
      {
        id: "r-1",
        inputs: {
          topic: "tea",
          table: { $file: idOf("a.csv") },
          list: [{ deep: { $file: idOf("file") } }],
        },
      },
    ]);
    expect((await client.files.list({ run: "r-1" })).items).toHaveLength(2);
    await world.clock.advance(5_000);
  });

  it("tell how much was sent, never less than before, also when sent again (CC11)", async () => {
    const world = new FilesWorld();
    let attempts = 0;
    vi.stubGlobal(
      "XMLHttpRequest",
      class {
        upload = { onprogress: null as ((event: { loaded: number }) => void) | null };
        status = 0;
        statusText = "";
        responseText = "";
        withCredentials = false;
        onload: (() => void) | null = null;
        onerror: (() => void) | null = null;
        readonly #headers: Record<string, string> = {};
        #url = "";
        open(_: string, url: string): void {
          this.#url = url;
        }
        setRequestHeader(name: string, value: string): void {
          this.#headers[name] = value;
        }
        getAllResponseHeaders(): string {
          return "content-type: application/json\r\n";
        }
        async send(body: string): Promise<void> {
          for (const loaded of [1_000, 4_000]) this.upload.onprogress?.({ loaded });
          if (++attempts === 1) return this.onerror?.();
          this.upload.onprogress?.({ loaded: 9_000 });
          const init = { method: "POST", headers: this.#headers, body };
          const response = await world.app.request(this.#url, init);
          this.status = response.status;
          this.responseText = await response.text();
          this.onload?.();
        }
      },
    );
    const sent: number[] = [];
    const client = createClient({ url: "http://test.local", clock: world.clock });
    const onProgress = (progress: { readonly sent: number }): void => void sent.push(progress.sent);
    const uploading = client.files.upload("x".repeat(10_000), { onProgress });
    await world.clock.advance(5_000);
    const ref = await uploading;
    vi.unstubAllGlobals();
    expect(ref).toMatchObject({ bytes: 10_000 });
    expect(attempts).toBe(2);
    expect(sent).toEqual(sent.toSorted((a, b) => a - b));
    expect([...new Set(sent)]).toEqual([0, 1_000, 4_000, 9_000, 10_000]);
    expect((await clientOf(world).files.list()).items).toHaveLength(1);
  });

  it("of a stream are counted while it is read, and end at once with their signal (CC11)", async () => {
    const world = new FilesWorld();
    const client = clientOf(world);
    const sent: number[] = [];
    await client.files.upload(pieces(new Uint8Array(100_000)), {
      onProgress: (progress) => sent.push(progress.sent),
    });
    expect(sent.at(-1)).toBe(100_000);
    expect(sent).toEqual(sent.toSorted((a, b) => a - b));
    const leaving = new AbortController();
    const reason = new Error("left the page");
    const endless = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    const hanging = createClient({
      url: "http://test.local",
      clock: world.clock,
      fetch: (_, { signal }) =>
        new Promise((__, reject) =>
          signal?.addEventListener("abort", () => reject(new Error("aborted"))),
        ),
    });
    const uploading = hanging.files.upload(endless, { signal: leaving.signal });
    leaving.abort(reason);
    await expect(uploading).rejects.toBe(reason);
    expect(world.clock.pending).toBe(0);
  });

  it("of Node count a stream as the server takes it, end with their signal, and send bytes again (CC11)", async () => {
    const received: number[] = [];
    const server = createServer((request, response) => {
      const at = received.push(0) - 1;
      request.on("data", (data: Buffer) => (received[at] = (received[at] ?? 0) + data.length));
      request.on("error", () => undefined); // ended by its sender
      request.on("end", () => {
        response.writeHead(at === 0 ? 503 : 201, { "content-type": "application/json" });
        response.end(JSON.stringify({ id: "f", bytes: received[at] }));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = createClient({ url });
    const sent: number[] = [];
    const onProgress = (progress: { readonly sent: number }): void => void sent.push(progress.sent);
    const bytes = await client.files.upload(new Uint8Array(300_000), { onProgress });
    expect([bytes.bytes, received, sent]).toEqual([300_000, [300_000, 300_000], [0, 300_000]]);
    sent.length = 0;
    const stream = await client.files.upload(pieces(new Uint8Array(300_000)), { onProgress });
    expect(stream.bytes).toBe(300_000);
    expect(sent.length).toBeGreaterThan(2);
    expect(sent).toEqual(sent.toSorted((a, b) => a - b));
    expect(sent.at(-1)).toBe(300_000);
    const leaving = new AbortController();
    const endless = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        controller.enqueue(new Uint8Array(50_000));
      },
    });
    const reason = new Error("left the page");
    const uploading = client.files.upload(endless, {
      signal: leaving.signal,
      onProgress: (progress) => void (progress.sent > 1_000_000 && leaving.abort(reason)),
    });
    await expect(uploading).rejects.toBe(reason);
    server.closeAllConnections();
    server.close();
  });
});
