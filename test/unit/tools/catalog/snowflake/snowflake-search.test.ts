// Answers have the shape of the documentation of Snowflake's SQL API.
import { describe, expect, it } from "vitest";
import { fromBase64 } from "../../../../../src/base/bytes.ts";
import { keyPairToken } from "../../../../../src/tools/catalog/snowflake/key-pair-token.ts";
import { snowflakeSearch } from "../../../../../src/tools/catalog/snowflake/snowflake-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const API = "https://myorg-shop.snowflakecomputing.com/api/v2/statements";
const HANDLE = "01a2b3c4-0000-0001-0000-000000000001";
const running = (): Response =>
  Response.json(
    { code: "333334", statementHandle: HANDLE, message: "in progress" },
    { status: 202 },
  );
const done = (): Response =>
  Response.json({
    code: "090001",
    statementHandle: HANDLE,
    resultSetMetaData: {
      numRows: 3,
      format: "jsonv2",
      rowType: [
        { name: "TEA", type: "text" },
        { name: "GRAMS", type: "fixed" },
      ],
      partitionInfo: [{ rowCount: 2 }, { rowCount: 1 }],
    },
    data: [
      ["green", "50"],
      ["black", null],
    ],
  });
const config = {
  account: "myorg-shop",
  user: "ann",
  warehouse: "wh",
  database: "SHOP",
  snowflake_schema: "PUBLIC",
  role: "READER",
};
const input = { query: "SELECT tea, grams FROM stock;" };

toolContract(snowflakeSearch, {
  options: { config },
  input,
  success: [running(), running(), done()],
  requests: [
    {
      method: "POST",
      body: {
        statement: "SELECT tea, grams FROM stock",
        timeout: 300,
        database: "SHOP",
        schema: "PUBLIC",
        warehouse: "wh",
        role: "READER",
      },
    },
    { method: "GET", url: `${API}/${HANDLE}` },
    { method: "GET", url: `${API}/${HANDLE}` },
  ],
  text: "| TEA | GRAMS |\n| --- | --- |\n| green | 50 |\n| black | NULL |\n(+1 rows)",
  data: {
    rows: [
      { TEA: "green", GRAMS: "50" },
      { TEA: "black", GRAMS: null },
    ],
  },
});

async function keyPair(): Promise<{
  readonly pem: string;
  readonly publicKey: Awaited<ReturnType<typeof crypto.subtle.importKey>>;
}> {
  const pair = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      hash: "SHA-256",
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
    },
    true,
    ["sign", "verify"],
  );
  const bytes = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  const base64 = btoa(String.fromCharCode(...bytes)).replaceAll(/.{64}/g, "$&\n");
  const pem = `-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n`;
  return { pem, publicKey: pair.publicKey };
}

function partOf(token: string, index: number): Uint8Array<ArrayBuffer> {
  const part = token.split(".")[index] ?? "";
  return fromBase64(part.replaceAll("-", "+").replaceAll("_", "/"));
}

describe("access to Snowflake", () => {
  it("works with a token, and an optional token type", async () => {
    const { requests } = await callOf(
      snowflakeSearch.entry.make({ config, token_type: "OAUTH" }).tool,
      input,
      { answers: [running(), done()], variables: { SNOWFLAKE_TOKEN: "oauth-0123456789" } },
    );
    expect(requests[0]?.headers).toMatchObject({
      authorization: "Bearer oauth-0123456789",
      "x-snowflake-authorization-token-type": "OAUTH",
    });
  });

  it("works with a token signed by the user's key, new for each request", async () => {
    const { pem, publicKey } = await keyPair();
    const { requests, text, everything } = await callOf(
      snowflakeSearch.entry.make({ config: { ...config, private_key: pem } }).tool,
      input,
      { answers: [running(), done()] },
    );
    expect(text).toContain("green");
    for (const { headers } of requests) {
      expect(headers["x-snowflake-authorization-token-type"]).toBe("KEYPAIR_JWT");
      const token = (headers["authorization"] ?? "").replace("Bearer ", "");
      const signed = new TextEncoder().encode(token.split(".").slice(0, 2).join("."));
      const fits = await crypto.subtle.verify(
        "RSASSA-PKCS1-v1_5",
        publicKey,
        partOf(token, 2),
        signed,
      );
      expect(fits).toBe(true);
    }
    expect(everything).not.toContain(pem.slice(100, 160));
  });

  it("names account, user and the key's fingerprint in the token", async () => {
    const { pem, publicKey } = await keyPair();
    const token = await keyPairToken(pem.replaceAll("\n", "\\n"), {
      account: "xy12345.eu-central-1",
      user: "ann",
      nowMs: 1_800_000_000_500,
    });
    const spki = await crypto.subtle.exportKey("spki", publicKey);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", spki));
    expect(JSON.parse(new TextDecoder().decode(partOf(token, 1)))).toEqual({
      iss: `XY12345.ANN.SHA256:${btoa(String.fromCharCode(...digest))}`,
      sub: "XY12345.ANN",
      iat: 1_800_000_000,
      exp: 1_800_003_300,
    });
  });

  it.each([
    [
      { ...config, password: "secret" },
      /passwords do not work with Snowflake's SQL API: set SNOWFLAKE_TOKEN/,
    ],
    [{ ...config, private_key_path: "/k.pem" }, /put the key into SNOWFLAKE_PRIVATE_KEY/],
    [{ ...config, account: "evil.example/" }, /account: expected text that matches/],
  ])("refuses invalid settings %#", (wrong, message) => {
    expect(() => snowflakeSearch.entry.make({ config: wrong })).toThrow(message);
  });

  it("names the secrets it needs, and reports an unreadable key", async () => {
    const { tool } = snowflakeSearch.entry.make({ config });
    await expect(callOf(tool, input, { variables: {} })).rejects.toThrow(
      /one of SNOWFLAKE_TOKEN, SNOWFLAKE_PRIVATE_KEY/,
    );
    const encrypted =
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----";
    const { failure } = await callOf(tool, input, {
      variables: { SNOWFLAKE_PRIVATE_KEY: encrypted },
    });
    expect(failure).toMatchObject({ code: "unauthorized", message: /PKCS#8 in PEM/ });
  });
});

describe("statements of Snowflake", () => {
  const variables = { SNOWFLAKE_TOKEN: "oauth-0123456789" };
  const { tool } = snowflakeSearch.entry.make({ config });

  it.each([
    "DELETE FROM t",
    "SELECT 1; SELECT 2",
    String.raw`SELECT '\'' ; DROP TABLE t --'`,
    String.raw`SELECT "\" ; DROP TABLE t --"`,
    "CALL do_it()",
  ])("only read: %s", async (query) => {
    const { failure, requests } = await callOf(tool, { query }, { variables });
    expect(failure?.code).toBe("refused");
    expect(requests).toEqual([]);
  });

  it("are one statement for Snowflake, although a crash sends it again", async () => {
    const { requests } = await callOf(tool, input, { answers: [running(), done()], variables });
    const query = new URL(requests[0]?.url ?? "").searchParams;
    expect(query.get("requestId")).toMatch(/^[0-9a-f-]{36}$/);
    expect(query.get("retry")).toBe("true");
  });

  it("fail with Snowflake's words", async () => {
    const { failure } = await callOf(tool, input, {
      answers: [
        running(),
        Response.json({ code: "001003", message: "SQL compilation error" }, { status: 422 }),
      ],
      variables,
    });
    expect(failure).toMatchObject({ code: "bad_request", message: /SQL compilation error/ });
  });
});
