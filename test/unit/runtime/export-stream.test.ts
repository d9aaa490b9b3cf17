import { describe, expect, it } from "vitest";
import type { RunScope } from "../../../src/events/run-scope.ts";
import type { ExportPage } from "../../../src/runtime/export-page.ts";
import { exportStream, type ExportForm } from "../../../src/runtime/export-stream.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

/** Results of about 5 million characters together: several pages. */
async function program(scope: RunScope): Promise<string> {
  for (let n = 0; n < 10; n++)
    await scope.at(`step:${n}`).step({ kind: "effect", run: async () => "ö".repeat(500_000) });
  for (let n = 0; n < 1200; n++) scope.emit("step_changed", { key: `step:${n}`, kind: "effect" });
  return "done";
}

describe.each(RUN_STORES)("a run as a stream, $name", ({ open }) => {
  const made = (async () => {
    const world = new RunWorld(program, { fixture: open() });
    await world.begin();
    return world;
  })();

  async function streamed(form: ExportForm, values?: boolean) {
    const { host } = await made;
    const first = host.exportPage({ values });
    const { head } = first;
    if (head === undefined) throw new Error("the first page has the head");
    const lengths: number[] = [];
    const read: object[] = [];
    const stream = exportStream(
      { ...first, head },
      async (place) => {
        read.push(place);
        return host.exportPage({ place, values });
      },
      form,
    );
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of stream) {
      lengths.push(piece.byteLength);
      text += decoder.decode(piece, { stream: true });
    }
    return { text, lengths, read };
  }

  it.each([true, false])("equals the exported document, with values: %j", async (values) => {
    const { text } = await streamed("json", values);
    expect(JSON.parse(text)).toEqual((await made).host.export({ values }));
  });

  it("has the same in lines, each by itself, with their count at the end", async () => {
    const lines = (await streamed("lines")).text.trimEnd().split("\n");
    const [head, ...rest] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const { steps, events, ...whole } = (await made).host.export();
    expect(head).toEqual(whole);
    expect(rest.flatMap(({ step }) => step ?? [])).toEqual(steps);
    expect(rest.flatMap(({ event }) => event ?? [])).toEqual(events);
    expect(rest.at(-1)).toEqual({ end: { steps: steps.length, events: events.length } });
  });

  it("XPS1: comes in pieces of bounded length", async () => {
    const { lengths, read } = await streamed("lines");
    expect(read.length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...lengths)).toBeLessThan(3 * 2 * 1024 * 1024);
  });
});

describe("a stream of pages", () => {
  const head = { format: "edgecrew.run/1" } as unknown as Required<ExportPage>["head"];
  const page = (
    more: Partial<ExportPage> = {},
  ): ExportPage & Required<Pick<ExportPage, "head">> => ({
    head,
    steps: ["1"],
    events: [],
    next: { afterStep: 1 },
    ...more,
  });

  it("XPS1: reads no page before the previous one is taken, and stops when the reader leaves", async () => {
    let reads = 0;
    const stream = exportStream(page(), async () => (reads++, page()), "lines");
    const reader = stream.getReader();
    await reader.read();
    expect(reads).toBe(0);
    await reader.read();
    expect(reads).toBe(1);
    await reader.cancel();
    expect(reads).toBe(1);
  });

  it.each(["json", "lines"] as const)(
    "XPS2: breaks off when a page cannot be read, without an end: %s",
    async (form) => {
      const stream = exportStream(page(), () => Promise.reject(new Error("gone")), form);
      const reader = stream.getReader();
      const { value } = await reader.read();
      const text = new TextDecoder().decode(value);
      expect(() => JSON.parse(text) as unknown).toThrow("JSON");
      expect(text).not.toContain("end");
      await expect(reader.read()).rejects.toThrow("gone");
    },
  );

  it("is complete when empty", async () => {
    const empty = { steps: [], events: [] };
    const { next: _, ...first } = page(empty);
    const of = (form: ExportForm): Promise<string> =>
      new Response(exportStream(first, async () => empty, form)).text();
    expect(JSON.parse(await of("json"))).toEqual({
      format: "edgecrew.run/1",
      steps: [],
      events: [],
    });
    expect(await of("lines")).toContain('{"end":{"steps":0,"events":0}}');
  });
});
