import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/events/run-event.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { isShown, shownEvent } from "../../../src/wire/event-view.ts";
import { nextEventPage, type EventPageQuery } from "../../../src/runtime/event-page.ts";
import { follow } from "../../../src/runtime/handle/follow.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

const LONG = "word ".repeat(1000);

async function program(scope: RunScope): Promise<string> {
  for (let task = 0; task < 12; task++) {
    const at = scope.at(`task:${task}`);
    at.emit("step_changed", { key: `task:${task}`, kind: LONG });
    at.at("turn:1").emit("llm_call_started", {
      callId: `c${task}`,
      model: "m",
      messageCount: 1,
      stream: false,
      tools: Array.from({ length: 30 }, (_, index) => `tool${index}`),
    });
  }
  return "done";
}

describe.each(RUN_STORES)("pages of events, $name", ({ open }) => {
  const made = (async () => {
    const world = new RunWorld(program, { fixture: open() });
    await world.begin();
    return world;
  })();
  const streamed = async (): Promise<readonly RunEvent[]> => {
    const events: RunEvent[] = [];
    for await (const event of follow((await made).host)) if ("seq" in event) events.push(event);
    return events;
  };
  const walk = async (query: Partial<EventPageQuery>): Promise<readonly RunEvent[]> => {
    const { host } = await made;
    const found: RunEvent[] = [];
    for (let place: object = {}; ;) {
      const page = await nextEventPage(host.events, { limit: 4, ...query, ...place });
      found.push(...page.items);
      if (!page.more) return found;
      place = query.order === "desc" ? { before: page.next } : { after: page.next };
    }
  };

  it.each<[string, Partial<EventPageQuery>]>([
    ["whole", {}],
    ["by types", { types: ["llm_call_started", "run_completed"] }],
    ["at a key and below it", { path: "task:1" }],
    ["slim", { slim: true }],
    ["slim, by path and type", { slim: true, path: "task:11", types: ["llm_call_started"] }],
  ])("are the same set as the stream, %s, in both orders (CA16)", async (_, query) => {
    const view = { ...query, types: query.types && new Set(query.types) };
    const wanted = (await streamed())
      .filter((event) => isShown(view, event))
      .map((event) => shownEvent(view, event));
    expect(wanted.length).toBeGreaterThan(0);
    expect(await walk(query)).toEqual(wanted);
    expect(await walk({ ...query, order: "desc" })).toEqual(wanted.toReversed());
  });

  it("a key is not the prefix of another key (CA16)", async () => {
    expect((await walk({ path: "task:1" })).map(({ path }) => path)).toEqual([
      "task:1",
      "task:1/turn:1",
    ]);
  });

  it("cut long texts and lists, and say so", async () => {
    const [changed, called] = await walk({ path: "task:3", slim: true });
    expect(changed).toMatchObject({ key: "task:3", kind: LONG.slice(0, 200), cut: true });
    expect(called).toMatchObject({ cut: true, model: "m" });
    expect((called as { readonly tools?: readonly string[] }).tools).toHaveLength(20);
    const [started] = await walk({ types: ["run_started"], slim: true });
    expect(started).not.toHaveProperty("cut");
  });

  it("have bounds on both sides, and mark the end", async () => {
    const { host } = await made;
    const between = await nextEventPage(host.events, { after: 2, before: 5, limit: 50 });
    expect(between).toMatchObject({ items: [{ seq: 3 }, { seq: 4 }], next: 4, more: false });
    expect(between).not.toHaveProperty("ended");
    const last = await nextEventPage(host.events, { after: 3, limit: 500, waitMs: 20_000 });
    expect(last).toMatchObject({ more: false, ended: true });
    expect(await nextEventPage(host.events, { after: 9_999, limit: 5 })).toMatchObject({
      items: [],
      next: 9_999,
      more: false,
    });
  });
});

it("a page waits for a matching event, up to the requested time", async () => {
  const world = new RunWorld(async (scope) => {
    await scope.at("ask").wait({ kind: "human", prompt: "Go on?" });
    return "done";
  });
  await world.begin();
  const after = world.host.events.lastSeq;
  const next = nextEventPage(world.host.events, { after, limit: 5, waitMs: 20_000 });
  const nothing = nextEventPage(world.host.events, {
    after,
    limit: 5,
    types: ["task_started"],
    waitMs: 1_000,
  });
  await world.clock.advance(1_000);
  expect(await nothing).toEqual({ items: [], next: after, more: false });
  await world.host.resume({ feedback: "yes" });
  expect((await next).items.map(({ type }) => type)).toContain("wait_settled");
});
