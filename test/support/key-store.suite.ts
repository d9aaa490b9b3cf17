// What a store of API keys does, wherever its rows are: `describeKeyStore(form)`.
import { beforeEach, describe, expect, it } from "vitest";
import type { ApiKey, KeyStore } from "../../src/parts/key-store.ts";

export type KeyStoreForm = {
  readonly name: string;
  /** An empty store. */
  readonly open: () => KeyStore | Promise<KeyStore>;
};

export function describeKeyStore({ name, open }: KeyStoreForm): void {
  describe(`a key store ${name}`, () => {
    let store: KeyStore;

    beforeEach(async () => {
      store = await open();
    });

    function key(id: string, more: Partial<ApiKey> = {}): ApiKey {
      return { id, tenant: "acme", scopes: ["run", "read"], createdAtMs: 5, ...more };
    }

    async function ids(page: { afterId?: string; limit: number }): Promise<readonly string[]> {
      return (await store.list(page)).map(({ id }) => id);
    }

    it("finds a key by its hash alone, as it was added", async () => {
      const named = key("b", {
        tenant: "other",
        name: "frontend",
        scopes: ["admin"],
        expiresAtMs: 1_800_000_000_000,
      });
      await store.add(key("a"), "hash-a");
      await store.add(named, "hash-b");
      expect(await store.find("hash-a")).toEqual(key("a"));
      expect(await store.find("hash-b")).toEqual(named);
      for (const none of ["a", "hash-c", "HASH-A", "hash-", "", "' OR 1=1 --"])
        expect({ none, found: await store.find(none) }).toEqual({ none, found: undefined });
    });

    it("knows whether there is any key, of any tenant", async () => {
      expect(await store.any()).toBe(false);
      await store.add(key("a", { tenant: "other" }), "hash-a");
      expect(await store.any()).toBe(true);
      await store.delete("a");
      expect(await store.any()).toBe(false);
    });

    it("refuses an id and a hash that are taken, and keeps the first key", async () => {
      await store.add(key("a"), "hash-a");
      await expect(store.add(key("a", { tenant: "other" }), "hash-b")).rejects.toThrow(/unique/i);
      await expect(store.add(key("b", { tenant: "other" }), "hash-a")).rejects.toThrow(/unique/i);
      expect(await store.find("hash-a")).toEqual(key("a"));
      expect(await store.find("hash-b")).toBeUndefined();
      expect(await ids({ limit: 10 })).toEqual(["a"]);
    });

    it("lists the keys of all tenants by id, page by page", async () => {
      for (const id of ["c", "a", "B", "b"])
        await store.add(key(id, { tenant: `t-${id}` }), `hash-${id}`);
      expect(await ids({ limit: 2 })).toEqual(["B", "a"]);
      expect(await ids({ afterId: "a", limit: 2 })).toEqual(["b", "c"]);
      expect(await ids({ afterId: "c", limit: 2 })).toEqual([]);
      expect(await ids({ afterId: "aa", limit: 1 })).toEqual(["b"]);
    });

    it("goes on where a page ended when keys come and go in between", async () => {
      for (const id of ["b", "d", "f"]) await store.add(key(id), `hash-${id}`);
      expect(await ids({ limit: 2 })).toEqual(["b", "d"]);
      await store.delete("d");
      await store.add(key("a"), "hash-a");
      await store.add(key("e"), "hash-e");
      expect(await ids({ afterId: "d", limit: 2 })).toEqual(["e", "f"]);
    });

    it("deletes a key once, and only that one", async () => {
      await store.add(key("a"), "hash-a");
      await store.add(key("b"), "hash-b");
      expect(await store.delete("a")).toBe(true);
      expect(await store.delete("a")).toBe(false);
      expect(await store.delete("never")).toBe(false);
      expect(await store.find("hash-a")).toBeUndefined();
      expect(await store.find("hash-b")).toEqual(key("b"));
    });
  });
}
