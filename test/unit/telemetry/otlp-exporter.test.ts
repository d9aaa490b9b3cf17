// Spans over real HTTP: a collector on the loopback interface keeps what it is sent.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../src/base/error.ts";
import type { Crew } from "../../../src/crew/crew.ts";
import { otlpExporter, type OtlpExporterOptions } from "../../../src/telemetry/otlp-exporter.ts";
import { tool } from "../../../src/tools/tool.ts";
import { calling, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";

type Value = {
  stringValue?: string;
  intValue?: string;
  boolValue?: boolean;
  arrayValue?: { values: Value[] };
};
type SentSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Array<{ key: string; value: Value }>;
  events: Array<{ name: string }>;
  status: { code?: number; message?: string };
};
type Sent = {
  path: string;
  headers: IncomingHttpHeaders;
  service: string | undefined;
  spans: SentSpan[];
};

const closing: Array<() => void> = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A collector; answers the first requests with these statuses, then 200. */
async function collector(...statuses: number[]): Promise<{ endpoint: string; sent: Sent[] }> {
  const sent: Sent[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      const status = statuses.shift() ?? 200;
      if (status === 200) {
        const [{ resource, scopeSpans }] = (
          JSON.parse(body) as {
            resourceSpans: [
              {
                resource: { attributes: Array<{ value: Value }> };
                scopeSpans: [{ spans: SentSpan[] }];
              },
            ];
          }
        ).resourceSpans;
        sent.push({
          path: request.url ?? "",
          headers: request.headers,
          service: resource.attributes[0]?.value.stringValue,
          spans: scopeSpans[0].spans,
        });
      }
      response.writeHead(status).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, sent };
}

const SECRET = "the launch code";

const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({ at: z.string() }),
  run: () => `seen ${SECRET}`,
});

function lookingCrew(options: OtlpExporterOptions): Crew {
  const script = [calling("look", { at: SECRET }), `answer with ${SECRET}`];
  const { agent } = scriptedAgent(script, { tools: [look], role: "Scout" });
  return soloCrew(agent, {
    description: `Find ${SECRET}`,
    crew: { listeners: [otlpExporter({ variables: {}, ...options })] },
  });
}

const attributesOf = (span: SentSpan | undefined): Record<string, unknown> =>
  Object.fromEntries(
    (span?.attributes ?? []).map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.intValue ?? value.arrayValue?.values,
    ]),
  );

describe("the OTLP exporter", () => {
  it("sends a run as one trace, named by the GenAI conventions", async () => {
    const { endpoint, sent } = await collector();
    const headers = { authorization: "Bearer x" };
    await lookingCrew({ endpoint, headers, serviceName: "desk" }).kickoff();
    expect(sent).toHaveLength(1);
    const [{ path, headers: came, service, spans }] = sent as [Sent];
    expect([path, came.authorization, came["content-type"], service]).toEqual([
      "/v1/traces",
      "Bearer x",
      "application/json",
      "desk",
    ]);
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const tree = spans.map((span) => [span.name, byId.get(span.parentSpanId ?? "")?.name]);
    expect(tree.map(([name, parent]) => [name?.replace(/^chat .*/, "chat"), parent])).toEqual([
      ["chat", "invoke_agent Scout"],
      ["execute_tool look", "invoke_agent Scout"],
      ["chat", "invoke_agent Scout"],
      ["invoke_agent Scout", "task work"],
      ["task work", "invoke_workflow solo"],
      ["invoke_workflow solo", "run solo"],
      ["run solo", undefined],
    ]);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    for (const span of spans) {
      expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
    }
    const [chat, called] = spans;
    expect(chat?.kind).toBe(3);
    expect(attributesOf(chat)).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": expect.any(String) as string,
      "gen_ai.usage.input_tokens": expect.any(String) as string,
      "gen_ai.response.finish_reasons": [{ stringValue: "tool_calls" }],
    });
    expect(attributesOf(called)).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "look",
      "gen_ai.tool.type": "function",
      "gen_ai.agent.name": "Scout",
    });
  });

  it("RSP2: sends no contents, unless the option is set", async () => {
    const { endpoint, sent } = await collector();
    await lookingCrew({ endpoint }).kickoff();
    expect(JSON.stringify(sent)).not.toContain(SECRET);
    await lookingCrew({ endpoint, captureContent: true }).kickoff();
    const [, { spans }] = sent as [Sent, Sent];
    expect(attributesOf(spans[1])).toMatchObject({
      "gen_ai.tool.call.arguments": JSON.stringify({ at: SECRET }),
      "gen_ai.tool.call.result": `seen ${SECRET}`,
    });
    expect(attributesOf(spans[2])["gen_ai.output.messages"]).toContain(`answer with ${SECRET}`);
    expect(attributesOf(spans[3])["gen_ai.input.messages"]).toContain(`Find ${SECRET}`);
  });

  it("RSP1: uses the same ids for a run in every export, and different ids for different runs", async () => {
    const { endpoint, sent } = await collector();
    const crew = (): Crew => lookingCrew({ endpoint });
    for (const id of ["run-a", "run-a", "run-b"]) await crew().start({ id }).output();
    const ids = sent.map(({ spans }) => spans.map(({ traceId, spanId }) => traceId + spanId));
    expect(ids[0]).toEqual(ids[1]);
    expect(ids[2]?.some((id) => ids[0]?.includes(id))).toBe(false);
  });

  it("sends each span once although the run rests several times", async () => {
    const { endpoint, sent } = await collector();
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      run: async (_, { wait }) => JSON.stringify(await wait("p", { kind: "human" })),
    });
    const { agent } = scriptedAgent([calling("ask"), "done"], { tools: [ask] });
    const run = soloCrew(agent, {
      crew: { listeners: [otlpExporter({ endpoint, variables: {} })] },
    }).start();
    await expect.poll(() => sent.length).toBe(1);
    await run.resume({ feedback: "x" });
    await run.output();
    await expect.poll(() => sent.length).toBe(2);
    const names = sent.map(({ spans }) => spans.map(({ name }) => name.split(" ")[0]));
    expect(names).toEqual([
      ["chat"],
      ["execute_tool", "chat", "invoke_agent", "task", "invoke_workflow", "run"],
    ]);
    expect(sent[1]?.spans.at(-1)?.events.map(({ name }) => name)).toContain("wait_settled");
  });

  it("marks failures with the error's code, without its text", async () => {
    const { endpoint, sent } = await collector();
    const { agent } = scriptedAgent([{ error: new EngineError("model_unauthorized", SECRET) }]);
    const run = soloCrew(agent, {
      crew: { listeners: [otlpExporter({ endpoint, variables: {} })] },
    }).start();
    await expect(run.output()).rejects.toThrow(SECRET);
    await expect.poll(() => sent.length).toBe(1);
    const root = sent[0]?.spans.at(-1);
    expect(root).toMatchObject({ name: "run solo", status: { code: 2 } });
    expect(attributesOf(root)).toMatchObject({ "error.type": "model_unauthorized" });
    expect(JSON.stringify(sent)).not.toContain(SECRET);
  });

  it("retries temporary failures, and skips the others without harm to the run", async () => {
    const { endpoint, sent } = await collector(503, 429);
    expect((await lookingCrew({ endpoint }).kickoff()).raw).toContain("answer");
    await expect.poll(() => sent.length, { timeout: 5000 }).toBe(1);
    const refusing = await collector(400);
    const reports: string[] = [];
    const run = lookingCrew({ endpoint: refusing.endpoint }).start({
      report: ({ message }) => reports.push(message),
    });
    expect(await run.output()).toMatchObject({ tasks: [{ name: "work" }] });
    await expect.poll(() => reports).toEqual([expect.stringContaining("it answered 400")]);
    expect(refusing.sent).toEqual([]);
  });

  it("reads the standard variables at its first use, and sends no spans without an endpoint", async () => {
    const { endpoint, sent } = await collector();
    const variables = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b, x-other=c",
      OTEL_SERVICE_NAME: "named",
    };
    await lookingCrew({ variables }).kickoff();
    await expect.poll(() => sent.length).toBe(1);
    expect(sent[0]).toMatchObject({
      path: "/v1/traces",
      service: "named",
      headers: { "x-key": "a b", "x-other": "c" },
    });
    await lookingCrew({ variables: { ...variables, OTEL_SDK_DISABLED: "true" } }).kickoff();
    await lookingCrew({}).kickoff();
    expect(sent).toHaveLength(1);
    expect(() => otlpExporter({ endpoint: "localhost" })).toThrow(/must be a URL/);
  });
});
