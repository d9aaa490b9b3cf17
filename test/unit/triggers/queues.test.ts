import { describe, expect, it } from "vitest";
import { TriggerWorld } from "../../support/trigger-world.ts";

const REVIEW = { kind: "flow", name: "review" } as const;
const orders = { target: REVIEW, inputs: { topic: "/what" } };

/** A message, and whether it was acknowledged or retried. */
function message(id: string, body: unknown, attempts = 1) {
  const done: unknown[] = [];
  return {
    id,
    body,
    attempts,
    done,
    ack: () => void done.push("ack"),
    retry: (options: unknown) => void done.push(options),
  };
}

const worldWith = (trigger: object = orders): TriggerWorld =>
  new TriggerWorld({ triggers: { queues: { orders: trigger as typeof orders } } });

describe("queue messages", () => {
  it("QS1: start one run each, however often they are delivered", async () => {
    const world = worldWith();
    const messages = ["a", "b", "a"].map((id) => message(id, { what: `order ${id}` }));
    await world.triggers.queue?.("orders", messages);
    await world.triggers.queue?.("orders", messages.slice(0, 1));
    expect(messages.map(({ done }) => done.length)).toEqual([2, 1, 1]);
    expect(messages.flatMap(({ done }) => done)).toEqual(Array(4).fill("ack"));
    const ids = world.startedIds();
    expect([ids.length, new Set(ids).size]).toEqual([4, 2]);
    await world.clock.settle();
    expect((await world.ask(`/runs/${ids[0] ?? ""}`, { key: "boss" })).json).toMatchObject({
      status: "waiting",
      inputs: { topic: "order a" },
      trigger: "queue:orders",
      meta: { trigger: { kind: "queue", queue: "orders", message: "a" } },
    });
    const found = await world.ask("/runs?trigger=queue:orders", { key: "boss" });
    expect(found.json["items"]).toMatchObject([
      { trigger: "queue:orders" },
      { trigger: "queue:orders" },
    ]);
    const others = await world.ask("/runs?trigger=api", { key: "boss" });
    expect(others.json["items"]).toEqual([]);
  });

  it.each([
    ["invalid inputs", { what: 3 }],
    ["bytes", new Uint8Array([1])],
    ["a value outside JSON", { what: () => 1 }],
  ])(
    "QS2: with %s go back to the queue, later each time, and the others are done",
    async (_, body) => {
      const world = worldWith();
      const messages = [message("a", body), message("b", { what: "tea" }), message("c", body, 9)];
      await world.triggers.queue?.("orders", messages);
      expect(messages.map(({ done }) => done)).toEqual([
        [{ delaySeconds: 2 }],
        ["ack"],
        [{ delaySeconds: 60 }],
      ]);
      expect(world.reported).toHaveLength(2);
      expect(String(world.reported[0])).toContain("message a of queue orders started no run");
    },
  );

  it.each([new ArrayBuffer(2), new Uint8Array([1])])(
    "QS2: bytes start no run, even for a target without inputs: %o",
    async (body) => {
      const world = worldWith({ target: { kind: "crew", name: "greeting" } });
      const bytes = message("a", body);
      await world.triggers.queue?.("orders", [bytes]);
      expect([world.starts, bytes.done]).toEqual([[], [{ delaySeconds: 2 }]]);
      expect(String(world.reported[0])).toContain("must be JSON or text, got bytes");
    },
  );

  it("are the whole payload by default, texts as well", async () => {
    const world = worldWith({ target: { kind: "crew", name: "greeting" } });
    await world.triggers.queue?.("orders", [message("a", "just text")]);
    expect(world.starts[0]?.inputs).toEqual({ crewai_trigger_payload: "just text" });
  });

  it("of an unknown queue are not touched", async () => {
    const stranger = message("a", {});
    await worldWith().triggers.queue?.("others", [stranger]);
    expect(stranger.done).toEqual([]);
  });
});
