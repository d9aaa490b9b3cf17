// Secrets that are changed while they are in use.
import { describe, expect, it } from "vitest";
import { randomBytes, systemClock } from "../../../src/base/system.ts";
import { developmentSettings } from "../../../src/cloudflare/development-settings.ts";
import { textsOf } from "../../../src/cloudflare/texts-of.ts";
import { platformPart } from "../../../src/cloudflare/platform-part.ts";
import { webhookCourier } from "../../../src/cloudflare/runs/webhook-courier.ts";
import { SecretBox } from "../../../src/security/secret-box.ts";
import { webhookSecrets, withNewSecrets } from "../../../src/security/two-secrets.ts";
import { webhookHeaders } from "../../../src/security/webhook.ts";
import { HttpWorld } from "../../support/http-app.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const keyOf = (letter: string): string => btoa(letter.repeat(32));
const OLD = keyOf("o");
const NEW = keyOf("n");
const box = (key: string): SecretBox => new SecretBox(key, randomBytes);

describe("two keys for secrets", () => {
  it("the new one encrypts, both open, and after the old one is gone the new one opens all new secrets (DP22)", async () => {
    const before = await box(OLD).seal("secret", "owner");
    const between = box(`${NEW}, ${OLD}`);
    const after = await between.seal("secret", "owner");
    expect(await between.open(before, "owner")).toBe("secret");
    expect(await between.open(after, "owner")).toBe("secret");
    expect(
      await Promise.all([before, after].map((each) => between.isCurrent(each, "owner"))),
    ).toEqual([false, true]);
    expect(await box(NEW).open(after, "owner")).toBe("secret");
    await expect(box(NEW).open(before, "owner")).rejects.toThrow("another EDGECREW_SECRETS_KEY");
    await expect(between.open(before, "another")).rejects.toThrow("another EDGECREW_SECRETS_KEY");
    await expect(box(`${NEW},short`).seal("x", "y")).rejects.toThrow("32 bytes in base64");
    await expect(box(" , ").seal("x", "y")).rejects.toThrow("no key for that");
  });

  it("are read of two variables, or of one with a comma", () => {
    const names = { EDGECREW_SECRETS_KEY: OLD, EDGECREW_SECRETS_KEY_NEW: NEW };
    expect(textsOf(names)["EDGECREW_SECRETS_KEY"]).toBe(`${NEW},${OLD}`);
    expect(withNewSecrets({ EDGECREW_SECRETS_KEY_NEW: NEW } as never)).toMatchObject({
      EDGECREW_SECRETS_KEY: NEW,
    });
    expect(withNewSecrets({ EDGECREW_SECRETS_KEY: OLD })).toEqual({ EDGECREW_SECRETS_KEY: OLD });
    const same = { EDGECREW_SECRETS_KEY: OLD, EDGECREW_SECRETS_KEY_NEW: OLD };
    expect(withNewSecrets(same)).toEqual(same);
  });

  it("that are publicly known are found among two, too", () => {
    const known = "bG9jYWwgZGV2ZWxvcG1lbnQgb25seSwgMzIgYnl0ZXM=";
    expect(developmentSettings({ EDGECREW_SECRETS_KEY: `${NEW},${known}` })).toHaveLength(1);
    expect(developmentSettings({ EDGECREW_SECRETS_KEY: `${NEW},${OLD}` })).toEqual([]);
  });
});

describe("POST /admin/reencrypt", () => {
  type Rows = ReadonlyArray<Readonly<Record<string, string>>>;

  async function world(variables: Record<string, string>): Promise<{
    readonly http: HttpWorld;
    readonly rows: (sql: string) => Rows;
    readonly db: ReturnType<typeof sqliteD1>;
  }> {
    const db = sqliteD1();
    const old = box(OLD);
    const hook = db.sqlite.prepare("INSERT INTO hooks VALUES (?, ?, '{}', ?, ?, NULL, 0, 0)");
    for (let index = 0; index < 5; index++) {
      const owner = `hook acme/h-${index}`;
      hook.run(
        "acme",
        `h-${index}`,
        await old.seal(`secret-${index}`, owner),
        index === 0 ? await old.seal("previous", owner) : null,
      );
    }
    const sealed = await old.seal("sk-1", "acme/crew/c");
    const definition = JSON.stringify({
      agents: { a: { role: "r", llm: { model: "m", apiKey: { sealed, owner: "acme/crew/c" } } } },
    });
    db.sqlite
      .prepare("INSERT INTO definitions VALUES ('acme', 'crew', 'c', ?, 0, 0)")
      .run(definition);
    db.sqlite
      .prepare("INSERT INTO definitions VALUES ('acme', 'crew', 'plain', '{\"a\": 1}', 0, 0)")
      .run();
    db.sqlite
      .prepare("INSERT INTO mcp_tokens VALUES ('acme', 'k', ?, NULL)")
      .run(await old.seal("token", "acme/mcp/k"));
    const http = new HttpWorld({
      env: { DB: db },
      parts: [{ ...platformPart({}), services: {}, runs: {} }],
      variables,
      auth: { mode: "keys", adminKey: "boss" },
    });
    return { http, db, rows: (sql) => db.sqlite.prepare(sql).all() as unknown as Rows };
  }

  const both = { EDGECREW_SECRETS_KEY: `${NEW},${OLD}` };

  it("RCR2: moves all stored secrets to the new key, page by page, also after an interruption (DP22)", async () => {
    const { http, rows } = await world(both);
    const page = (json: object) => http.ask("/admin/reencrypt", { key: "boss", json });
    const first = await page({ limit: 2 });
    expect(first.json).toMatchObject({ moved: 2, unreadable: 0, keys: 2 });
    // Cut off here: the next pass begins again, and leaves alone what is done.
    let moved = 0;
    let cursor: unknown;
    do {
      const { json } = await page({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      moved += Number(json["moved"]);
      cursor = json["nextCursor"];
    } while (cursor !== undefined);
    expect(moved).toBe(3 + 1 + 1 + 1);
    const only = box(NEW);
    for (const { name = "", secret = "" } of rows("SELECT name, secret FROM hooks"))
      expect(await only.open(secret, `hook acme/${name}`)).toBe(`secret-${name.slice(2)}`);
    const [previous] = rows("SELECT previous_secret AS sealed FROM hooks WHERE name = 'h-0'");
    expect(await only.open(previous?.["sealed"] ?? "", "hook acme/h-0")).toBe("previous");
    const [token] = rows("SELECT sealed FROM mcp_tokens");
    expect(await only.open(token?.["sealed"] ?? "", "acme/mcp/k")).toBe("token");
    const [crew] = rows("SELECT definition FROM definitions WHERE name = 'c'");
    const { agents } = JSON.parse(crew?.["definition"] ?? "") as {
      agents: { a: { llm: { apiKey: { sealed: string } } } };
    };
    expect(await only.open(agents.a.llm.apiKey.sealed, "acme/crew/c")).toBe("sk-1");
    expect(rows("SELECT definition FROM definitions WHERE name = 'plain'")).toEqual([
      { definition: '{"a": 1}' },
    ]);
  });

  it("RCR1: skips unreadable and meanwhile changed secrets, and reports them", async () => {
    const { http, rows } = await world({ EDGECREW_SECRETS_KEY: NEW });
    const { json } = await http.ask("/admin/reencrypt", { key: "boss", json: {} });
    expect(json).toMatchObject({ moved: 0, unreadable: 5, keys: 1 });
    expect(rows("SELECT secret FROM hooks")).toHaveLength(5);
    // Somebody stores a secret between the look at the old one and the change.
    const changed = await world(both);
    const sealed = await box(NEW).seal("other", "hook acme/h-1");
    const prepare = changed.db.prepare.bind(changed.db);
    Object.assign(changed.db, {
      prepare: (sql: string) => {
        if (sql.startsWith("UPDATE hooks SET secret"))
          changed.db.sqlite.prepare("UPDATE hooks SET secret = ? WHERE name = 'h-1'").run(sealed);
        return prepare(sql);
      },
    });
    await changed.http.ask("/admin/reencrypt", { key: "boss", json: {} });
    expect(changed.rows("SELECT secret FROM hooks WHERE name = 'h-1'")).toEqual([
      { secret: sealed },
    ]);
  });

  it("needs the operator, and a key", async () => {
    const { http } = await world({});
    expect((await http.ask("/admin/reencrypt", { json: {} })).status).toBe(401);
    const { status, json } = await http.ask("/admin/reencrypt", { key: "boss", json: {} });
    expect([status, json["detail"]]).toEqual([
      503,
      expect.stringContaining("EDGECREW_SECRETS_KEY"),
    ]);
    expect(
      (await http.ask("/admin/reencrypt", { key: "boss", json: { cursor: "x" } })).status,
    ).toBe(400);
  });
});

describe("webhooks signed with two secrets", () => {
  const [first, second] = [
    "whsec_bmV3LXNlY3JldC1uZXctc2VjcmV0",
    "whsec_b2xkLXNlY3JldC1vbGQtc2VjcmV0",
  ] as const;

  it("verify with either of them, and a target's own secret signs alone (DP22)", async () => {
    const sent: Array<{ body: string; headers: Headers }> = [];
    const deliver = webhookCourier({
      clock: systemClock,
      policy: { allowPrivate: false },
      secret: `${first},${second}`,
      formats: {},
      fetch: async (_, init) => {
        sent.push({ body: init?.body as string, headers: new Headers(init?.headers) });
        return new Response(null, { status: 204 });
      },
    });
    const url = "https://hooks.example.com/";
    const delivery = (target: object) =>
      ({ id: "m-1", event: { type: "run_completed" }, target: { url, ...target } }) as never;
    await deliver(delivery({}));
    await deliver(delivery({ secret: "a secret, with a comma" }));
    const signatures = await Promise.all(
      [first, second, "a secret, with a comma"].map(async (secret, index) => {
        const { body = "", headers = new Headers() } = sent[index === 2 ? 1 : 0] ?? {};
        const atMs = Number(headers.get("webhook-timestamp")) * 1000;
        return (await webhookHeaders({ id: "m-1", url, body, secret }, atMs))["webhook-signature"];
      }),
    );
    expect(sent[0]?.headers.get("webhook-signature")).toBe(`${signatures[0]} ${signatures[1]}`);
    expect(sent[1]?.headers.get("webhook-signature")).toBe(signatures[2]);
  });

  it("are two when the first is of the usual form", () => {
    expect(webhookSecrets(`${first},${second}`)).toEqual([first, second]);
    expect(webhookSecrets("some text, with a comma")).toEqual(["some text, with a comma"]);
    expect(webhookSecrets(first)).toEqual([first]);
  });
});
