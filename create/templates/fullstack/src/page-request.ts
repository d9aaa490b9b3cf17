/** What the page's requests depend on. */
export type PageEnv = {
  readonly EDGECREW_AUTH?: string;
  /** The key of the API. It stays in the Worker. */
  readonly EDGECREW_ADMIN_KEY?: string;
  /** What a visitor has to type. */
  readonly PAGE_PASSWORD?: string;
};

/** All that the page may do: start this flow, follow a run whose id it knows, and answer. */
const ALLOWED = [
  /^POST \/flows\/briefing\/kickoff$/,
  /^GET \/runs\/[\w-]+(\/events)?$/,
  /^POST \/runs\/[\w-]+\/resume$/,
];

/** A request of the page as one of the API, with the key that the browser does not have; or the answer that refuses it. */
export async function pageRequest(request: Request, env: PageEnv): Promise<Request | Response> {
  const url = new URL(request.url);
  url.pathname = url.pathname.replace(/^\/app/, "");
  if (!ALLOWED.some((each) => each.test(`${request.method} ${url.pathname}`)))
    return new Response("the page has no such request", { status: 404 });
  if (env.EDGECREW_AUTH !== "open" && !(await hasPassword(request, env.PAGE_PASSWORD)))
    return new Response("wrong password, or PAGE_PASSWORD is not set", {
      status: 401,
      headers: { "www-authenticate": 'Basic realm="page"' },
    });
  const headers = new Headers(request.headers);
  headers.delete("authorization");
  if (env.EDGECREW_ADMIN_KEY) headers.set("authorization", `Bearer ${env.EDGECREW_ADMIN_KEY}`);
  return new Request(url, new Request(request, { headers }));
}

/** Hashes are compared, so that the time it takes says nothing about the password. */
async function hasPassword(request: Request, password: string | undefined): Promise<boolean> {
  const [, encoded = ""] = /^Basic (\S+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
  if (!password) return false;
  const typed = Buffer.from(encoded, "base64")
    .toString()
    .replace(/^[^:]*:/, "");
  const [a, b] = await Promise.all([typed, password].map(hashOf));
  return a === b;
}

async function hashOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(hash).toString("hex");
}
