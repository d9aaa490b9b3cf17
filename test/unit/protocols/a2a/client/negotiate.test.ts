// What a client and a remote agent agree on.
import { describe, expect, it } from "vitest";
import { errorMessage } from "../../../../../src/base/error.ts";
import { readCard } from "../../../../../src/protocols/a2a/client/agent-card.ts";
import type { ReadAuth } from "../../../../../src/protocols/a2a/client/auth-config.ts";
import {
  checkCredentials,
  checkExtensions,
  negotiateContentTypes,
  negotiateTransport,
} from "../../../../../src/protocols/a2a/client/negotiate.ts";
import type { JsonObject } from "../../../../../src/base/json.ts";

const URL = "https://a.example.com";
const card = (fields: JsonObject = {}) => readCard({ name: "A", url: `${URL}/rpc`, ...fields });

describe("AXN1: the binding", () => {
  const both = card({ additionalInterfaces: [{ url: `${URL}/grpc`, transport: "GRPC" }] });

  it("vector X12: is the server's preferred one the client supports; the client's preferred one if the server has it", () => {
    const supported = ["GRPC", "JSONRPC"] as const;
    expect(negotiateTransport({ supported: [...supported] }, both, URL)).toMatchObject({
      transport: "JSONRPC",
      source: "server_preferred",
    });
    expect(
      negotiateTransport({ supported: [...supported], preferred: "GRPC" }, both, URL),
    ).toMatchObject({ transport: "GRPC", url: `${URL}/grpc`, source: "client_preferred" });
  });

  it("is the first common one when the preferences differ", () => {
    const rest = card({
      preferredTransport: "GRPC",
      additionalInterfaces: [{ url: `${URL}/rest`, transport: "HTTP+JSON" }],
    });
    const asked = { supported: ["JSONRPC" as const, "HTTP+JSON" as const] };
    expect(negotiateTransport(asked, rest, URL)).toMatchObject({
      transport: "HTTP+JSON",
      source: "client_supported",
    });
  });

  it("is the client's, or JSON-RPC, at the endpoint, when they have no common one", () => {
    const grpc = card({ preferredTransport: "GRPC" });
    expect(negotiateTransport({ supported: ["JSONRPC"] }, grpc, URL)).toMatchObject({
      transport: "JSONRPC",
      url: URL,
      source: "fallback",
    });
  });
});

it.each([
  [["application/json"], ["text/plain", "application/json"], ["application/json"]],
  [["text/*"], ["text/plain", "image/png"], ["text/plain"]],
  [["text/html"], ["*/*"], ["text/html"]],
  [["text/plain"], ["text"], ["text"]],
  [["application/json; charset=utf-8"], ["application/json"], ["application/json"]],
  [["application/json"], ["text/plain"], []],
])("agrees on media types: %j with %j", (accepted, offered, agreed) => {
  expect(negotiateContentTypes(accepted, offered)).toEqual(agreed);
});

it("AXN3: refuses an agent whose required extension is not configured", () => {
  const strict = card({
    capabilities: { extensions: [{ uri: "urn:x", required: true }, { uri: "urn:y" }] },
  });
  expect(() => checkExtensions(strict, ["urn:y"])).toThrow("add urn:x to extensions");
  expect(() => checkExtensions(strict, ["urn:x"])).not.toThrow();
});

/** What is thrown, or nothing. */
function refusalOf(check: () => void): string {
  try {
    check();
    return "";
  } catch (error) {
    return errorMessage(error);
  }
}

describe("AXN2: credentials", () => {
  const bearer: ReadAuth = { type: "bearer", token: "t" };
  const oauth: ReadAuth = {
    type: "oauth2ClientCredentials",
    tokenUrl: URL,
    clientId: "i",
    clientSecret: "s",
    scopes: [],
  };
  const key: ReadAuth = { type: "apiKey", apiKey: "k", location: "header", name: "X-API-Key" };
  const old = (scheme: JsonObject) =>
    card({ securitySchemes: { s: scheme }, security: [{ s: [] }] });
  const newer = (scheme: JsonObject) =>
    card({
      securitySchemes: { s: scheme },
      securityRequirements: [{ schemes: { s: { list: [] } } }],
    });

  it.each([
    ["http bearer of 0.3", old({ type: "http", scheme: "Bearer" }), bearer, true],
    ["http bearer with a token of OAuth", old({ type: "http", scheme: "bearer" }), oauth, true],
    ["http basic with a token", old({ type: "http", scheme: "basic" }), bearer, false],
    ["an API key of 0.3", old({ type: "apiKey", in: "header", name: "k" }), key, true],
    [
      "an API key of 1.0",
      newer({ apiKeySecurityScheme: { location: "header", name: "k" } }),
      key,
      true,
    ],
    [
      "an API key with a token",
      newer({ apiKeySecurityScheme: { location: "header", name: "k" } }),
      bearer,
      false,
    ],
    ["OAuth of 1.0 with a token", newer({ oauth2SecurityScheme: { flows: {} } }), bearer, true],
    ["http of 1.0", newer({ httpAuthSecurityScheme: { scheme: "Bearer" } }), bearer, true],
    ["a certificate", newer({ mtlsSecurityScheme: {} }), bearer, false],
    ["no credentials", old({ type: "http", scheme: "bearer" }), undefined, false],
    ["an open agent", card(), undefined, true],
  ])("%s", (...[, of, auth, fits]) => {
    expect(refusalOf(() => checkCredentials(of, auth))).toMatch(fits ? /^$/ : /asks for/);
  });

  it("need all schemes of one requirement, of any one", () => {
    const two = card({
      securitySchemes: {
        a: { type: "http", scheme: "bearer" },
        b: { type: "apiKey", in: "header", name: "k" },
      },
      security: [{ a: [], b: [] }, { b: [] }],
    });
    expect(() => checkCredentials(two, bearer)).toThrow(
      /HTTP bearer .* and an API key .*, or an API key/,
    );
    expect(() => checkCredentials(two, key)).not.toThrow();
  });
});

describe("AXD1: a card", () => {
  it("AXD2: needs a name and an address", () => {
    expect(() => readCard({ name: "A" })).toThrow(/must have a name and an address/);
    expect(() => readCard({ url: URL })).toThrow(/got no name/);
  });

  it("is read without its mistyped fields", () => {
    const odd = readCard({
      name: "A",
      supportedInterfaces: [
        null,
        7,
        { url: 5 },
        { url: URL, protocolBinding: "JSONRPC", protocolVersion: 9 },
      ],
      description: { not: "text" },
      skills: "many",
      capabilities: "all",
      security: 3,
      securitySchemes: [],
      defaultOutputModes: [1, "text/plain"],
    });
    expect(odd).toMatchObject({
      description: "",
      skills: [],
      streaming: false,
      security: [],
      outputModes: ["text/plain"],
      interfaces: [{ url: URL, transport: "JSONRPC", version: "1.0" }],
    });
  });

  it("has its versions spoken as 1.0 or 0.3", () => {
    expect(card({ protocolVersion: "0.2.6" }).interfaces[0]?.version).toBe("0.3");
    expect(card().interfaces[0]?.version).toBe("0.3");
    const newer = {
      supportedInterfaces: [{ url: URL, protocolBinding: "JSONRPC", protocolVersion: "1.2" }],
    };
    expect(readCard({ name: "A", ...newer }).interfaces[0]?.version).toBe("1.0");
  });
});
