// Settings of remote agents, in code and in data.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { remoteAgent } from "../../../../../src/entry/a2a.ts";
import { readClientConfig } from "../../../../../src/protocols/a2a/client/config.ts";
import { namedExtension } from "../../../../../src/protocols/a2a/client/named-extension.ts";
import { readServerConfig } from "../../../../../src/protocols/a2a/server-config.ts";

const ENDPOINT = "https://agents.example.com/weather";
const read = (settings: object): ReturnType<typeof readClientConfig> =>
  readClientConfig({ endpoint: ENDPOINT, ...settings }, namedExtension);

describe("AXC1: settings", () => {
  it("have defaults", () => {
    expect(read({})).toEqual({
      config: {
        endpoint: ENDPOINT,
        timeout: 120,
        maxTurns: 10,
        failFast: true,
        trustRemoteCompletionStatus: false,
        updates: { type: "streaming" },
        acceptedOutputModes: ["application/json"],
        extensions: [],
        clientExtensions: [],
        transport: { supported: ["JSONRPC", "HTTP+JSON"] },
        delegation: "tools",
        inputRequired: "model",
      },
      warnings: [],
    });
  });

  it.each([
    [{ timeuot: 3 }, "/timeuot is not a known field"],
    [{ transport: { wire: 1 } }, "/transport/wire is not a known field"],
    [{ updates: { type: "polling", every: 1 } }, "/updates/every is not a known field"],
    [{ auth: { type: "bearer", token: "t", user: "x" } }, "/auth/user is not a known field"],
    [{ endpoint: "ftp://x" }, "/endpoint"],
    [{ maxTurns: 0 }, "/maxTurns"],
    [{ timeout: "fast" }, "/timeout"],
    [{ updates: "sometimes" }, "/updates"],
    [{ transport: { supported: ["GRPC"] } }, "gRPC cannot be spoken from here"],
    [{ clientExtensions: [{}] }, "extension object"],
    [{ clientExtensions: ["sound"] }, "a2ui"],
    [{ cardSignature: {} }, "keys or a jwksUrl"],
    [{ updates: { type: "push", signature: { mode: "hmac_sha256" } } }, "secret"],
  ])("refuses %j", (settings, message) => {
    expect(() => read(settings)).toThrow(message);
  });

  it("refuses own certificates, and names the alternative", () => {
    const auth = { type: "bearer", token: "t", tls: { client_cert_path: "/x.pem" } };
    expect(() => read({ auth })).toThrow("pass a2aClient({ fetch }) the fetch of an mTLS binding");
    expect(read({ auth: { token: "t", tls: { verify: true } } }).config.auth).toEqual({
      type: "bearer",
      token: "t",
    });
  });

  it("takes over deprecated fields, each with a warning", () => {
    const { config, warnings } = read({
      transport_protocol: "HTTP+JSON",
      supported_transports: ["HTTP+JSON", "JSONRPC"],
      use_client_preference: true,
    });
    expect(config.transport).toEqual({
      preferred: "HTTP+JSON",
      supported: ["HTTP+JSON", "JSONRPC"],
    });
    expect(warnings).toEqual([
      "supported_transports is deprecated: use transport.supported",
      "transport_protocol is deprecated: use transport.preferred",
      "use_client_preference is deprecated: use transport.preferred",
    ]);
  });
});

describe("AXC2: settings in data", () => {
  it("may have snake_case names at every level, and nulls", () => {
    const { config } = read({
      max_turns: 3,
      fail_fast: false,
      auth: { api_key: { secret: "KEY" }, location: "query", name: "k" },
      updates: { interval: 5, max_polls: 7, history_length: 4, timeout: null },
      accepted_output_modes: ["text/plain"],
      transport: { jsonrpc: { max_request_size: 1000 }, grpc: { keepalive_time_ms: 5 } },
      response_model: { type: "object", properties: { in_snake: { type: "string" } } },
      client_extensions: [{ type: "a2ui", allowed_components: ["Text"] }],
    });
    expect(config).toMatchObject({
      maxTurns: 3,
      failFast: false,
      auth: { type: "apiKey", location: "query", name: "k", apiKey: { secret: "KEY" } },
      updates: { type: "polling", interval: 5, maxPolls: 7, historyLength: 4 },
      transport: { jsonrpc: { maxRequestSize: 1000 } },
      responseModel: { properties: { in_snake: { type: "string" } } },
    });
    expect(config.clientExtensions).toHaveLength(1);
  });

  it.each([
    [{ token: "t" }, "bearer"],
    [{ username: "u", password: "p" }, "basic"],
    [{ type: "HTTPDigestAuth", username: "u", password: "p" }, "digest"],
    [
      { token_url: "https://x.example.com", client_id: "i", client_secret: "s" },
      "oauth2ClientCredentials",
    ],
    [
      {
        authorization_url: "https://x.example.com/a",
        token_url: "https://x.example.com/t",
        client_id: "i",
        client_secret: "s",
        redirect_uri: "https://me.example.com",
      },
      "oauth2AuthorizationCode",
    ],
  ])("reads the kind of auth from its fields: %j", (auth, type) => {
    expect(read({ auth }).config.auth).toMatchObject({ type });
  });

  it.each([
    ["push", { type: "push", timeout: 300 }],
    [{ url: "https://me.example.com" }, { type: "push", url: "https://me.example.com" }],
    [{}, { type: "streaming" }],
    [{ interval: 1 }, { type: "polling", historyLength: 100 }],
  ])("reads the kind of updates from their fields: %j", (updates, expected) => {
    expect(read({ updates }).config.updates).toMatchObject(expected);
  });

  it("takes a secret for a signature, by name too", () => {
    const signed = (signature: unknown): unknown =>
      (read({ updates: { type: "push", signature } }).config.updates as { signature?: unknown })
        .signature;
    const defaults = { mode: "hmac_sha256", tolerance: 300, headerName: "X-A2A-Signature" };
    expect(signed("s3cret")).toMatchObject({ ...defaults, secret: "s3cret" });
    expect(signed({ secret: "NAME" })).toMatchObject({ ...defaults, secret: { secret: "NAME" } });
    expect(signed({ secret: { secret: "NAME" }, tolerance: 10 })).toMatchObject({
      tolerance: 10,
      secret: { secret: "NAME" },
    });
  });

  it("warns about an unnecessary result store", () => {
    expect(read({ updates: { url: "https://me.example.com", result_store: {} } }).warnings).toEqual(
      ["updates.result_store is not needed: the run itself waits for the callback"],
    );
  });
});

it("takes a zod schema for the answer in code", () => {
  const { config } = read({ responseModel: z.object({ rain: z.boolean() }) });
  expect(config.responseModel).toMatchObject({ properties: { rain: { type: "boolean" } } });
});

it("is checked at its definition", () => {
  expect(() => remoteAgent("weather")).toThrow(/endpoint/);
  expect(() => remoteAgent({ endpoint: ENDPOINT, maxTurns: -1 })).toThrow(/maxTurns/);
});

describe("settings that offer an agent", () => {
  it("have defaults, and refuse unknown fields", () => {
    expect(readServerConfig({})).toMatchObject({
      version: "1.0.0",
      protocolVersion: "0.3.0",
      capabilities: { streaming: true, pushNotifications: false },
      transport: { preferred: "JSONRPC", jsonrpc: { rpcPath: "/a2a" } },
    });
    expect(() => readServerConfig({ nmae: "x" })).toThrow("/nmae is not a known field");
    expect(() => readServerConfig({ signing_config: {} })).toThrow("exactly one of");
  });
});
