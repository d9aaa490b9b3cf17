// A shop that wants a token, and the authorization server that gives it: OAuth client credentials.
import { openShop, type Shop } from "./mcp-shop.ts";

export const URL_OF = "https://shop.example.com/mcp";
export const ISSUER = "https://auth.example.com";

export type GuardedShopOptions = {
  /** What the authorization server says that its issuer is. */
  readonly issuer?: string;
  readonly expiresIn?: number;
  /** Where the shop says that its tokens come from. */
  readonly authorizationServer?: string;
  readonly tokenEndpoint?: string;
};

export type GuardedShop = {
  readonly shop: Shop;
  readonly fetch: typeof fetch;
  readonly tokenRequests: ReadonlyArray<{
    readonly url: string;
    readonly authorization: string | null;
    readonly body: URLSearchParams;
  }>;
  /** From now on, the last token is refused; `for good` also where it would be refreshed. */
  readonly revoke: (how?: "for good") => void;
};

/** Opens both. */
export function guardedShop(options: GuardedShopOptions = {}): GuardedShop {
  const { issuer = ISSUER, expiresIn = 3_600, authorizationServer = ISSUER } = options;
  const { tokenEndpoint = `${ISSUER}/token` } = options;
  const tokenRequests: Array<{ url: string; authorization: string | null; body: URLSearchParams }> =
    [];
  let current = "";
  let refreshes = true;
  const shop = openShop({
    before: (request) =>
      request.headers.get("authorization") === `Bearer ${current}` && current !== ""
        ? undefined
        : new Response(null, {
            status: 401,
            headers: {
              "www-authenticate": `Bearer resource_metadata="https://shop.example.com/.well-known/oauth-protected-resource/mcp"`,
            },
          }),
  });
  let open = 0;
  const answer: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { origin, pathname } = new URL(request.url);
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return Response.json({ resource: URL_OF, authorization_servers: [authorizationServer] });
    if (pathname.startsWith("/.well-known/"))
      return Response.json({
        issuer,
        authorization_endpoint: `${ISSUER}/authorize`,
        token_endpoint: tokenEndpoint,
        response_types_supported: ["code"],
        grant_types_supported: ["client_credentials", "authorization_code", "refresh_token"],
        token_endpoint_auth_methods_supported: ["client_secret_basic", "none"],
        code_challenge_methods_supported: ["S256"],
      });
    if (pathname === "/token") {
      tokenRequests.push({
        url: `${origin}${pathname}`,
        authorization: request.headers.get("authorization"),
        body: new URLSearchParams(await request.text()),
      });
      const { body } = tokenRequests.at(-1) ?? { body: new URLSearchParams() };
      const grant = body.get("grant_type");
      const isBad = grant === "authorization_code" && body.get("code") !== "the-code";
      if (isBad || (grant === "refresh_token" && !refreshes))
        return Response.json({ error: "invalid_grant" }, { status: 400 });
      current = `token-number-${tokenRequests.length}`;
      return Response.json({
        access_token: current,
        token_type: "Bearer",
        expires_in: expiresIn,
        refresh_token: "the-refresh-token",
      });
    }
    return shop.fetch(input, init);
  };
  return {
    shop: { ...shop, underWay: () => open + shop.underWay() },
    fetch: async (input, init) => {
      open += 1;
      try {
        return await answer(input, init);
      } finally {
        open -= 1;
      }
    },
    tokenRequests,
    revoke: (how) => {
      current = "another";
      refreshes = how === undefined;
    },
  };
}
