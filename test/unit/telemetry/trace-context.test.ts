// Traces from the caller over runs to what they ask, against a collector.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ListenerPlan } from "../../../src/events/listener.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import type { CallOptions, LanguageModel } from "../../../src/llm/language-model.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { callModel } from "../../../src/model-calls/model-call.ts";
import { UsageMeter } from "../../../src/model-calls/usage-meter.ts";
import type { WebhookDelivery } from "../../../src/runtime/deliveries/webhooks.ts";
import { otlpExporter } from "../../../src/telemetry/otlp-exporter.ts";
import { braveWebSearch } from "../../../src/tools/catalog/brave/brave-web-search.ts";
import { calling, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { HttpWorld, textOf, type HttpWorldOptions } from "../../support/http-app.ts";
import { OtlpCollector } from "../../support/otlp-collector.ts";
import { recordedFetch } from "../../support/recorded-fetch.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";
import { answering } from "../../support/tool-world.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const CALLER = { traceparent: `00-${TRACE}-${SPAN}-01` };
const WEBHOOKS = { webhooks: [{ url: "https://hooks.example.com/" }] };

const note = defineFlow({
  name: "note",
  state: z.object({}),
  methods: { write: { start: true, run: () => "noted" } },
});

function exporterTo(collector: OtlpCollector) {
  const { fetch } = collector;
  return otlpExporter({ endpoint: "https://otel.example.com", variables: {}, fetch });
}

/** A scripted model that notes the `traceparent` of its calls. */
function tracedModel(reply: () => Promise<string> | string = () => "fine") {
  const seen: Array<string | undefined> = [];
  const inner = scriptedModel(() => "");
  const model: LanguageModel = {
    id: "test/traced",
    capabilities: inner.capabilities,
    contextWindow: inner.contextWindow,
    generate: async (request, options: CallOptions) => {
      seen.push(options.traceparent);
      const answer = await inner.generate(request, options);
      return { ...answer, text: await reply(), usage: { ...answer.usage, costUsd: 0.25 } };
    },
  };
  return { model, seen };
}

function tracedWorld(options: HttpWorldOptions & { readonly exports?: boolean } = {}) {
  const { exports = true, ...rest } = options;
  const collector = new OtlpCollector();
  const { model, seen } = tracedModel();
  const delivered: WebhookDelivery[] = [];
  const world = new HttpWorld({
    runModel: model,
    webhooks: { hasSecret: true },
    webhookSink: () => async (delivery) => void delivered.push(delivery),
    ...(exports ? { host: { listeners: new ListenerPlan([exporterTo(collector)]) } } : undefined),
    ...rest,
  });
  return { world, collector, seen, delivered };
}

describe("a run's trace", () => {
  it("goes on from the traceparent of the kickoff (OP8)", async () => {
    const { world, collector } = tracedWorld();
    const id = await world.kickoff("greeting", {}, { headers: CALLER });
    expect(collector.root(id)).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, links: [] });
    expect(new Set(collector.of(id).map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  });

  it.each([
    ["crew of CrewAI's API", "/compat/greeting/kickoff", { inputs: {} }],
    ["agent", "/agents/writer/kickoff", { messages: "Hello" }],
    ["flow", "/flows/note/kickoff", {}],
  ])("goes on so for the kickoff of %s (OP8)", async (_, path, json) => {
    const { world, collector } = tracedWorld({ flows: { note } });
    expect((await world.ask(path, { json, headers: CALLER })).status).toBeLessThan(300);
    await world.clock.settle();
    expect(collector.spans.length).toBeGreaterThan(0);
    for (const { traceId } of collector.spans) expect(traceId).toBe(TRACE);
  });

  it("is its own without a valid traceparent (OP8)", async () => {
    const { world, collector } = tracedWorld();
    const zeros = `00-${"0".repeat(32)}-${SPAN}-01`;
    const ids = [
      await world.kickoff("greeting", {}, { headers: { traceparent: zeros } }),
      await world.kickoff("greeting"),
    ];
    const roots = ids.map((id) => collector.root(id));
    for (const root of roots) expect(root.parentSpanId).toBeUndefined();
    expect(roots[0]?.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    expect(roots[0]?.traceId).not.toBe(roots[1]?.traceId);
  });

  it("goes on from the traceparent of a run in this process (OP8)", async () => {
    const collector = new OtlpCollector();
    const { agent } = scriptedAgent(["done"]);
    const run = soloCrew(agent, { crew: { listeners: [exporterTo(collector)] } }).start(CALLER);
    await run.output();
    await expect.poll(() => collector.root(run.id).traceId).toBe(TRACE);
  });
});

describe("links", () => {
  it("lead from a fork to its source, also when both have callers (OP8)", async () => {
    const { world, collector } = tracedWorld();
    const id = await world.kickoff("greeting", {}, { headers: CALLER });
    const fork = { fromTask: "greet" };
    const other = "11111111111111111111111111111111";
    const plain = await world.ask(`/runs/${id}/fork`, { json: fork });
    const called = await world.ask(`/runs/${id}/replay`, {
      json: fork,
      headers: { traceparent: `00-${other}-${SPAN}-01` },
    });
    await world.clock.settle();
    const again = await world.ask(`/runs/${textOf(plain.json["id"])}/fork`, { json: fork });
    await world.clock.settle();
    for (const { status } of [plain, called, again]) expect(status).toBe(202);
    const rootOf = (answer: typeof plain) => collector.root(textOf(answer.json["id"]));
    const { traceId, spanId } = collector.root(id);
    expect(rootOf(plain).links).toEqual([{ traceId, spanId }]);
    expect(rootOf(plain).traceId).not.toBe(TRACE);
    expect(rootOf(called)).toMatchObject({ traceId: other, links: [{ traceId, spanId }] });
    const origin = { traceId: rootOf(plain).traceId, spanId: rootOf(plain).spanId };
    expect(rootOf(again).links).toEqual([origin]);
  });

  it.each([
    ["with", CALLER],
    ["without", {}],
  ])("lead from children to their parent, %s a caller (OP8)", async (_, headers) => {
    const { world, collector } = tracedWorld();
    const { json } = await world.ask("/crews/greeting/kickoff-for-each", {
      json: { inputs: [{}, {}] },
      headers,
    });
    await world.clock.settle();
    const parent = textOf(json["id"]);
    const { traceId, spanId } = collector.root(parent);
    const roots = collector.spans.filter(
      ({ name, attributes }) => name.startsWith("run ") && attributes["edgecrew.run.id"] !== parent,
    );
    expect(roots).toHaveLength(2);
    for (const child of roots) expect(child.links).toEqual([{ traceId, spanId }]);
    expect(new Set([traceId, ...roots.map((root) => root.traceId)]).size).toBe(3);
  });
});

describe("the cost", () => {
  it("is an attribute of each span: of all calls within it", async () => {
    const { world, collector } = tracedWorld();
    const id = await world.kickoff("briefing", { inputs: { topic: "tea" } });
    const costs = collector
      .of(id)
      .map(({ name, attributes }) => [name.split(" ")[0], attributes["edgecrew.cost_usd"]]);
    const task = [
      ["chat", 0.25],
      ["invoke_agent", 0.25],
      ["task", 0.25],
    ];
    expect(costs).toEqual([...task, ...task, ["invoke_workflow", 0.5], ["run", 0.5]]);
  });
});

describe("requests", () => {
  it("to models name the span of their call (OP8)", async () => {
    const { world, collector, seen } = tracedWorld();
    const id = await world.kickoff("briefing", { inputs: { topic: "tea" } }, { headers: CALLER });
    const chats = collector.of(id).filter(({ name }) => name.startsWith("chat"));
    expect(chats).toHaveLength(2);
    expect(seen).toEqual(chats.map(({ spanId }) => `00-${TRACE}-${spanId}-01`));
  });

  it.each([
    "openai/gpt-4.1",
    "openai/o4-mini",
    "anthropic/claude-sonnet-4-5",
    "gemini/gemini-2.5-pro",
  ])("to %s have it as a header, not in their body (OP8)", async (name) => {
    const { sent, fetch } = recordedFetch();
    const variables = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", GEMINI_API_KEY: "k" };
    const model = resolveModel(name, { variables, fetch });
    const { signal } = new AbortController();
    const request = { messages: [{ role: "user" as const, content: "Hello" }] };
    for (const options of [CALLER, {}])
      await model.generate(request, { signal, ...options }).catch(() => undefined);
    const [traced, plain] = sent;
    expect(traced?.headers.get("traceparent")).toBe(CALLER.traceparent);
    expect(plain?.headers.has("traceparent")).toBe(false);
    expect(traced?.body).toEqual(plain?.body);
  });

  it("of a tool of the catalogue name the span of its call (OP8)", async () => {
    const collector = new OtlpCollector();
    const { fetch, requests } = answering([Response.json({ web: { results: [] } })]);
    const { agent } = scriptedAgent([calling("brave_web_search", { q: "tea" }), "done"], {
      tools: [braveWebSearch({ apiKey: "k" })],
    });
    const crew = soloCrew(agent, { crew: { listeners: [exporterTo(collector)] } });
    const run = crew.start({ ...CALLER, services: { network: { fetch, outbound: {} } } });
    await run.output();
    await expect.poll(() => collector.of(run.id).length).toBeGreaterThan(0);
    const span = collector.of(run.id).find(({ name }) => name.startsWith("execute_tool"));
    expect(requests.map(({ headers }) => headers["traceparent"])).toEqual([
      `00-${TRACE}-${span?.spanId}-01`,
    ]);
  });

  it("to webhooks name a span of the run (OP8)", async () => {
    const { world, collector, delivered } = tracedWorld();
    const id = await world.kickoff("greeting", WEBHOOKS);
    const { traceId } = collector.root(id);
    const spans = new Map(collector.of(id).map(({ spanId, name }) => [spanId, name]));
    const named = delivered.map(({ event, traceparent = "" }) => {
      const [, trace, span = ""] = traceparent.split("-");
      return [event.type, trace === traceId, spans.get(span)];
    });
    expect(named).toContainEqual(["task_started", true, "invoke_workflow greeting"]);
    expect(named).toContainEqual(["run_completed", true, "run greeting"]);
    expect(named.every(([, isOfTrace, span]) => isOfTrace === true && span !== undefined)).toBe(
      true,
    );
  });

  it("pass on the caller's traceparent without an exporter, from children too (OP8)", async () => {
    const { world, seen, delivered } = tracedWorld({ exports: false });
    await world.kickoff("greeting", WEBHOOKS, { headers: CALLER });
    await world.ask("/crews/greeting/kickoff-for-each", {
      json: { inputs: [{}, {}] },
      headers: CALLER,
    });
    await world.clock.settle();
    expect(seen).toEqual([1, 2, 3].map(() => CALLER.traceparent));
    expect(delivered.length).toBeGreaterThan(0);
    for (const { traceparent } of delivered) expect(traceparent).toBe(CALLER.traceparent);
  });

  it("have no traceparent without an exporter and a caller's header (OP8)", async () => {
    const { world, seen, delivered } = tracedWorld({ exports: false });
    await world.kickoff("greeting", WEBHOOKS);
    expect(seen).toEqual([undefined]);
    expect(delivered.length).toBeGreaterThan(0);
    for (const { traceparent } of delivered) expect(traceparent).toBeUndefined();
  });

  it("leave no mark on the record: steps, requests and hashes are those of a run without a trace", async () => {
    const journals = await Promise.all(
      [{ headers: CALLER }, {}].map(async (options) => {
        const { world } = tracedWorld({ exports: "headers" in options });
        const id = await world.kickoff("greeting", { id: "run-1" }, options);
        return (await world.ask(`/runs/${id}/journal?values=1`)).text;
      }),
    );
    expect(journals[0]).toContain("llm");
    expect(journals[0]).not.toContain(TRACE);
    expect(journals[0]).toBe(journals[1]);
  });
});

describe.each(RUN_STORES)("a killed and resumed run, $name", ({ open }) => {
  it("has one trace, and each of its spans once (OP8)", async () => {
    const collector = new OtlpCollector();
    let hangs = false;
    const { model, seen } = tracedModel(() =>
      hangs ? new Promise<string>(() => undefined) : "fine",
    );
    const caller = { model, budget: {}, meter: new UsageMeter() };
    const request = { messages: [{ role: "user" as const, content: "Hello" }] };
    const world = new RunWorld(
      async (scope) => {
        await callModel(scope.at("a"), caller, { request, inputHash: "a" });
        await scope.at("pause").wait({ kind: "human" });
        await callModel(scope.at("b"), caller, { request, inputHash: "b" });
        return "end";
      },
      { fixture: open(), listeners: new ListenerPlan([exporterTo(collector)]) },
    );
    await world.begin({ trace: { parent: CALLER.traceparent } });
    expect(collector.spans.map(({ name }) => name)).toEqual(["chat traced"]);
    hangs = true;
    await world.host.resume({ feedback: "go on" });
    void world.ring();
    await expect.poll(() => seen.length).toBe(2);
    hangs = false;
    world.restart();
    await world.clock.advance(1000);
    expect((await world.rest()).status).toBe("completed");
    const { spans } = collector;
    expect(spans.map(({ name }) => name)).toEqual(["chat traced", "chat traced", "run briefing"]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(3);
    for (const { traceId } of spans) expect(traceId).toBe(TRACE);
    expect(spans[2]).toMatchObject({
      parentSpanId: SPAN,
      attributes: { "edgecrew.cost_usd": 0.5 },
    });
    // The call that was cut off and the one that came in its place are one span.
    expect(seen.map((header) => header?.split("-")[2])).toEqual(
      [0, 1, 1].map((index) => spans[index]?.spanId),
    );
  });

  it("writes no row more for a trace (OP8)", async () => {
    const rows = await Promise.all(
      [{}, { trace: { parent: CALLER.traceparent } }].map(async (start) => {
        let writes = 0;
        const world = new RunWorld(
          async (scope) => scope.at("a").step({ kind: "effect", run: async () => 1 }),
          {
            fixture: open(),
            wrap: (store) =>
              new Proxy(store, {
                get: (target, name) => {
                  const value: unknown = Reflect.get(target, name);
                  if (typeof value !== "function") return value;
                  return (...input: unknown[]): unknown => {
                    if (name === "save" || name === "setValue") writes++;
                    return Reflect.apply(value, target, input);
                  };
                },
              }),
          },
        );
        await world.begin(start);
        return writes;
      }),
    );
    expect(rows[0]).toBeGreaterThan(0);
    expect(rows[1]).toBe(rows[0]);
  });
});
