import { describe, expect, it } from "vitest";
import type { MemoryRecord } from "../../../src/memory/memory-record.ts";
import {
  COMPLETE,
  memoryWorld,
  planOf,
  saidEmbedder,
  type PlannedAction,
} from "../../support/memory-harness.ts";

const contents = (records: readonly MemoryRecord[]): string[] =>
  records.map(({ content }) => content).toSorted();

/** The records that a model was shown. */
function shownIn(text: string): readonly { readonly id: string; readonly content: string }[] {
  return Array.from(
    text.matchAll(/- id: (\S+)\n(?: {2}.*\n)*? {2}content: (.*)/g),
    ([, id = "", content = ""]) => ({ id, content }),
  );
}

const newIn = (text: string): string => /<new_memory>\n(.*)\n/.exec(text)?.[1] ?? "";

async function save(
  world: ReturnType<typeof memoryWorld>,
  texts: readonly string[],
): Promise<string[]> {
  await world.memory.rememberMany(texts, COMPLETE);
  await world.memory.drainWrites();
  return contents(await world.all());
}

describe("SP3: a text missing from every plan is inserted", () => {
  it.each<[string, (id: string) => PlannedAction[], string[]]>([
    [
      "updates a record the model was not shown",
      () => [{ action: "update", id: "other", content: "x" }],
      ["base", "new cos=0.9"],
    ],
    [
      "keeps a record the model was not shown",
      () => [{ action: "keep", id: "other" }],
      ["base", "new cos=0.9"],
    ],
    ["has no action", () => [], ["base", "new cos=0.9"]],
    ["updates without a text", (id) => [{ action: "update", id }], ["base", "new cos=0.9"]],
    [
      "updates with a blank text",
      (id) => [{ action: "update", id, content: " \n" }],
      ["base", "new cos=0.9"],
    ],
    ["only deletes", (id) => [{ action: "delete", id }], ["new cos=0.9"]],
  ])("when a plan %s, without an insertion", async (_, actions, expected) => {
    const world = memoryWorld({
      consolidation: (text) => planOf(false, ...actions(shownIn(text)[0]?.id ?? "")),
    });
    await world.put({ content: "base" });
    expect(await save(world, ["new cos=0.9"])).toEqual(expected);
  });

  it("when the record kept in its place does not resemble it", async () => {
    const world = memoryWorld({
      consolidation: (text) =>
        planOf(false, { action: "keep", id: shownIn(text).at(-1)?.id ?? "" }),
    });
    await world.put({ content: "base" });
    await world.put({ content: "far axis=far" });
    expect(await save(world, ["new cos=0.9"])).toEqual(["base", "far axis=far", "new cos=0.9"]);
  });

  it("when its target record was forgotten meanwhile", async () => {
    const world = memoryWorld();
    await world.put({ content: "base" });
    const said = saidEmbedder();
    const forgetting = memoryWorld(
      {
        consolidation: (text) =>
          planOf(false, {
            action: "update",
            id: shownIn(text)[0]?.id ?? "",
            content: "both axis=b",
          }),
      },
      {
        storage: world.storage,
        embedder: {
          ...said,
          embed: async (texts, options) => {
            // The vectors of changed texts are made right before the write.
            if (texts.includes("both axis=b")) {
              const ids = (await world.all()).map(({ id }) => id);
              await world.storage.records.deleteWhere({ ids }, { op: "forget", atMs: 0 });
            }
            return said.embed(texts, options);
          },
        },
      },
    );
    expect(await save(forgetting, ["new cos=0.9"])).toEqual(["new cos=0.9"]);
  });
});

describe("SP2: two plans of a save on one record", () => {
  it("asks for the second again, over the result of the first", async () => {
    const world = memoryWorld({
      consolidation: (text) => {
        const [{ id, content } = { id: "", content: "" }] = shownIn(text);
        return planOf(false, { action: "update", id, content: `${content} + ${newIn(text)}` });
      },
    });
    await world.put({ content: "base" });
    const texts = ["ONE cos=0.9", "TWO cos=0.91", "THREE cos=0.92"];
    expect(await save(world, texts)).toEqual([`base + ${texts.join(" + ")}`]);
    expect(world.model.calls).toHaveLength(5);
  });

  it("an update of a record deleted by the other: stores both texts", async () => {
    const world = memoryWorld({
      consolidation: (text) => {
        const [{ id } = { id: "" }] = shownIn(text);
        return newIn(text).startsWith("first")
          ? planOf(true, { action: "delete", id })
          : planOf(false, { action: "update", id, content: "changed" });
      },
    });
    await world.put({ content: "base" });
    const texts = ["first cos=0.9", "second cos=0.91"];
    expect(await save(world, texts)).toEqual(texts);
  });

  it("a delete of a record with another text of the save is skipped", async () => {
    const world = memoryWorld({
      consolidation: (text) => {
        const [{ id } = { id: "" }] = shownIn(text);
        return newIn(text).startsWith("first")
          ? planOf(false, { action: "keep", id })
          : planOf(true, { action: "delete", id });
      },
    });
    await world.put({ content: "base" });
    expect(await save(world, ["first cos=0.9", "second cos=0.91"])).toContain("second cos=0.91");
    expect(await save(world, [])).toHaveLength(2);
  });

  it("after twenty of them, texts are inserted", async () => {
    const world = memoryWorld({
      consolidation: (text) => {
        const [{ id, content } = { id: "", content: "" }] = shownIn(text);
        return planOf(false, { action: "update", id, content: `${content} + ${newIn(text)}` });
      },
    });
    await world.put({ content: "base" });
    const texts = Array.from({ length: 30 }, (_, index) => `text ${index} cos=0.9${index + 10}`);
    const stored = await save(world, texts);
    expect(stored).toHaveLength(10);
    for (const text of texts) expect(stored.some((content) => content.includes(text))).toBe(true);
    expect(world.model.calls).toHaveLength(50);
  });
});

describe("SP3: a record shown only in part", () => {
  it.each(["update", "delete"] as const)("stays when a plan would %s it", async (action) => {
    const long = `base ${"x ".repeat(3000)}cos=0.95`;
    const asked: string[] = [];
    const world = memoryWorld({
      consolidation: (text) => {
        asked.push(text);
        const id = /id: (\S+)/.exec(text)?.[1] ?? "";
        return planOf(false, { action, id, content: "short" });
      },
    });
    await world.put({ content: long });
    expect(await save(world, ["new cos=0.95"])).toEqual([long, "new cos=0.95"]);
    expect(asked[0]).toContain("beginning of its content (it stays as it is): base x");
    expect(asked[0]?.length).toBeLessThan(5000);
  });

  it("a record of some length is shown whole, and can be changed", async () => {
    const text = `base ${"x ".repeat(900)}cos=0.95`;
    const world = memoryWorld({
      consolidation: (asked) => {
        const [{ id, content } = { id: "", content: "" }] = shownIn(asked);
        return planOf(false, { action: "update", id, content: `${content} and more` });
      },
    });
    await world.put({ content: text });
    expect(await save(world, ["new cos=0.95"])).toEqual([`${text} and more`]);
  });
});

describe("SV7: a text already stored", () => {
  it("is stored once without any model, however often it comes", async () => {
    const world = memoryWorld();
    const [first] = await Promise.all(
      Array.from({ length: 5 }, () => world.memory.remember("base", COMPLETE)),
    );
    expect(await save(world, ["base", "base"])).toEqual(["base"]);
    expect(world.model.calls).toHaveLength(0);
    expect((await world.memory.remember("base", COMPLETE))?.id).toBe(first?.id);
  });

  it("without a scope, matches anywhere in the root", async () => {
    const world = memoryWorld({}, { rootScope: "/crew/x" });
    const old = await world.put({ content: "base", scope: "/crew/x/notes" });
    expect(await world.memory.remember("base")).toEqual(old);
    expect(world.model.calls).toHaveLength(0);
  });

  it.each([
    ["scope", { scope: "/a/b" }],
    ["source", { source: "u2" }],
    ["privacy", { private: true }],
  ])("of another %s is another memory", async (_, other) => {
    const world = memoryWorld({}, { consolidationThreshold: 1 });
    await world.put({ content: "base", scope: "/a", source: "u1" });
    const options = { ...COMPLETE, scope: "/a", source: "u1", ...other };
    await world.memory.remember("base", options);
    expect(await world.all()).toHaveLength(2);
  });

  it("keeps its time, counts as used, and gains the new fields", async () => {
    const world = memoryWorld();
    const about = { categories: ["a"], metadata: { x: 1 }, importance: 0.4 };
    const old = await world.put({ content: "base", ...about });
    await world.clock.advance(60_000);
    const more = { categories: ["b"], metadata: { y: 2 }, importance: 0.9, scope: "/" };
    await world.memory.remember("base", more);
    const [record] = await world.all();
    expect(record).toMatchObject({
      id: old.id,
      createdAt: old.createdAt,
      categories: ["a", "b"],
      metadata: { x: 1, y: 2 },
      importance: 0.9,
    });
    await world.memory.remember("base", { ...more, importance: 0.1 });
    expect((await world.all())[0]).toMatchObject({ importance: 0.9 });
    expect(Date.parse((await world.all())[0]?.lastAccessed ?? "")).toBe(world.clock.now());
  });
});

describe("SP3: every text is stored or merged by its own plan, for any plans of a model", () => {
  it("in three hundred random saves", async () => {
    for (let seed = 1; seed <= 300; seed++) expect(await lostBy(seed), `seed ${seed}`).toEqual([]);
  });

  async function lostBy(seed: number): Promise<readonly string[]> {
    const random = randomOf(seed);
    const pick = <T>(items: readonly T[]): T | undefined =>
      items[Math.floor(random() * items.length)];
    /** Every question: the text, the records that were shown, and what the answer made of them. */
    const asked: { text: string; shown: Map<string, string>; actions: PlannedAction[] }[] = [];
    let count = 0;
    const world = memoryWorld({
      consolidation: (question) => {
        const text = newIn(question);
        const shown = shownIn(question);
        const ids = [...shown.map(({ id }) => id), "invented"];
        const actions = Array.from({ length: Math.floor(random() * 4) }, (): PlannedAction => {
          const action = pick(["keep", "update", "delete"] as const) ?? "keep";
          return { action, id: pick(ids) ?? "", content: `made ${++count} of "${text}" cos=0.95` };
        });
        asked.push({
          text,
          shown: new Map(shown.map(({ id, content }) => [id, content])),
          actions,
        });
        return planOf(random() < 0.3, ...actions);
      },
    });
    for (const cosine of [0.97, 0.93, 0.9]) await world.put({ content: `old cos=${cosine}` });
    const texts = Array.from(
      { length: 1 + Math.floor(random() * 5) },
      (_, index) => `text ${index} cos=0.9${index + 1}`,
    );
    await save(world, texts);
    const now = new Map((await world.all()).map(({ id, content }) => [id, content]));
    return texts.filter((text) => {
      const plan = asked.findLast((question) => question.text === text);
      const isInserted = [...now.values()].includes(text);
      const own = plan?.actions.filter(({ action }) => action === "update") ?? [];
      const isInOwn = own.some(({ content = "" }) => isIn(content));
      const isKept = plan?.actions.some(
        ({ action, id }) => action === "keep" && now.has(id) && now.get(id) === plan.shown.get(id),
      );
      return !(isInserted || isInOwn || isKept === true);
    });

    /** A text is stored, or was shown to a later question whose answer put another in its place. */
    function isIn(content: string): boolean {
      if ([...now.values()].includes(content)) return true;
      return asked.some(({ shown, actions }) =>
        actions.some(
          ({ action, id, content: later = "" }) =>
            action === "update" && shown.get(id) === content && isIn(later),
        ),
      );
    }
  }
});

function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
