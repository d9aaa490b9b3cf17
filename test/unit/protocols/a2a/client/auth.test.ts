// Credentials: how requests carry them, how they are renewed, and where they never go.
import { describe, expect, it } from "vitest";
import { md5Hex } from "../../../../../src/base/digest.ts";
import {
  remoteAgent,
  type A2AAuth,
  type OAuth2AuthorizationCode,
} from "../../../../../src/entry/a2a.ts";
import { AgentAccess, type A2AAccess } from "../../../../../src/protocols/a2a/client/access.ts";
import {
  Credentials,
  type TokenCache,
} from "../../../../../src/protocols/a2a/client/credentials.ts";
import {
  digestAnswer,
  digestChallenge,
} from "../../../../../src/protocols/a2a/client/digest-auth.ts";
import { authSchema } from "../../../../../src/protocols/a2a/client/auth-config.ts";
import { SimulatedClock } from "../../../../../src/testing/simulated-clock.ts";
import { askingInTurn } from "../../../../support/a2a-asking.ts";
import {
  a2aPeer,
  json,
  type PeerOptions,
  type PeerRequest,
  bodyOf,
} from "../../../../support/a2a-peer.ts";
import {
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
} from "../../../../support/crew-harness.ts";

async function asked(auth: A2AAuth, options: PeerOptions = {}) {
  const peer = a2aPeer(options);
  const { agent, model } = scriptedAgent(askingInTurn(["Rain?"]), {
    a2a: remoteAgent({ endpoint: peer.url, auth, updates: "polling" }, { fetch: peer.fetch }),
  });
  const run = await runCrewToEnd(soloCrew(agent));
  return { peer, run, told: lastTold(model, 1) };
}

const isCard = ({ method }: PeerRequest): boolean => method === "GET";

describe("credentials in requests", () => {
  it.each<[A2AAuth, (request: PeerRequest | undefined) => unknown, string]>([
    [{ type: "bearer", token: "tok" }, (sent) => sent?.headers.get("authorization"), "Bearer tok"],
    [
      { type: "basic", username: "ann", password: "pä:ss" },
      (sent) => sent?.headers.get("authorization"),
      `Basic ${Buffer.from("ann:pä:ss").toString("base64")}`,
    ],
    [{ type: "apiKey", apiKey: "k1" }, (sent) => sent?.headers.get("x-api-key"), "k1"],
    [
      { type: "apiKey", apiKey: "k 1&2", location: "query", name: "key" },
      (sent) => new URL(sent?.url ?? "").searchParams.get("key"),
      "k 1&2",
    ],
    [
      { type: "apiKey", apiKey: "k;1", location: "cookie", name: "key" },
      (sent) => sent?.headers.get("cookie"),
      "key=k%3B1",
    ],
  ])("%j", async (auth, shown, expected) => {
    const { peer, told } = await asked(auth);
    expect(told).toBe("You said: Rain?");
    expect(shown(peer.requests[0])).toBe(expected);
    expect(shown(peer.sends()[0])).toBe(expected);
  });
});

describe("AXH1: a 401", () => {
  it("has the request sent again, at most three times", async () => {
    let refusals = 2;
    const { told, run } = await asked(
      { type: "bearer", token: "tok" },
      { before: (request) => (isCard(request) || refusals-- <= 0 ? undefined : json({}, 401)) },
    );
    expect(told).toBe("You said: Rain?");
    expect(run.kept("a2a_authentication_failed")).toMatchObject([
      { authType: "bearer", statusCode: 401 },
      { authType: "bearer", statusCode: 401 },
    ]);
    const never = await asked(
      { type: "bearer", token: "tok-that-is-secret" },
      {
        before: (request) =>
          isCard(request) ? undefined : json({ got: "tok-that-is-secret" }, 401),
      },
    );
    expect(never.told).toContain("refused the credentials (401): check auth");
    expect(never.peer.sends()).toHaveLength(4);
  });

  it("is not sent again without credentials", async () => {
    const peer = a2aPeer({ before: (request) => (isCard(request) ? undefined : json({}, 401)) });
    const { agent, model } = scriptedAgent(askingInTurn(["Rain?"]), {
      a2a: remoteAgent({ endpoint: peer.url, updates: "polling" }, { fetch: peer.fetch }),
    });
    await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 1)).toContain("check auth");
    expect(peer.sends()).toHaveLength(1);
  });

  it("with a challenge is answered by digest", async () => {
    const { peer, told } = await asked(
      { type: "digest", username: "ann", password: "secret-word" },
      {
        before: (request) => {
          if (request.headers.has("authorization")) return undefined;
          return new Response(null, {
            status: 401,
            headers: {
              "www-authenticate":
                'Basic realm="x", Digest realm="weather, etc", nonce="n\\"1", qop="auth-int, auth", opaque="o"',
            },
          });
        },
      },
    );
    expect(told).toBe("You said: Rain?");
    const sent = peer.sends().at(-1);
    const header = sent?.headers.get("authorization") ?? "";
    const fields = Object.fromEntries(
      Array.from(header.matchAll(/(\w+)="?([^",]+)"?/g), ([, name, value]) => [name, value]),
    );
    expect(header).toMatch(
      /^Digest username="ann", realm="weather, etc", nonce="n\\"1", uri="\/rpc"/,
    );
    const a1 = md5Hex("ann:weather, etc:secret-word");
    const a2 = md5Hex("POST:/rpc");
    const cnonce = /cnonce="([^"]+)"/.exec(header)?.[1];
    expect(/response="([^"]+)"/.exec(header)?.[1]).toBe(
      md5Hex(`${a1}:n"1:${fields["nc"]}:${cnonce}:auth:${a2}`),
    );
  });
});

it("answers a digest challenge as RFC 7616 section 3.9.1 does, by MD5 and SHA-256", () => {
  const challenge = (algorithm: string) =>
    digestChallenge(
      `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`,
    );
  const request = {
    method: "GET",
    url: new URL("http://www.example.org/dir/index.html"),
    username: "Mufasa",
    password: "Circle of Life",
    count: 1,
    clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
  };
  expect(digestAnswer(challenge("MD5")!, request)).toContain(
    'response="8ca523f5e9506fed4657c9700eebdbec"',
  );
  expect(digestAnswer(challenge("SHA-256")!, request)).toContain(
    'response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"',
  );
  expect(digestChallenge('Digest realm="x", nonce="n", algorithm=SHA-512')).toBeUndefined();
  expect(digestChallenge("Bearer")).toBeUndefined();
});

describe("AXN2: credentials of another kind than the card asks for", () => {
  it("are not sent", async () => {
    const peer = a2aPeer({
      card: {
        securitySchemes: { s: { httpAuthSecurityScheme: { scheme: "bearer" } } },
        securityRequirements: [{ schemes: { s: { list: [] } } }],
      },
    });
    const { agent } = scriptedAgent(["x"], { a2a: remoteAgent(peer.url, { fetch: peer.fetch }) });
    const failed = await runCrewToFailure(soloCrew(agent));
    expect(failed.error).toMatchObject({ code: "unauthorized" });
    expect(failed.error.message).toContain("asks for HTTP bearer");
    expect(failed.kept("a2a_authentication_failed")).toMatchObject([{ statusCode: 401 }]);
    expect(peer.sends()).toEqual([]);
  });
});

type Tokens = {
  readonly forms: URLSearchParams[];
  readonly credentials: Credentials;
  readonly clock: SimulatedClock;
};

function tokens(
  auth: A2AAuth,
  answers: ReadonlyArray<object | Response>,
  cache: TokenCache = new Map(),
): Tokens {
  const clock = new SimulatedClock();
  const forms: URLSearchParams[] = [];
  const fetch = (async (_: unknown, init?: RequestInit) => {
    forms.push(new URLSearchParams(bodyOf(init)));
    const answer = answers[Math.min(forms.length, answers.length) - 1];
    return answer instanceof Response ? answer : json(answer);
  }) as typeof globalThis.fetch;
  const base: A2AAccess = { tenant: "t", clock, fetch, outbound: {}, variables: {} };
  const access = new AgentAccess(base, "https://weather.example.com", false);
  return { forms, clock, credentials: new Credentials(authSchema.parse(auth), access, cache) };
}

async function sentHeader(credentials: Credentials): Promise<string | null> {
  const headers = new Headers();
  await credentials.apply({
    method: "POST",
    url: new URL("https://weather.example.com/rpc"),
    headers,
  });
  return headers.get("authorization");
}

describe("AXE1: tokens", () => {
  const auth: A2AAuth = {
    type: "oauth2ClientCredentials",
    tokenUrl: "https://login.example.com/token",
    clientId: "me",
    clientSecret: "mine-all-mine",
    scopes: ["a", "b"],
  };

  it("are cached until shortly before they expire, and requested once for parallel requests", async () => {
    const { credentials, forms, clock } = tokens(auth, [
      { access_token: "t1", expires_in: 100 },
      { access_token: "t2", expires_in: 100 },
    ]);
    expect(await Promise.all([sentHeader(credentials), sentHeader(credentials)])).toEqual([
      "Bearer t1",
      "Bearer t1",
    ]);
    await clock.advance(69_000);
    expect(await sentHeader(credentials)).toBe("Bearer t1");
    await clock.advance(2_000);
    expect(await sentHeader(credentials)).toBe("Bearer t2");
    expect(forms).toHaveLength(2);
    expect(Object.fromEntries(forms[0]!)).toEqual({
      grant_type: "client_credentials",
      scope: "a b",
      client_id: "me",
      client_secret: "mine-all-mine",
    });
  });

  it("AXE2: are asked for again after a 401", async () => {
    const { credentials, forms } = tokens(auth, [{ access_token: "t1" }, { access_token: "t2" }]);
    await sentHeader(credentials);
    await credentials.refused(json({}, 401));
    expect(await sentHeader(credentials)).toBe("Bearer t2");
    expect(forms).toHaveLength(2);
  });

  it.each([
    [{ error: "invalid_client", error_description: "who?" }, "who?"],
    [new Response("<html>"), "gave no token (200)"],
    [new Response("x".repeat(70_000)), "more than 65536 bytes"],
    [
      new Response(null, { status: 307, headers: { location: "https://x.example.com" } }),
      "must not redirect",
    ],
  ])("fail with the provider's reason", async (answer, message) => {
    const { credentials } = tokens(auth, [answer]);
    await expect(sentHeader(credentials)).rejects.toThrow(message);
  });

  it("are never fetched from a private address beyond the endpoint in code", async () => {
    const { credentials } = tokens({ ...auth, tokenUrl: "http://169.254.169.254/token" }, [{}]);
    await expect(sentHeader(credentials)).rejects.toThrow("private network");
  });
});

describe("an authorization code", () => {
  const auth: OAuth2AuthorizationCode = {
    type: "oauth2AuthorizationCode",
    authorizationUrl: "https://login.example.com/authorize?x=1",
    tokenUrl: "https://login.example.com/token",
    clientId: "me",
    clientSecret: "mine-all-mine",
    redirectUri: "https://me.example.com/back",
    scopes: ["read"],
  };

  it("comes from a callback in code, with PKCE, and its token is refreshed", async () => {
    let address = new URL("https://none.example.com");
    const { credentials, forms, clock } = tokens(
      {
        ...auth,
        authorize: (to) => {
          address = new URL(to);
          return "code-1";
        },
      },
      [
        { access_token: "t1", expires_in: 100, refresh_token: "r1" },
        { access_token: "t2", expires_in: 100 },
        { access_token: "t3", expires_in: 100 },
      ],
    );
    expect(await sentHeader(credentials)).toBe("Bearer t1");
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      x: "1",
      response_type: "code",
      client_id: "me",
      redirect_uri: auth.redirectUri,
      scope: "read",
      code_challenge_method: "S256",
    });
    const verifier = forms[0]?.get("code_verifier") ?? "";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    expect(address.searchParams.get("code_challenge")).toBe(
      Buffer.from(digest).toString("base64url"),
    );
    await clock.advance(200_000);
    expect(await sentHeader(credentials)).toBe("Bearer t2");
    expect(forms[1]?.get("refresh_token")).toBe("r1");
    await clock.advance(200_000);
    expect(await sentHeader(credentials)).toBe("Bearer t3");
    expect(forms[2]?.get("refresh_token")).toBe("r1");
  });

  it("is not needed with a refresh token, and cannot be had in data without one", async () => {
    const refreshed = tokens({ ...auth, refreshToken: "r0" }, [{ access_token: "t1" }]);
    expect(await sentHeader(refreshed.credentials)).toBe("Bearer t1");
    expect(refreshed.forms[0]?.get("grant_type")).toBe("refresh_token");
    const { credentials } = tokens(auth, []);
    await expect(sentHeader(credentials)).rejects.toThrow(
      "set authorize (in code), or a refreshToken",
    );
  });
});
