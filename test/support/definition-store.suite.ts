// What a store of definitions does, wherever its rows are: `describeDefinitionStore(form)`.
import { beforeEach, describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/base/json.ts";
import type { DefinitionKind, DefinitionStore } from "../../src/parts/definition-store.ts";

export type DefinitionStoreForm = {
  readonly name: string;
  /** An empty store. */
  readonly open: () => DefinitionStore | Promise<DefinitionStore>;
};

export function describeDefinitionStore({ name, open }: DefinitionStoreForm): void {
  describe(`a definition store ${name}`, () => {
    let store: DefinitionStore;

    beforeEach(async () => {
      store = await open();
    });

    async function put(
      entry: string,
      {
        tenant = "acme",
        kind = "crew",
        definition = {},
        nowMs = 1,
      }: { tenant?: string; kind?: DefinitionKind; definition?: JsonValue; nowMs?: number } = {},
    ): Promise<boolean> {
      return (await store.put(tenant, kind, { name: entry, definition, nowMs })).isNew;
    }

    async function names(
      page: { afterName?: string; limit: number },
      kind: DefinitionKind = "crew",
    ): Promise<readonly string[]> {
      return (await store.list("acme", kind, page)).map((each) => each.name);
    }

    it("gives back what was stored, with its times", async () => {
      const definition = { list: [1, "ä 😀", null], nested: { "": true }, text: "a'b\n" };
      expect(await put("notes", { definition, nowMs: 5 })).toBe(true);
      expect(await store.get("acme", "crew", "notes")).toEqual({
        name: "notes",
        definition,
        version: 1,
        createdAtMs: 5,
        updatedAtMs: 5,
      });
    });

    it("replaces a definition whole, keeps its first time, and says that it was there", async () => {
      await put("notes", { definition: { a: 1 }, nowMs: 5 });
      expect(await put("notes", { definition: { b: 2 }, nowMs: 9 })).toBe(false);
      expect(await store.get("acme", "crew", "notes")).toEqual({
        name: "notes",
        definition: { b: 2 },
        version: 2,
        createdAtMs: 5,
        updatedAtMs: 9,
      });
      expect(await put("notes", { definition: { b: 2 }, nowMs: 9 })).toBe(false);
    });

    it("tells one caller that a name is new when several store it at once", async () => {
      const isNew = await Promise.all(Array.from({ length: 4 }, () => put("notes")));
      expect(isNew.filter(Boolean)).toHaveLength(1);
      expect(await names({ limit: 5 })).toEqual(["notes"]);
    });

    it("keeps a copy, which neither the writer nor a reader can change", async () => {
      const definition = { tasks: ["a"] };
      await put("notes", { definition });
      definition.tasks.push("b");
      const read = await store.get("acme", "crew", "notes");
      expect(read?.definition).toEqual({ tasks: ["a"] });
      (read?.definition as typeof definition | undefined)?.tasks.push("c");
      expect((await store.get("acme", "crew", "notes"))?.definition).toEqual({ tasks: ["a"] });
    });

    it("keeps tenants and kinds apart, whatever their names contain", async () => {
      await put("x", { definition: { of: "crew" } });
      await put("x", { kind: "flow", definition: { of: "flow" } });
      await put("x", { tenant: "acme/crew", definition: { of: "another" } });
      await put("crew/x", { tenant: "acme", definition: { of: "slash" } });
      expect((await store.get("acme", "crew", "x"))?.definition).toEqual({ of: "crew" });
      expect((await store.get("acme", "flow", "x"))?.definition).toEqual({ of: "flow" });
      expect((await store.get("acme/crew", "crew", "x"))?.definition).toEqual({ of: "another" });
      expect(await store.get("other", "crew", "x")).toBeUndefined();
      expect(await names({ limit: 5 })).toEqual(["crew/x", "x"]);
      expect(await names({ limit: 5 }, "flow")).toEqual(["x"]);
      expect(await store.delete("other", "crew", "x")).toBe(false);
      expect(await store.delete("acme", "crew", "x")).toBe(true);
      expect(await store.get("acme", "flow", "x")).toBeDefined();
      expect(await store.get("acme/crew", "crew", "x")).toBeDefined();
    });

    it("lists by name, page by page, also when names come and go in between", async () => {
      for (const entry of ["d", "b", "f", "B"]) await put(entry);
      expect(await names({ limit: 2 })).toEqual(["B", "b"]);
      await store.delete("acme", "crew", "b");
      await put("a");
      await put("c");
      expect(await names({ afterName: "b", limit: 2 })).toEqual(["c", "d"]);
      expect(await names({ afterName: "d", limit: 2 })).toEqual(["f"]);
      expect(await names({ afterName: "f", limit: 2 })).toEqual([]);
    });

    it("deletes a definition once; stored again, it is new", async () => {
      await put("notes", { nowMs: 5 });
      expect(await store.delete("acme", "crew", "notes")).toBe(true);
      expect(await store.delete("acme", "crew", "notes")).toBe(false);
      expect(await store.get("acme", "crew", "notes")).toBeUndefined();
      expect(await put("notes", { nowMs: 9 })).toBe(true);
      expect((await store.get("acme", "crew", "notes"))?.createdAtMs).toBe(9);
    });

    it("keeps what was stored as versions, which a deleted name counts on", async () => {
      const first = { name: "notes", definition: { a: 1 }, nowMs: 5, source: "a: 1 # one" };
      await store.put("acme", "crew", { ...first, mediaType: "application/yaml", note: "first" });
      await store.delete("acme", "crew", "notes");
      const again = { name: "notes", definition: { a: 2 }, nowMs: 9, by: "ada", bytes: 3 };
      expect(await store.put("acme", "crew", again)).toEqual({ version: 2, isNew: true });
      expect(await store.versions("acme", "crew", { name: "notes", limit: 5 })).toEqual([
        { version: 2, createdAtMs: 9, by: "ada", bytes: 3 },
        { version: 1, createdAtMs: 5, note: "first", bytes: 7 },
      ]);
      expect(
        await store.versions("acme", "crew", { name: "notes", before: 2, limit: 5 }),
      ).toHaveLength(1);
      expect(await store.version("acme", "crew", { name: "notes", version: 1 })).toEqual({
        version: 1,
        createdAtMs: 5,
        note: "first",
        bytes: 7,
        source: "a: 1 # one",
        mediaType: "application/yaml",
        definition: { a: 1 },
      });
      expect(await store.version("other", "crew", { name: "notes", version: 1 })).toBeUndefined();
      expect(await store.versions("acme", "flow", { name: "notes", limit: 5 })).toEqual([]);
    });

    it("makes no version of what is there", async () => {
      const entry = { name: "notes", definition: { a: 1 }, nowMs: 5, hash: "one" };
      await store.put("acme", "crew", entry);
      expect(await store.put("acme", "crew", { ...entry, nowMs: 9 })).toEqual({
        version: 1,
        isNew: false,
      });
      expect((await store.get("acme", "crew", "notes"))?.updatedAtMs).toBe(5);
      await store.delete("acme", "crew", "notes");
      expect(await store.put("acme", "crew", entry)).toEqual({ version: 2, isNew: true });
    });

    it("lets one of several writers replace the version that all have read", async () => {
      await put("notes");
      const results = await Promise.allSettled(
        [1, 2, 3].map((value) =>
          store.put("acme", "crew", {
            name: "notes",
            definition: { value },
            nowMs: 9,
            checkPresent: (version) => {
              if (version !== 1) throw new Error(`at version ${version}`);
            },
          }),
        ),
      );
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(await store.versions("acme", "crew", { name: "notes", limit: 5 })).toHaveLength(2);
    });

    it("drops the oldest of 51 versions (CA23)", async () => {
      for (let value = 1; value <= 51; value++) await put("notes", { definition: { value } });
      const kept = await store.versions("acme", "crew", { name: "notes", limit: 60 });
      expect(kept.map(({ version }) => version)).toEqual(
        Array.from({ length: 50 }, (_, index) => 51 - index),
      );
      expect((await store.get("acme", "crew", "notes"))?.version).toBe(51);
    });
  });
}
