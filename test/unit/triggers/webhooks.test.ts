import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { defineFlow } from "../../../src/flow/index.ts";
import type { WebhookScheme } from "../../../src/triggers/webhook-store.ts";
import { MAX_BODY_BYTES } from "../../../src/parts/request-body.ts";
import { askingScript, textOf, type Answer } from "../../support/http-app.ts";
import { SIGN, type SignedDelivery } from "../../support/signed-deliveries.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";
import { fillHooks } from "../../support/store-rows.ts";
import { TriggerWorld } from "../../support/trigger-world.ts";

const key = "boss";
const SECRET = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0MTI=";
const GREET = { kind: "crew", name: "greeting" } as const;
const SCHEMES = ["github", "stripe", "slack", "standard", "hmac"] as const;
/** When the simulated clock starts. */
const NOW = Date.UTC(2026, 0, 1) / 1000;

/** Bodies that have an id where the scheme looks for one. */
const event = (id: string, more: object = {}): string =>
  JSON.stringify({ id, event_id: id, issue: { title: "It rains", labels: ["a", "b"] }, ...more });

function put(world: TriggerWorld, json: object, name = "in"): Promise<Answer> {
  return world.ask(`/hooks/${name}`, { key, method: "PUT", json });
}

async function worldWith(webhook: object): Promise<TriggerWorld> {
  const world = new TriggerWorld();
  const { status, text } = await put(world, { secret: SECRET, target: GREET, ...webhook });
  if (status !== 201) throw new Error(text);
  return world;
}

function deliver(
  world: TriggerWorld,
  delivery: SignedDelivery,
  path = "/hooks/in",
): Promise<Answer> {
  return world.ask(path, { method: "POST", ...delivery });
}

function signed(
  scheme: WebhookScheme,
  more: { body?: string; at?: number; id?: string; secret?: string } = {},
) {
  const sign = SIGN[scheme];
  if (sign === undefined) throw new Error(scheme);
  return sign({ secret: SECRET, body: event("evt_1"), at: NOW, ...more });
}

describe("the id of a repeated delivery", () => {
  /** The same event, sent again later with another body. */
  async function runsOf(scheme: WebhookScheme, bodies: readonly object[]): Promise<number> {
    const world = await worldWith({ scheme });
    for (const [index, body] of bodies.entries()) {
      const at = NOW + index;
      const { status } = await deliver(world, signed(scheme, { at, body: JSON.stringify(body) }));
      expect(status).toBeLessThan(300);
    }
    return new Set(world.startedIds()).size;
  }

  it.each<[WebhookScheme, string]>([
    ["stripe", "id"],
    ["slack", "event_id"],
    ["slack", "trigger_id"],
  ])("for %s is the event's %s", async (scheme, field) => {
    const events = [1, 2].map((attempt) => ({ [field]: "evt_1", attempt }));
    expect(await runsOf(scheme, events)).toBe(1);
    expect(await runsOf(scheme, [{ [field]: "evt_1" }, { [field]: "evt_2" }])).toBe(2);
  });

  it.each<WebhookScheme>(["slack", "hmac"])(
    "for %s is not another id in the body",
    async (scheme) => {
      expect(
        await runsOf(
          scheme,
          [1, 2].map((attempt) => ({ id: "evt_1", attempt })),
        ),
      ).toBe(2);
    },
  );
});

describe.each(SCHEMES)("deliveries signed as %s", (scheme) => {
  it("start one run, however often they come", async () => {
    const world = await worldWith({ scheme });
    const delivery = signed(scheme);
    const answers = await Promise.all([1, 2, 3].map(() => deliver(world, delivery)));
    const status = scheme === "slack" ? 200 : 202;
    expect(answers.map((answer) => answer.status)).toEqual([status, status, status]);
    expect(new Set(world.startedIds()).size).toBe(1);
    await world.clock.settle();
    const { json } = await world.ask(`/runs/${world.startedIds()[0] ?? ""}`, { key });
    expect(json).toMatchObject({
      status: "completed",
      inputs: { crewai_trigger_payload: JSON.parse(delivery.body) as object },
      meta: { trigger: { kind: "hook", name: "in" } },
    });
    const links = { self: `/runs/${textOf(json["id"])}` };
    // A delivery that comes second may find the run further on.
    const runStatus = expect.any(String) as string;
    const answered = scheme === "slack" ? null : { id: json["id"], status: runStatus, links };
    expect(answers[0]?.json).toEqual(answered);
  });

  it("start one run each when they differ", async () => {
    const world = await worldWith({ scheme });
    await deliver(world, signed(scheme, { id: "one", body: event("evt_1") }));
    await deliver(world, signed(scheme, { id: "two", body: event("evt_2") }));
    expect(new Set(world.startedIds()).size).toBe(2);
  });

  it.each<[string, (delivery: SignedDelivery) => SignedDelivery]>([
    ["a changed body", ({ body, headers }) => ({ headers, body: body.replace("rains", "pours") })],
    ["no body", ({ headers }) => ({ headers, body: "" })],
    ["another secret", () => signed(scheme, { secret: "whsec_b3RoZXJvdGhlcm90aGVyb3RoZXI=" })],
    [
      "a changed signature",
      ({ body, headers }) => ({
        body,
        headers: mapped(headers, /signature/, (text) => text.replaceAll(/[0-9a-f]{2}/g, "00")),
      }),
    ],
    [
      "an invalid signature",
      ({ body, headers }) => ({ body, headers: mapped(headers, /signature/, () => "ä,=§ v1,%") }),
    ],
    [
      "an empty signature",
      ({ body, headers }) => ({ body, headers: mapped(headers, /signature/, () => "") }),
    ],
    [
      "a cut signature",
      ({ body, headers }) => ({
        body,
        headers: mapped(headers, /signature/, (text) => text.slice(0, -4)),
      }),
    ],
  ])("HR1: are refused with %s", async (_, forge) => {
    const world = await worldWith({ scheme });
    const { status, json } = await deliver(world, forge(signed(scheme)));
    expect([status, json["code"]]).toEqual([401, "unauthorized"]);
    expect(world.starts).toEqual([]);
  });

  it("SG1: are refused without each header of the scheme, with the same answer as at no webhook", async () => {
    const world = await worldWith({ scheme });
    const { body, headers } = signed(scheme);
    const needed = Object.keys(headers).filter((name) => !/content-type|event/.test(name));
    for (const name of needed) {
      const rest = Object.entries(headers).filter(([each]) => each !== name);
      const { status, json } = await deliver(world, { body, headers: Object.fromEntries(rest) });
      expect([status, textOf(json["detail"]).toLowerCase()]).toEqual([
        401,
        expect.stringContaining(name),
      ]);
      const nowhere = await deliver(
        world,
        { body, headers: Object.fromEntries(rest) },
        "/hooks/gone",
      );
      expect([nowhere.status, nowhere.json]).toEqual([status, json]);
    }
    expect(world.starts).toEqual([]);
  });

  it("are refused when too large, with no more of the body received than is dropped", async () => {
    const world = await worldWith({ scheme });
    const { headers } = signed(scheme);
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(100_000).fill(97));
        if (pulled > 2000) controller.close();
      },
    });
    const { status } = await world.ask("/hooks/in", { method: "POST", body, headers });
    expect(status).toBe(413);
    expect(pulled).toBeLessThan(200);
    const huge = { ...headers, "content-length": `${MAX_BODY_BYTES}` };
    expect((await deliver(world, { body: "{}", headers: huge })).status).toBe(413);
  });

  it("are accepted with either secret until the previous one expires", async () => {
    const world = await worldWith({ scheme });
    const renewed = "whsec_bmV3bmV3bmV3bmV3bmV3bmV3bmV3";
    const json = { scheme, target: GREET, secret: renewed, keepPreviousSeconds: 60 };
    const { status, json: view } = await put(world, json);
    expect([status, view["previousSecretUntil"]]).toEqual([200, "2026-01-01T00:01:00.000Z"]);
    const statuses = async (at: number) => [
      (await deliver(world, signed(scheme, { at }))).status,
      (await deliver(world, signed(scheme, { at, secret: renewed }))).status,
    ];
    const good = scheme === "slack" ? 200 : 202;
    expect(await statuses(NOW)).toEqual([good, good]);
    await world.clock.advance(61_000);
    expect(await statuses(NOW + 61)).toEqual([401, good]);
    await put(world, { scheme, target: GREET, secret: SECRET });
    expect(await statuses(NOW + 61)).toEqual([good, 401]);
  });
});

function mapped(
  headers: Record<string, string>,
  name: RegExp,
  change: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([each, text]) => [each, name.test(each) ? change(text) : text]),
  );
}

describe("senders without the secret", () => {
  it.each(SCHEMES)(
    "SG1: does not learn whether there is a webhook signed as %s",
    async (scheme) => {
      const world = await worldWith({ scheme });
      const large = "x".repeat(MAX_BODY_BYTES + 1);
      const bodies: readonly SignedDelivery[] = [
        { body: "", headers: {} },
        { body: "{}", headers: { "content-type": "application/json" } },
        { body: large, headers: {} },
        ...SCHEMES.map((each) => signed(each, { secret: "whsec_b3RoZXJvdGhlcm90aGVyb3RoZXI=" })),
        ...SCHEMES.map((each) => ({ ...signed(each), body: large })),
      ];
      for (const delivery of bodies) {
        const there = await deliver(world, delivery, "/hooks/in");
        for (const path of ["/hooks/gone", "/hooks/in?tenant=other", "/hooks/constructor"]) {
          const nowhere = await deliver(world, delivery, path);
          expect([nowhere.status, nowhere.text, Object.fromEntries(nowhere.headers)]).toEqual([
            there.status,
            there.text,
            Object.fromEntries(there.headers),
          ]);
        }
        expect([401, 413]).toContain(there.status);
      }
      expect(world.starts).toEqual([]);
    },
  );
});

describe("files of the tenant", () => {
  it.each<[unknown, object]>([
    ["", { topic: { $file: "secret/s.txt" } }],
    [undefined, { $file: "secret/s.txt" }],
    [{ topic: "/issue" }, { issue: { $file: "secret/s.txt", more: 1 } }],
  ])("HR4: are not named by a sender, with inputs %j", async (inputs, payload) => {
    const world = await worldWith({ scheme: "hmac", ...(inputs === undefined ? {} : { inputs }) });
    const { status, text } = await deliver(
      world,
      signed("hmac", { body: JSON.stringify(payload) }),
    );
    expect([status, text]).toEqual([400, expect.stringContaining("names no files")]);
    expect(world.starts).toEqual([]);
  });
});

describe("documented examples of senders", () => {
  it("GitHub's example signature is valid", async () => {
    const world = await worldWith({ scheme: "github", secret: "It's a Secret to Everybody" });
    const signature = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    const headers = {
      "content-type": "application/json",
      "x-hub-signature-256": `sha256=${signature}`,
      "x-github-delivery": "d",
    };
    const { status, json } = await deliver(world, { body: "Hello, World!", headers });
    expect([status, json["detail"]]).toEqual([400, 'the body must be JSON, got "Hello, World!"']);
    const sha1 = { ...headers, "x-hub-signature-256": `sha1=${signature}` };
    expect((await deliver(world, { body: "Hello, World!", headers: sha1 })).status).toBe(401);
  });

  it("Slack's example signature is valid at its time", async () => {
    const world = await worldWith({ scheme: "slack", secret: "8f742231b10e8888abcd99yyyzzz85a5" });
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": signature,
    };
    const { status, json } = await deliver(world, { body, headers });
    expect([status, json["detail"]]).toEqual([
      401,
      `the delivery must have been signed within the last 300 seconds, got one from ${NOW - 1531420618} seconds ago`,
    ]);
  });

  it.each(["stripe", "slack", "standard"] as const)(
    "%s: 300 seconds either way",
    async (scheme) => {
      const world = await worldWith({ scheme });
      const statuses = [];
      for (const at of [NOW - 301, NOW - 300, NOW + 300, NOW + 301])
        statuses.push((await deliver(world, signed(scheme, { at, id: `m-${at}` }))).status);
      const good = scheme === "slack" ? 200 : 202;
      expect(statuses).toEqual([401, good, good, 401]);
    },
  );

  it.each(["stripe", "slack", "standard"] as const)(
    "SG2: %s: reports a wrong time only with a right signature",
    async (scheme) => {
      const world = await worldWith({ scheme });
      const detail = async (secret: string): Promise<string> => {
        const { json } = await deliver(world, signed(scheme, { at: NOW - 3600, secret }));
        return textOf(json["detail"]);
      };
      expect(await detail(SECRET)).toContain("3600 seconds ago");
      expect(await detail("whsec_b3RoZXJvdGhlcm90aGVyb3RoZXI=")).toContain(
        "that is signed like this",
      );
    },
  );

  it.each(["stripe", "slack", "standard"] as const)(
    "%s: refuses a timestamp other than a time",
    async (scheme) => {
      const world = await worldWith({ scheme });
      const at = "soon" as unknown as number;
      const delivery = scheme === "standard" ? signed(scheme) : signed(scheme, { at });
      if (scheme === "standard") delivery.headers["webhook-timestamp"] = "soon";
      expect((await deliver(world, delivery)).status).toBe(401);
    },
  );

  it("accepts one of two signatures from a sender with a rotated secret", async () => {
    const world = await worldWith({ scheme: "stripe" });
    const { body, headers } = signed("stripe");
    const other = `v1=${"0".repeat(64)}`;
    const both = mapped(headers, /stripe/, (text) => text.replace(",v1", `,${other},v1`));
    expect((await deliver(world, { body, headers: both })).status).toBe(202);
    const standard = await worldWith({ scheme: "standard" });
    const message = signed("standard");
    const two = mapped(message.headers, /signature/, (text) => `v1a,AAAA v1,AAAA ${text}`);
    expect((await deliver(standard, { body: message.body, headers: two })).status).toBe(202);
  });

  it("GitHub's ping is answered and starts no run", async () => {
    const world = await worldWith({ scheme: "github" });
    const { body, headers } = signed("github");
    const ping = { body, headers: { ...headers, "x-github-event": "ping" } };
    expect((await deliver(world, ping)).json).toEqual({ ok: true });
    const forged = { body: `${body} `, headers: ping.headers };
    expect((await deliver(world, forged)).status).toBe(401);
    expect(world.starts).toEqual([]);
  });

  it("GitHub's form bodies are parsed, and the event name reaches the run", async () => {
    const world = await worldWith({ scheme: "github", inputs: { title: "/issue/title" } });
    const body = new URLSearchParams({ payload: event("1") }).toString();
    const { headers } = signed("github", { body });
    await deliver(world, {
      body,
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    });
    expect(world.starts).toMatchObject([
      { inputs: { title: "It rains" }, meta: { trigger: { event: "issues", delivery: "d-1" } } },
    ]);
  });

  it("Slack's signed challenge is answered with 200 and starts no run", async () => {
    const world = await worldWith({ scheme: "slack" });
    const body = JSON.stringify({ type: "url_verification", challenge: "c-1", token: "t" });
    const { status, json } = await deliver(world, signed("slack", { body }));
    expect([status, json]).toEqual([200, { challenge: "c-1" }]);
    const forged = signed("slack", { body, secret: "not the secret at all" });
    expect((await deliver(world, forged)).status).toBe(401);
    expect(world.starts).toEqual([]);
  });

  it("Slack's commands and buttons are read, one run for each trigger_id, answered by an empty 200", async () => {
    const world = await worldWith({ scheme: "slack", inputs: { text: "/text", user: "/user/id" } });
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const command = new URLSearchParams({ command: "/ask", text: "Why?", trigger_id: "t1" });
    const button = new URLSearchParams({
      payload: JSON.stringify({ type: "block_actions", trigger_id: "t2", user: { id: "U1" } }),
    });
    for (const body of [command.toString(), button.toString(), command.toString()]) {
      const { headers } = signed("slack", { body });
      const answer = await deliver(world, { body, headers: { ...headers, ...form } });
      expect([answer.status, answer.text]).toEqual([200, ""]);
    }
    expect(world.starts.map(({ inputs }) => inputs)).toEqual([
      { text: "Why?" },
      { user: "U1" },
      { text: "Why?" },
    ]);
    expect(new Set(world.startedIds()).size).toBe(2);
  });

  it("a plain HMAC may be in base64, in headers of any name, over the time as well", async () => {
    const world = await worldWith({
      scheme: "hmac",
      signatureHeader: "X-Shop-Hmac",
      idHeader: "X-Shop-Id",
      timestampHeader: "X-Shop-Time",
    });
    const body = event("1");
    const of = (at: number, id: string): SignedDelivery => ({
      body,
      headers: {
        "content-type": "application/json; charset=utf-8",
        "x-shop-hmac": createHmac("sha256", SECRET).update(`${at}.${body}`).digest("base64"),
        "x-shop-id": id,
        "x-shop-time": `${at}`,
      },
    });
    expect((await deliver(world, of(NOW, "a"))).status).toBe(202);
    expect((await deliver(world, of(NOW - 5, "a"))).status).toBe(202);
    expect((await deliver(world, of(NOW, "b"))).status).toBe(202);
    expect((await deliver(world, of(NOW - 400, "c"))).status).toBe(401);
    expect(new Set(world.startedIds()).size).toBe(2);
  });
});

describe("bodies", () => {
  it("become inputs by JSON pointers; missing values are left out", async () => {
    const inputs = {
      title: "/issue/title",
      second: "/issue/labels/1",
      slash: "/a~1b/~0",
      none: "/issue/nobody",
      length: "/issue/labels/length",
      proto: "/__proto__",
      all: "",
    };
    const world = await worldWith({ scheme: "hmac", inputs });
    const body = event("1", { "a/b": { "~": null } });
    await deliver(world, signed("hmac", { body }));
    expect(world.starts[0]?.inputs).toEqual({
      title: "It rains",
      second: "b",
      slash: null,
      all: JSON.parse(body) as object,
    });
  });

  it("may be the inputs themselves", async () => {
    const world = await worldWith({ scheme: "hmac", inputs: "/issue" });
    await deliver(world, signed("hmac"));
    expect(world.starts[0]?.inputs).toEqual({ title: "It rains", labels: ["a", "b"] });
    const none = await deliver(world, signed("hmac", { body: '{"issue":[1]}' }));
    expect([none.status, none.json["errors"]?.[0]?.["path"]]).toEqual([400, "/issue"]);
  });

  it("HR3: are refused with the field in the answer when they do not match the schema or the target", async () => {
    const schema = {
      type: "object",
      required: ["issue"],
      properties: { issue: { type: "object" } },
    };
    const target = { kind: "flow", name: "review" };
    const world = await worldWith({
      scheme: "hmac",
      schema,
      target,
      inputs: { topic: "/issue/n" },
    });
    const wrong = await deliver(world, signed("hmac", { body: '{"issue":3}' }));
    expect([wrong.status, wrong.json["errors"]?.[0]?.["path"]]).toEqual([400, "/issue"]);
    const unfit = await deliver(world, signed("hmac", { body: '{"issue":{"n":3}}' }));
    expect([unfit.status, unfit.text.includes("topic")]).toEqual([400, true]);
    expect(world.starts).toEqual([]);
    const fit = await deliver(world, signed("hmac", { body: '{"issue":{"n":"tea"}}' }));
    expect(fit.status).toBe(202);
  });

  it.each([
    ["not JSON", "{", "application/json"],
    ["not UTF-8", new Uint8Array([123, 255, 125]), "application/json"],
    ["another type", "<a/>", "application/xml"],
    ["nested too deeply", `${"[".repeat(1000)}${"]".repeat(1000)}`, "application/json"],
  ])("are refused when they are %s", async (_, body, type) => {
    const world = await worldWith({ scheme: "hmac" });
    const signature = createHmac("sha256", SECRET).update(body).digest("hex");
    const headers = { "content-type": type, "x-signature": signature };
    const { status } = await world.ask("/hooks/in", { method: "POST", body, headers });
    expect(status).toBe(400);
    expect(world.starts).toEqual([]);
  });

  it("are the question to an agent when a pointer selects it, and otherwise the event", async () => {
    const target = { kind: "agent", name: "writer" };
    const world = await worldWith({ scheme: "hmac", target, inputs: { messages: "/issue/title" } });
    await deliver(world, signed("hmac"));
    expect(world.starts[0]?.inputs).toEqual({ messages: "It rains", inputs: {} });
    await put(world, { scheme: "hmac", target });
    await deliver(world, signed("hmac", { body: '{"n":1}' }));
    expect(world.starts[1]?.inputs["messages"]).toContain('<trigger>\n{"n":1}\n</trigger>');
  });
});

describe("webhooks", () => {
  it("are stored, shown, listed and deleted, and never show a secret", async () => {
    const world = new TriggerWorld();
    const definition = { scheme: "github", target: GREET, inputs: { title: "/issue/title" } };
    const created = await put(world, { ...definition, secret: SECRET });
    expect([created.status, created.headers.get("location")]).toEqual([201, "/hooks/in"]);
    const view = { name: "in", source: "stored", path: "/hooks/in", ...definition };
    const shown = await world.ask("/hooks/in", { key });
    expect(shown.json).toMatchObject(view);
    expect((await put(world, { ...definition, secret: SECRET })).status).toBe(200);
    await put(world, { ...definition, secret: SECRET }, "second");
    const page = await world.ask("/hooks?limit=1", { key });
    expect(page.json).toMatchObject({ items: [view], nextCursor: "in" });
    expect((await world.ask("/hooks?cursor=in", { key })).json["items"]).toMatchObject([
      { name: "second" },
    ]);
    for (const { text } of [created, shown, page]) expect(text).not.toMatch(/secret":|c2VjcmV0/);
    expect((await world.ask("/hooks/in", { key, method: "DELETE" })).status).toBe(204);
    expect((await world.ask("/hooks/in", { key, method: "DELETE" })).status).toBe(404);
    expect((await deliver(world, signed("github"))).status).toBe(401);
  });

  it("keep their secrets encrypted, each for its own webhook alone", async () => {
    const world = await worldWith({ scheme: "hmac" });
    await put(world, { scheme: "hmac", target: GREET, secret: "another secret of 16" }, "other");
    const { sqlite } = world.database;
    expect(JSON.stringify(sqlite.prepare("SELECT * FROM hooks").all())).not.toContain("c2VjcmV0");
    sqlite.exec("UPDATE hooks SET secret = (SELECT secret FROM hooks WHERE name = 'other')");
    const { status, json } = await deliver(
      world,
      signed("hmac", { secret: "another secret of 16" }),
    );
    expect([status, json["detail"]]).toEqual([
      503,
      'webhook "in" cannot be used at the moment; see the Worker\'s log',
    ]);
    expect(world.reported).toMatchObject([
      { message: /encrypted with another EDGECREW_SECRETS_KEY/ },
    ]);
  });

  it.each([
    ["none", undefined, "set the secret EDGECREW_SECRETS_KEY"],
    ["a short one", "c2hvcnQ=", "must be 32 bytes in base64, got 5 bytes"],
    ["a text", "not base64!", "got a text that is not base64"],
  ])("are refused with %s for a key, with the setup in the message", async (_, value, expected) => {
    const world = new TriggerWorld({ variables: { EDGECREW_SECRETS_KEY: value } });
    const { status, json } = await put(world, { scheme: "hmac", target: GREET, secret: SECRET });
    expect([status, textOf(json["detail"])]).toEqual([503, expect.stringContaining(expected)]);
  });

  it.each<[string, object, readonly string[]]>([
    ["no scheme", { scheme: undefined }, ["/scheme"]],
    ["no secret", { secret: undefined }, ["/secret"]],
    ["a short secret", { secret: "short" }, ["/secret"]],
    ["invalid base64", { scheme: "standard", secret: "whsec_§" }, ["/secret"]],
    ["no target", { target: undefined }, ["/target"]],
    ["an invalid target", { target: { kind: "flow", name: "x" } }, ["/target/name"]],
    [
      "no pointer for a needed input",
      { target: { kind: "crew", name: "briefing" } },
      ["/inputs/topic"],
    ],
    ["an invalid pointer", { inputs: { a: "issue.title" } }, ["/inputs/a"]],
    ["an invalid schema", { schema: { $ref: "#/nowhere" } }, ["/schema"]],
    ["headers of another scheme", { scheme: "github", idHeader: "x" }, ["/idHeader"]],
    ["an invalid header", { idHeader: "x y" }, ["/idHeader"]],
    ["an unknown field", { url: "x" }, ["/url"]],
  ])("are refused with %s", async (_, wrong, paths) => {
    const world = new TriggerWorld();
    const json = { scheme: "hmac", secret: SECRET, target: GREET, ...wrong };
    const { status, json: problem, text } = await put(world, json);
    expect(status).toBe(400);
    const errors = problem["errors"] as unknown as ReadonlyArray<{ path: string }>;
    expect(errors.map(({ path }) => path)).toEqual(paths);
    expect(text).not.toContain(SECRET);
    expect((await put(world, json, "a b")).status).toBe(400);
  });

  it("are refused when the tenant has reached its limit", async () => {
    const world = new TriggerWorld();
    await fillHooks(world.database, "default", 1_000);
    const { status, json } = await put(world, { scheme: "hmac", secret: SECRET, target: GREET });
    expect([status, json["code"]]).toEqual([409, "limit_exceeded"]);
    expect((await world.ask("/hooks/in", { key })).status).toBe(404);
  });

  it("accept a secret of 16 bytes and refuse one of 15", async () => {
    const world = new TriggerWorld();
    const ofBytes = (secret: string) => put(world, { scheme: "hmac", secret, target: GREET });
    expect((await ofBytes("ä".repeat(8))).status).toBe(201);
    const { status, json } = await ofBytes("a".repeat(15));
    expect([status, json["errors"]?.[0]]).toEqual([
      400,
      { path: "/secret", message: "expected at least 16 bytes, got 15" },
    ]);
  });

  it("keep their secret when the request has no secret, unless the scheme changes", async () => {
    const world = await worldWith({ scheme: "hmac" });
    const target = { kind: "agent", name: "writer" };
    expect((await put(world, { scheme: "hmac", target })).status).toBe(200);
    await deliver(world, signed("hmac"));
    expect(world.starts).toMatchObject([{ kind: "agent" }]);
    const other = await put(world, { scheme: "github", target });
    expect([other.status, other.json["errors"]?.[0]?.["path"]]).toEqual([400, "/secret"]);
    const secret = "another secret of 16";
    await put(world, { scheme: "github", target, secret, keepPreviousSeconds: 60 });
    expect((await deliver(world, signed("github"))).status).toBe(401);
    expect((await deliver(world, signed("github", { secret }))).status).toBe(202);
  });

  it("refuse a delivery with an oversized id", async () => {
    const world = await worldWith({ scheme: "github" });
    const { status, json } = await deliver(world, signed("github", { id: "x".repeat(257) }));
    expect([status, json["detail"]]).toEqual([
      400,
      "the delivery's id must have at most 256 characters, got 257",
    ]);
  });

  it("give a flow the event in its inputs", async () => {
    const heard: unknown[] = [];
    const listener = defineFlow({
      name: "listener",
      methods: { begin: { start: true, run: ({ inputs }) => void heard.push(inputs) } },
    });
    const world = new TriggerWorld({ flows: { listener } });
    await put(world, {
      scheme: "hmac",
      secret: SECRET,
      target: { kind: "flow", name: "listener" },
    });
    await deliver(world, signed("hmac", { body: '{"n":1}' }));
    await world.clock.settle();
    expect(heard).toEqual([{ crewai_trigger_payload: { n: 1 } }]);
  });

  it("belong to their tenant, which their address names", async () => {
    const world = new TriggerWorld();
    const make = async (tenant: string, scopes: readonly string[]) =>
      textOf((await world.ask("/keys", { key, json: { tenant, scopes } })).json["key"]);
    const [acme, runner] = [await make("acme", ["admin"]), await make("acme", ["run"])];
    const json = { scheme: "hmac", secret: SECRET, target: GREET };
    const options = { method: "PUT", json };
    const made = await world.ask("/hooks/in", { ...options, key: acme });
    expect(made.json["path"]).toBe("/hooks/in?tenant=acme");
    expect((await world.ask("/hooks/in", { ...options, key: runner })).status).toBe(403);
    expect((await world.ask("/hooks/in", options)).status).toBe(401);
    expect((await world.ask("/hooks/in", { key })).status).toBe(404);
    expect((await deliver(world, signed("hmac"))).status).toBe(401);
    expect((await deliver(world, signed("hmac"), "/hooks/in?tenant=other")).status).toBe(401);
    const { status } = await deliver(world, signed("hmac"), textOf(made.json["path"]));
    expect([status, world.starts[0]?.tenant]).toEqual([202, "acme"]);
  });

  it("answer with 503 when their target was deleted", async () => {
    const database = sqliteD1();
    const before = new TriggerWorld({ database });
    const target = { kind: "agent", name: "writer" };
    await put(before, { scheme: "hmac", secret: SECRET, target });
    const after = new TriggerWorld({ database, agents: {} });
    expect((await deliver(after, signed("hmac"))).status).toBe(503);
    expect((await deliver(before, signed("hmac"))).status).toBe(202);
  });

  it("start runs able to wait for a person", async () => {
    const world = new TriggerWorld({ script: askingScript() });
    const target = { kind: "crew", name: "briefing" };
    await put(world, { scheme: "hmac", secret: SECRET, target, inputs: { topic: "/issue/title" } });
    await deliver(world, signed("hmac"));
    await world.clock.settle();
    expect((await world.ask("/waits", { key })).json["items"]).toHaveLength(1);
  });
});

describe("webhooks of the code", () => {
  const issues = { scheme: "github", target: GREET, secretVariable: "GITHUB_SECRET" } as const;
  const variables = { GITHUB_SECRET: SECRET, EDGECREW_SECRETS_KEY: undefined };

  it("read their secret from a variable and need no encryption key", async () => {
    const world = new TriggerWorld({ triggers: { webhooks: { issues } }, variables });
    expect((await deliver(world, signed("github"), "/hooks/issues")).status).toBe(202);
    expect((await world.ask("/hooks", { key })).json["items"]).toEqual([
      { name: "issues", source: "code", path: "/hooks/issues", scheme: "github", target: GREET },
    ]);
    const json = { scheme: "hmac", target: GREET, secret: SECRET };
    expect((await put(world, json, "issues")).status).toBe(409);
    expect((await world.ask("/hooks/issues", { key, method: "DELETE" })).status).toBe(409);
  });

  it("accept either of two variables and refuse deliveries without one", async () => {
    const secretVariable = ["GITHUB_SECRET", "OLD_SECRET"] as const;
    const webhooks = { issues: { ...issues, secretVariable } };
    const world = new TriggerWorld({ triggers: { webhooks }, variables: { OLD_SECRET: SECRET } });
    expect((await deliver(world, signed("github"), "/hooks/issues")).status).toBe(202);
    const bare = new TriggerWorld({ triggers: { webhooks } });
    expect((await deliver(bare, signed("github"), "/hooks/issues")).status).toBe(503);
    expect(bare.reported).toMatchObject([{ message: /wrangler secret put GITHUB_SECRET/ }]);
    const short = new TriggerWorld({
      triggers: { webhooks },
      variables: { GITHUB_SECRET: "short" },
    });
    expect((await deliver(short, signed("github"), "/hooks/issues")).status).toBe(503);
    expect(short.reported).toMatchObject([{ message: /expected at least 16 bytes, got 5/ }]);
  });
});
