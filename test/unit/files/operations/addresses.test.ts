import { describe, expect, it } from "vitest";
import { FilesWorld } from "../../../support/files-world.ts";
import { textOf } from "../../../support/http-app.ts";

describe("an address without a key", () => {
  const open = async () => {
    const world = new FilesWorld({ auth: { mode: "keys", adminKey: "operator" } });
    const keyOf = async (tenant: string): Promise<string> => {
      const json = { tenant, scopes: ["run", "read"] };
      return textOf((await world.ask("/keys", { json, key: "operator" })).json["key"]);
    };
    const key = await keyOf("acme");
    const id = await world.upload("ab", { key });
    const signed = await world.ask(`/files/${id}/url`, { json: { seconds: 60 }, key });
    return { world, key, id, url: new URL(textOf(signed.json["url"])), signed, keyOf };
  };

  it("gives one file until its time (FT36, CA27)", async () => {
    const { world, key, id, url, signed } = await open();
    expect(signed.status).toBe(200);
    expect(Date.parse(textOf(signed.json["expiresAt"]))).toBe(world.clock.now() + 60_000);
    const address = url.pathname + url.search;
    expect([(await world.get(address)).status, (await world.get(address)).text]).toEqual([
      200,
      "ab",
    ]);
    expect((await world.get(address, { range: "bytes=1-" })).status).toBe(206);
    expect((await world.get(url.pathname)).status).toBe(401);
    await world.clock.advance(60_000);
    expect((await world.get(address)).status).toBe(403);
    const seconds = async (json: object): Promise<number> =>
      (await world.ask(`/files/${id}/url`, { json, key })).status;
    expect(await seconds({ seconds: 901 })).toBe(400);
    expect(await seconds({ seconds: 0 })).toBe(400);
    expect(await seconds({})).toBe(200);
  });

  it("SGU1: is refused after any change (FT36, CA27)", async () => {
    const { world, key, id, url } = await open();
    const other = await world.upload("secret", { key });
    const changed = async (change: (url: URL) => void): Promise<number> => {
      const copy = new URL(url);
      change(copy);
      return (await world.get(copy.pathname + copy.search)).status;
    };
    const set = (name: string, value: string) => (each: URL) => each.searchParams.set(name, value);
    expect(await changed(() => undefined)).toBe(200);
    expect(await changed((each) => (each.pathname = `/files/${other}/content`))).toBe(403);
    expect(await changed(set("tenant", "default"))).toBe(403);
    expect(await changed(set("expires", String(Number(url.searchParams.get("expires")) + 1)))).toBe(
      403,
    );
    expect(await changed(set("expires", "Infinity"))).toBe(403);
    expect(await changed(set("signature", "AAAA"))).toBe(403);
    expect(await changed(set("signature", ""))).toBe(403);
    expect(await changed((each) => each.searchParams.delete("signature"))).toBe(401);
    expect(await changed((each) => (each.pathname = `/files/${id}`))).toBe(401);
    const json = {};
    const again = await world.ask(`/files/${id}/url${url.search}`, { json });
    expect(again.status).toBe(401);
  });

  it("is made with a secret, which must be set", async () => {
    const world = new FilesWorld({ variables: {} });
    const id = await world.upload("ab");
    const { status, json } = await world.ask(`/files/${id}/url`, { json: {} });
    expect([status, textOf(json["detail"])]).toEqual([
      503,
      expect.stringContaining("EDGECREW_FILES_SECRET"),
    ]);
    const forged = `/files/${id}/content?tenant=default&expires=9999999999&signature=${"A".repeat(43)}`;
    expect((await world.get(forged)).status).toBe(403);
  });

  it("begins with the base path of the API", async () => {
    const world = new FilesWorld({ basePath: "/ai" });
    const { json } = await world.ask(`/files/${await world.upload("ab")}/url`, { json: {} });
    expect(new URL(textOf(json["url"])).pathname).toMatch(/^\/ai\/files\/file_.*\/content$/);
  });
});

describe("forms", () => {
  const form = (
    files: readonly (readonly [name: string | undefined, content: string])[],
  ): FormData => {
    const data = new FormData();
    data.append("note", "a field that is no file");
    for (const [name, content] of files)
      data.append("file", new Blob([content], { type: "text/csv" }), name);
    return data;
  };
  const send = async (
    world: FilesWorld,
    data: FormData,
    {
      change = (bytes) => bytes,
      ...more
    }: {
      readonly change?: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
      readonly headers?: Record<string, string>;
    } = {},
  ) => {
    const request = new Request("http://a", { method: "POST", body: data });
    const type = request.headers.get("content-type") ?? "";
    const body = change(new Uint8Array(await request.arrayBuffer()));
    return world.ask("/files", { body, headers: { "content-type": type, ...more.headers } });
  };

  it("have one file or several", async () => {
    const world = new FilesWorld();
    const one = await send(world, form([["grüße.csv", "a,b"]]));
    expect([one.status, one.json]).toMatchObject([
      201,
      { name: "grüße.csv", bytes: 3, mediaType: "text/csv" },
    ]);
    const big = "x".repeat(300_000);
    const two = await send(
      world,
      form([
        ["a.csv", "1"],
        ["b.csv", big],
      ]),
    );
    expect(two.status).toBe(201);
    const items = two.json["items"] as unknown as { id: string; name: string }[];
    expect(items.map(({ name }) => name)).toEqual(["a.csv", "b.csv"]);
    expect((await world.get(`/files/${items[1]?.id}/content`)).text).toBe(big);
  });

  it.each(["日本 😀.csv", 'a "b" c.csv', "x; name=other.csv", "C:\\\\a.csv", "50%.csv"])(
    "may be called %s",
    async (name) => {
      const world = new FilesWorld();
      const stored = await send(world, form([[name, "a,b"]]));
      expect([stored.status, stored.json]).toMatchObject([201, { name, mediaType: "text/csv" }]);
    },
  );

  it("FLB1: store no file when one of their files is refused, or there is none (BI12)", async () => {
    const world = new FilesWorld({ limits: { maxBytes: 1000 } });
    const bad = [
      await send(
        world,
        form([
          ["a", "1"],
          ["b", "x".repeat(1001)],
        ]),
      ),
      await send(
        world,
        form([
          ["a", "1"],
          ["b", ""],
        ]),
      ),
      await send(world, form([])),
      await send(
        world,
        form(Array.from({ length: 11 }, (_, index) => [`${index}`, `${index}`] as const)),
      ),
      await send(world, form([["a", "1"]]), { change: (bytes) => bytes.slice(0, -30) }),
      await send(world, form([["a", "1"]]), { change: (bytes) => bytes.slice(0, 80) }),
      await send(world, form([["a", "1"]]), { headers: { "content-type": "multipart/form-data" } }),
      await send(world, form([["a", "1"]]), {
        headers: { "content-digest": `sha-256=:${btoa("0".repeat(32))}:` },
      }),
    ];
    expect(bad.map(({ status }) => status)).toEqual([413, 400, 400, 400, 400, 400, 400, 400]);
    const left = ["stored_files", "file_blobs", "file_removals"].map((table) => world.rows(table));
    expect([...left, world.bucket.keys.length]).toEqual([0, 0, 0, 0]);
    expect(world.reported).toEqual([]);
  });

  it("are found again by the same Idempotency-Key", async () => {
    const world = new FilesWorld();
    const twice = [1, 2].map(() =>
      send(
        world,
        form([
          ["a", "1"],
          ["b", "2"],
        ]),
        { headers: { "idempotency-key": "k" } },
      ),
    );
    const [one, two] = (await Promise.all(twice)).map(({ json }) => json["items"]);
    expect(two).toEqual(one);
    expect(world.rows("stored_files")).toBe(2);
  });
});
