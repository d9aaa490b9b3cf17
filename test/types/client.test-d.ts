import { describe, expectTypeOf, test } from "vitest";
import {
  EdgecrewClient,
  type CrewView,
  type MemoryRecord,
  type LiveEvent,
  type Page,
  type RemoteRun,
  type Run,
  type RunEvent,
  type RunHandle,
  type RunStatus,
  type RunSummary,
} from "../../src/client/index.ts";

const client = new EdgecrewClient({ baseUrl: "https://crews.example.com" });

describe("starting a run", () => {
  test("every part that starts runs returns a remote run, which is a RunHandle", () => {
    expectTypeOf(client.crews.kickoff("c")).resolves.toEqualTypeOf<RemoteRun>();
    expectTypeOf(client.crews.kickoffForEach("c", [{}])).resolves.toEqualTypeOf<RemoteRun>();
    expectTypeOf(client.agents.kickoff("a", "question")).resolves.toEqualTypeOf<RemoteRun>();
    expectTypeOf(client.flows.turn("f", "hello")).resolves.toEqualTypeOf<RemoteRun>();
    expectTypeOf(
      client.memory.rememberMany([{ content: "c" }]),
    ).resolves.toEqualTypeOf<RemoteRun>();
    expectTypeOf(client.schedules.run("s")).resolves.toEqualTypeOf<RemoteRun>();
    expectTypeOf<RemoteRun>().toExtend<RunHandle>();
  });

  test("inputs are JSON", () => {
    expectTypeOf(
      client.crews.kickoff("c", { inputs: { topic: "t", tags: ["a", 1, null] } }),
    ).toBeObject();
    // @ts-expect-error a Date is not JSON
    expectTypeOf(client.crews.kickoff("c", { inputs: { when: new Date() } })).toBeObject();
    // @ts-expect-error a function is not JSON
    expectTypeOf(client.crews.kickoffForEach("c", [{ load: () => 1 }])).toBeObject();
  });

  test("options that a route does not take are errors", () => {
    // @ts-expect-error only flows restore a state
    expectTypeOf(client.crews.kickoff("c", { restoreFromStateId: "s" })).toBeObject();
    expectTypeOf(client.flows.kickoff("f", { restoreFromStateId: "s" })).toBeObject();
    const messages = [{ role: "user", content: "hi" }] as const;
    // @ts-expect-error a conversation has no inputs besides its messages
    expectTypeOf(client.crews.chat("c", messages, { inputs: {} })).toBeObject();
    // @ts-expect-error a test says how often the crew runs
    expectTypeOf(client.crews.test("c", {})).toBeObject();
  });
});

describe("a run", () => {
  const run = client.runs.handle("r");

  test("its status, its events and its output", () => {
    expectTypeOf(run.status()).resolves.toEqualTypeOf<Run>();
    expectTypeOf(client.runs.get("r")).resolves.toEqualTypeOf<Run>();
    expectTypeOf<Run["status"]>().toEqualTypeOf<RunStatus>();
    expectTypeOf(run.events()).toExtend<AsyncIterable<RunEvent | LiveEvent>>();
  });

  test("the type of an event decides its payload", () => {
    const read = (event: RunEvent): void => {
      if (event.type !== "tool_usage_finished") return;
      expectTypeOf(event.toolName).toBeString();
      expectTypeOf(event.seq).toBeNumber();
    };
    expectTypeOf(read).toBeFunction();
  });
});

describe("lists", () => {
  test("each is a page of its own items", () => {
    expectTypeOf(client.crews.list()).resolves.toEqualTypeOf<Page<CrewView>>();
    expectTypeOf(client.runs.list({ status: "waiting" })).resolves.toMatchTypeOf<
      Page<RunSummary>
    >();
    expectTypeOf(client.memory.list()).resolves.toEqualTypeOf<Page<MemoryRecord>>();
  });

  test("filters are checked", () => {
    // @ts-expect-error no run has this status
    expectTypeOf(client.runs.list({ status: "sleeping" })).toBeObject();
    // @ts-expect-error a page's limit is a number
    expectTypeOf(client.crews.list({ limit: "10" })).toBeObject();
  });
});

describe("storing", () => {
  test("a webhook names its scheme, its secret and its target", () => {
    const target = { kind: "crew", name: "briefing" } as const;
    expectTypeOf(client.webhooks.put("w", { scheme: "github", secret: "s", target })).toBeObject();
    // @ts-expect-error there is no such scheme
    expectTypeOf(client.webhooks.put("w", { scheme: "gitlab", secret: "s", target })).toBeObject();
    // @ts-expect-error without a target it would start nothing
    expectTypeOf(client.webhooks.put("w", { scheme: "github", secret: "s" })).toBeObject();
  });

  test("a saved memory may have been merged into others", () => {
    expectTypeOf(client.memory.remember("text")).resolves.toEqualTypeOf<MemoryRecord | undefined>();
  });

  test("a client says where the Worker is", () => {
    expectTypeOf(new EdgecrewClient({ apiKey: "k" })).toBeObject(); // the page's own origin
    // @ts-expect-error an address is a text
    expectTypeOf(new EdgecrewClient({ url: new URL("https://crews.example.com") })).toBeObject();
  });
});
