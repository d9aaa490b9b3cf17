// MCP servers in this isolate: a shop, and one that wants a token.
import { guardedShop, URL_OF } from "../../support/mcp-guarded-shop.ts";
import { openShop } from "../../support/mcp-shop.ts";

export const shop = openShop();
export const guarded = guardedShop();

const oauth = { clientId: "crew", clientSecret: "a-secret-of-the-crew" };

/** The servers that agents may name. */
export const catalog = {
  shop: { url: "https://open.example.com/mcp", name: "shop" },
  guarded: { url: URL_OF, name: "guarded", auth: { oauth } },
};

export const fetchFromShop: typeof fetch = (input, init) =>
  new URL(new Request(input).url).hostname === "open.example.com"
    ? shop.fetch(input, init)
    : guarded.fetch(input, init);
