import { describe, expect, it } from "vitest";
import type { RunScope } from "../../../src/events/run-scope.ts";
import type { JournalPage, JournalQuery } from "../../../src/runtime/journal-page.ts";
import type { Step } from "../../../src/runtime/run.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

const STRANGE = ["a/b", "#1", "100%", "größe", "a'b", "a_b"];

/** Groups of effects, with keys of all kinds; each has a result of its own. */
async function program(scope: RunScope): Promise<string> {
  for (let task = 0; task < 4; task++)
    await scope.at(`task:t${task}`).group("task", async (inside) => {
      for (const name of STRANGE)
        await inside.at(`tool:${name}`).step({ kind: "effect", run: async () => `${task}${name}` });
      await inside.at("deep").group("group", async (deeper) => {
        await deeper.at("leaf").step({ kind: "effect", run: async () => "x".repeat(100_000) });
      });
      return task;
    });
  await scope.at("task:t0-later").step({ kind: "effect", run: async () => "beside" });
  return "done";
}

describe.each(RUN_STORES)("the journal of a run, $name", ({ open }) => {
  const made = (async () => {
    const world = new RunWorld(program, { fixture: open() });
    await world.begin();
    return world;
  })();
  const page = async (query: Partial<JournalQuery> = {}): Promise<JournalPage> =>
    (await made).host.reader.steps({ limit: 200, ...query });
  const keys = async (query: Partial<JournalQuery> = {}): Promise<readonly string[]> =>
    (await page(query)).items.map(({ key }) => key);
  /** All rows, page by page. */
  const walk = async (
    first: Partial<JournalQuery>,
    cursorOf: (page: JournalPage) => string | undefined,
  ): Promise<readonly Step[][]> => {
    const pages: Step[][] = [];
    for (let query: Partial<JournalQuery> | undefined = first; query !== undefined;) {
      const each: JournalPage = await page(query);
      pages.push([...each.items]);
      const cursor = cursorOf(each);
      const { around: _, ...rest } = query;
      query = cursor === undefined ? undefined : { ...rest, cursor };
    }
    return pages;
  };

  it.each(["asc", "desc"] as const)(
    "pages forward, backward and around any key give the same rows, %s (CA15)",
    async (order) => {
      const all = (await page({ order })).items;
      expect(all).toHaveLength(4 * (STRANGE.length + 3) + 1);
      const forward = await walk({ order, limit: 5 }, ({ nextCursor }) => nextCursor);
      expect(forward.flat()).toEqual(all);
      for (const { key } of [all[0], all[17], all.at(-1)].flatMap((row) => row ?? [])) {
        const here = await page({ order, limit: 5, around: key });
        expect(here.items.map((row) => row.key)).toContain(key);
        const after = await walk({ order, limit: 5, around: key }, ({ nextCursor }) => nextCursor);
        const before = await walk({ order, limit: 5, around: key }, ({ prevCursor }) => prevCursor);
        expect([...before.slice(1).toReversed().flat(), ...after.flat()]).toEqual(all);
      }
    },
  );

  it("lists the keys below a key, up to a depth (CA15)", async () => {
    const below = STRANGE.map((name) => `task:t0/tool:${name}`);
    const children = [...below, "task:t0/deep"];
    expect(await keys({ under: "task:t0" })).toEqual([...children, "task:t0/deep/leaf"]);
    expect(await keys({ under: "task:t0", depth: 1 })).toEqual(children);
    expect(await keys({ under: "task:t0", depth: 2 })).toContain("task:t0/deep/leaf");
    expect(await keys({ depth: 1 })).toEqual([
      "task:t0",
      "task:t1",
      "task:t2",
      "task:t3",
      "task:t0-later",
    ]);
    expect(await keys({ under: "task:t0/tool:a" })).toEqual(["task:t0/tool:a/b"]);
    expect(await keys({ under: "nothing" })).toEqual([]);
  });

  it("filters by kind, state and a piece of the key, taken as it is written (CA15)", async () => {
    expect(await keys({ kinds: ["task"], order: "desc" })).toEqual([
      "task:t3",
      "task:t2",
      "task:t1",
      "task:t0",
    ]);
    expect(await keys({ states: ["started", "waiting", "error"] })).toEqual([]);
    for (const name of STRANGE)
      expect(await keys({ q: `t2/tool:${name}` })).toEqual([`task:t2/tool:${name}`]);
    expect(await keys({ q: "%" })).toHaveLength(4);
  });

  it("shows results whole, cut, or as fingerprints", async () => {
    const leaves = { q: "leaf" };
    const whole = (await page({ ...leaves, values: true })).items;
    expect(whole.map(({ value }) => (value as string).length)).toEqual([
      100_000, 100_000, 100_000, 100_000,
    ]);
    const cut = (await page({ ...leaves, values: "cut" })).items;
    expect(cut.map(({ value, truncated }) => [(value as string).length, truncated])).toEqual(
      [1, 2, 3, 4].map(() => [65_536, 100_002]),
    );
    const hashes = (await page({ hash: true })).items;
    const [same, ...others] = hashes.filter(({ key }) => key.endsWith("leaf"));
    expect(same?.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(others.map(({ hash }) => hash)).toEqual([same?.hash, same?.hash, same?.hash]);
    expect(hashes.find(({ key }) => key === "task:t0")?.hash).not.toBe(same?.hash);
    expect(hashes[1]).not.toHaveProperty("value");
  });

  it("shows one row whole or a piece of it, with its places and its events (BI7)", async () => {
    const { host } = await made;
    const step = host.reader.look.one("task:t1/deep/leaf", { nowMs: host.now() });
    expect(step).toMatchObject({
      interrupted: 0,
      seq: { start: expect.any(Number) as number, end: expect.any(Number) as number },
      retries: [],
    });
    expect(step.value).toHaveLength(100_000);
    const piece = host.reader.look.one("task:t1/deep/leaf", {
      nowMs: host.now(),
      from: 0,
      length: 3,
    });
    expect(piece.piece).toEqual({ from: 0, text: '"xx' });
    expect(piece).not.toHaveProperty("value");
    expect(() => host.reader.look.one("nope", { nowMs: 0 })).toThrow(
      /run run-1 has no step "nope"/,
    );
  });

  it("refuses an unknown place, or two (BI8)", async () => {
    await expect(page({ around: "task:t0", cursor: "3" })).rejects.toMatchObject({
      code: "invalid_input",
    });
    await expect(page({ around: "nope" })).rejects.toMatchObject({ code: "not_found" });
    await expect(page({ cursor: "later" })).rejects.toMatchObject({ code: "invalid_input" });
  });
});
