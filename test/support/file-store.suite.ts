// What a file store does, wherever its files are: `describeFileStore(form)`.
import { beforeEach, describe, expect, it } from "vitest";
import { filesBelow, storeWith, type FileStore } from "../../src/files/file-store.ts";
import { bytesOf } from "../../src/files/stream-bytes.ts";

export type FileStoreForm = {
  readonly name: string;
  /** Empty stores of these tenants. */
  readonly open: (...tenants: string[]) => readonly FileStore[] | Promise<readonly FileStore[]>;
  /** Larger than what the store sends in one piece, where it takes that. */
  readonly manyBytes: number;
};

/** As a client sends it: in pieces of odd sizes, of unknown length. */
export function pieces(bytes: Uint8Array, size = 61_111): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

export function describeFileStore({ name, open, manyBytes }: FileStoreForm): void {
  describe(`files ${name}`, () => {
    const whole = async () => {
      const [store] = await open("acme");
      return storeWith(store as FileStore, "the test", ["open", "stat", "list", "delete"]);
    };
    let store: Awaited<ReturnType<typeof whole>>;

    beforeEach(async () => {
      store = await whole();
    });

    const pathsBelow = async (prefix: string): Promise<readonly string[]> => {
      const paths: string[] = [];
      for await (const { path } of filesBelow(store, prefix)) paths.push(path);
      return paths;
    };

    it("are read as they were written; the last writing counts", async () => {
      expect(await store.get("a.txt")).toBeUndefined();
      await store.put("a.txt", "old", "text/plain");
      await store.put("a.txt", "Grüße", "text/markdown");
      expect(await store.get("a.txt")).toEqual({
        content: new TextEncoder().encode("Grüße"),
        mediaType: "text/markdown",
      });
      const bytes = new Uint8Array([0, 255, 128]);
      await store.put("dir/b.bin", bytes, "application/octet-stream");
      expect((await store.get("dir/b.bin"))?.content).toEqual(bytes);
    });

    it("of one tenant are not another's", async () => {
      const [acme, other] = await open("acme", "other/acme");
      await acme?.put("a", "1", "text/plain");
      expect(await other?.get("a")).toBeUndefined();
      expect(await other?.get("../acme/a")).toBeUndefined();
      expect(await other?.stat?.("a")).toBeUndefined();
      expect((await other?.list?.())?.items).toEqual([]);
      await other?.delete?.("a");
      expect(await acme?.get("a")).toBeDefined();
    });

    it.each([0, 1, manyBytes])(
      "take a stream of %d bytes whose length nobody knows",
      async (length) => {
        const bytes = Uint8Array.from({ length }, (_, index) => index % 251);
        await store.put("stream", pieces(bytes), "application/pdf");
        expect(await store.stat("stream")).toEqual({
          path: "stream",
          mediaType: "application/pdf",
          bytes: length,
        });
        const opened = await store.open("stream");
        expect(opened).toMatchObject({ mediaType: "application/pdf", bytes: length });
        const read = (await bytesOf(opened?.stream as ReadableStream<Uint8Array>)) as Uint8Array;
        expect(read.length).toBe(length);
        expect(Buffer.compare(read, bytes)).toBe(0);
      },
    );

    it("keep what was there when a stream fails", async () => {
      await store.put("a", "before", "text/plain");
      let count = 0;
      const failing = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (count * 1_000_000 > manyBytes)
            return controller.error(new Error("the client is gone"));
          count++;
          controller.enqueue(new Uint8Array(1_000_000));
        },
      });
      await expect(store.put("a", failing, "image/png")).rejects.toThrow(/gone|keep files in R2/);
      expect(new TextDecoder().decode((await store.get("a"))?.content)).toBe("before");
      const nothing = new ReadableStream<Uint8Array>({
        start: (controller) => controller.error(new Error("gone")),
      });
      await expect(store.put("b", nothing, "image/png")).rejects.toThrow("gone");
      expect(await store.stat("b")).toBeUndefined();
    });

    it("are read in ranges", async () => {
      await store.put("digits", "0123456789", "text/plain");
      const piece = async (offset: number, length?: number): Promise<string> => {
        const range = length === undefined ? { offset } : { offset, length };
        const { stream, bytes } = (await store.open("digits", range)) ?? {};
        expect(bytes).toBe(10);
        return new TextDecoder().decode(await bytesOf(stream as ReadableStream<Uint8Array>));
      };
      expect(await piece(2, 3)).toBe("234");
      expect(await piece(7)).toBe("789");
      expect(await piece(8, 100)).toBe("89");
      expect(await store.open("gone", { offset: 0, length: 1 })).toBeUndefined();
    });

    it("are listed by prefix in the order of their paths, page by page", async () => {
      const paths = ["b/2", "a/1", "b/10", "b", "b/1", "ba", "b/ü", "c_/x", "c%/x", "cx/x"];
      for (const path of paths) await store.put(path, path, "text/plain");
      expect(await pathsBelow("b/")).toEqual(["b/1", "b/10", "b/2", "b/ü"]);
      expect(await pathsBelow("")).toEqual(paths.toSorted());
      const first = await store.list({ prefix: "b/", limit: 3 });
      const cursor = first.nextCursor ?? "";
      const second = await store.list({ prefix: "b/", limit: 3, cursor });
      expect([first, second].map(({ items }) => items.length)).toEqual([3, 1]);
      expect(second.nextCursor).toBeUndefined();
      expect((await store.list()).items[0]).toEqual({
        path: "a/1",
        mediaType: "text/plain",
        bytes: 3,
      });
      expect((await store.list({ prefix: "c_" })).items).toHaveLength(1);
      expect((await store.list({ prefix: "d" })).items).toEqual([]);
    });

    it("are deleted one by one or many at once", async () => {
      const paths = Array.from({ length: 230 }, (_, index) => `many/${index}`);
      await Promise.all(paths.map((path) => store.put(path, "1", "text/plain")));
      await store.delete(["many/0", "nothing"]);
      await store.delete("many/1");
      expect(await pathsBelow("many/")).toHaveLength(228);
      await store.delete(paths);
      await store.delete([]);
      expect(await pathsBelow("")).toEqual([]);
    });
  });
}
