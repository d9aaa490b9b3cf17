import { describe, expect, it } from "vitest";
import { declarativeFlows } from "../../../src/declarative/index.ts";
import { HttpWorld } from "../../support/http-app.ts";
import { RecallWorld } from "../../support/recall-world.ts";
import { computedMs } from "../../support/computed-ms.ts";

const deep = (opening: string, levels: number): string => opening.repeat(levels);
const JSON_TYPE = { "content-type": "application/json" };
const YAML_TYPE = { "content-type": "application/yaml" };

/** What an answer took, in milliseconds of this machine. */
async function timed<Result>(work: () => Promise<Result>): Promise<readonly [Result, number]> {
  const beganMs = computedMs();
  return [await work(), computedMs() - beganMs];
}

describe("answers to refused bodies", () => {
  const many = Object.fromEntries(
    Array.from({ length: 40_000 }, (_, index) => [`key_${index}`, index]),
  );

  it.each([
    ["POST", "/crews/greeting/kickoff", many],
    [
      "POST",
      "/crews/greeting/kickoff",
      { inputs: {}, webhooks: Array.from({ length: 20_000 }, () => 1) },
    ],
    ["PUT", "/crews/mine", many],
    ["PUT", "/flows/mine", { name: "mine", methods: many }],
    ["PUT", "/crews/mine", { agents: many, tasks: Array.from({ length: 20_000 }, () => ({})) }],
    ["POST", "/runs/prune", { ["k".repeat(900_000)]: 1 }],
    ["POST", "/crews/greeting/kickoff", { id: "x".repeat(900_000) }],
    [
      "POST",
      "/crews/greeting/kickoff-for-each",
      { inputs: Array.from({ length: 20_000 }, () => 3) },
    ],
  ])("%s %s: report at most 50 faults, and are small", async (method, path, json) => {
    const world = new HttpWorld({ declarativeFlows: declarativeFlows() });
    const [answer, ms] = await timed(() => world.ask(path, { method, json }));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    const { errors = [] } = answer.json as unknown as { errors?: readonly unknown[] };
    expect(errors.length).toBeLessThanOrEqual(50);
    expect(answer.text.length).toBeLessThan(40_000);
    expect(ms).toBeLessThan(15_000);
  });

  it("90,000 keys of YAML are refused in good time", async () => {
    const body = Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join("\n");
    const world = new HttpWorld();
    const [answer, ms] = await timed(() =>
      world.ask("/crews/mine", { method: "PUT", body, headers: YAML_TYPE }),
    );
    expect([answer.status, answer.text.length < 40_000]).toEqual([400, true]);
    expect(ms).toBeLessThan(15_000);
  });

  it.each([
    [
      "/crews/mine",
      "PUT",
      '{"agents":{"a":{"role":1,"llm":{"model":2,"api_key":"CANARY-1"}}},"tasks":[]}',
    ],
    [
      "/crews/mine",
      "PUT",
      '{"agents":{"a":{"role":"r","goal":"g","backstory":"b","llm":{"model":2,"token":"CANARY-1"}}},"tasks":[{}]}',
    ],
    [
      "/crews/greeting/kickoff",
      "POST",
      '{"webhooks":[{"url":"https://a.example","secret":["CANARY-1"]}]}',
    ],
    [
      "/crews/greeting/kickoff",
      "POST",
      '{"webhooks":[{"url":"https://a.example","secret":{"a":"CANARY-1"}}]}',
    ],
    [
      "/crews/greeting/kickoff",
      "POST",
      '{"webhooks":{"url":"https://a.example","secret":"CANARY-1"}}',
    ],
    ["/crews/greeting/kickoff", "POST", '{"webhooks":["x",{"secret":"CANARY-1"}]}'],
    [
      "/crews/greeting/test",
      "POST",
      '{"iterations":1,"evalModel":{"model":1,"apiKey":"CANARY-1"}}',
    ],
  ])("%s %s %s: do not quote the secret", async (path, method, body) => {
    const { status, text } = await new HttpWorld().ask(path, { method, body, headers: JSON_TYPE });
    expect([status, text.includes("CANARY")]).toEqual([400, false]);
  });
});

describe("deep bodies", () => {
  it.each([
    ["POST", "/crews/greeting/kickoff", deep("[", 150_000), JSON_TYPE],
    ["POST", "/crews/greeting/kickoff", `${deep('{"a":', 90_000)}1${deep("}", 90_000)}`, JSON_TYPE],
    ["POST", "/crews/greeting/kickoff", `${deep("[", 90_000)}${deep("]", 90_000)}`, JSON_TYPE],
    ["PUT", "/crews/mine", `${deep("[", 90_000)}${deep("]", 90_000)}`, JSON_TYPE],
    ["PUT", "/crews/mine", deep("[", 90_000), YAML_TYPE],
    ["PUT", "/crews/mine", `${deep("[", 5_000)}${deep("]", 5_000)}`, YAML_TYPE],
    ["PUT", "/crews/mine", deep("a: {b: ", 5_000), YAML_TYPE],
    ["PUT", "/crews/mine", deep("- ", 50_000), YAML_TYPE],
  ])("%s %s: are 400", async (...request) => {
    const [method, path, body, headers] = request;
    const world = new HttpWorld();
    const [answer, ms] = await timed(() => world.ask(path, { method, body, headers }));
    expect([answer.status, world.reported]).toEqual([400, []]);
    expect(ms).toBeLessThan(15_000);
  });

  it.each([deep("[", 150_000), `${deep("[", 90_000)}${deep("]", 90_000)}`])(
    "of knowledge are 400",
    async (body) => {
      const world = new RecallWorld({ auth: { mode: "open" } });
      const { status } = await world.ask("/knowledge/docs/sources", { body, headers: JSON_TYPE });
      expect(status).toBe(400);
    },
  );
});

describe("large bodies", () => {
  it.each([
    ["with a declared length", { "content-length": "5000000" }],
    ["without", {}],
  ])("are received and dropped before the answer, %s", async (_, headers) => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent >= 5_000_000) return controller.close();
        sent += 100_000;
        controller.enqueue(new Uint8Array(100_000).fill(0x20));
      },
    });
    const { status, json } = await new HttpWorld().ask("/crews/greeting/kickoff", {
      body,
      headers: { ...JSON_TYPE, ...headers },
    });
    expect([status, json["code"], sent]).toEqual([413, "payload_too_large", 5_000_000]);
  });

  it.each(["/nowhere", "/crews/nobody/kickoff", "/keys"])("are dropped at %s too", async (path) => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if ((pulled += 1) > 20) return controller.close();
        controller.enqueue(new Uint8Array(100_000));
      },
    });
    const world = new HttpWorld({ auth: { mode: "keys", adminKey: "boss" } });
    const { status } = await world.ask(path, { body, headers: JSON_TYPE });
    expect([401, 404]).toContain(status);
    expect(pulled).toBe(21);
  });

  it("without an end are not waited for", async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1_000_000;
        controller.enqueue(new Uint8Array(1_000_000));
      },
    });
    const { status } = await new HttpWorld().ask("/crews/greeting/kickoff", {
      body,
      headers: JSON_TYPE,
    });
    expect([status, sent < 40_000_000]).toEqual([413, true]);
  });

  it("end without a wait when they stall", async () => {
    const body = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const [answer, ms] = await timed(() =>
      new HttpWorld().ask("/nowhere", { body, headers: JSON_TYPE }),
    );
    expect([answer.status, ms < 15_000]).toEqual([404, true]);
  });

  it.each(["gzip", "deflate", "br", "x-unknown"])(
    "with content-encoding %s are 415",
    async (encoding) => {
      const { status, json } = await new HttpWorld().ask("/crews/greeting/kickoff", {
        json: {},
        headers: { "content-encoding": encoding },
      });
      expect([status, json["detail"]]).toEqual([
        415,
        expect.stringContaining("no content-encoding"),
      ]);
    },
  );

  it("too many inputs are 413, which no client repeats", async () => {
    const inputs = Array.from({ length: 1_001 }, () => ({}));
    const { status, json } = await new HttpWorld().ask("/crews/greeting/kickoff-for-each", {
      json: { inputs },
    });
    expect([status, json["code"]]).toEqual([413, "limit_exceeded"]);
  });
});
