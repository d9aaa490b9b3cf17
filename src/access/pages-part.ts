// The pages of the console: static, without data, and public.
//
//   CPG1. Every page path below the console's path serves the one page. A missing file is 404, never a page.
//   CPG2. Responses of the Worker have the same headers as assets.
import { invalidDefinition } from "../base/invalid-definition.ts";
import { EngineError } from "../base/error.ts";
import { operation, type Operation, type OperationRequest } from "../parts/operation.ts";
import type { Part, PartEnv } from "../parts/part.ts";
import { ASSET_CACHE, PAGE_CACHE, PAGE_HEADERS } from "./page-headers.ts";

/** Source of the files: the binding `ASSETS`. */
export interface Assets {
  fetch(request: Request): Promise<Response>;
}

const LINES = `[assets]
directory = "node_modules/edgecrew/dist/console-root"
binding = "ASSETS"`;

export function checkPath(path: string): string {
  if (/^(\/[\w.~-]+)+$/.test(path)) return path;
  throw invalidDefinition(
    `console(): path must begin with a slash and end without one, such as "/console", got ${JSON.stringify(path)}`,
  );
}

export function pagesPart(path: string, assetsOf: (env: PartEnv) => Assets | undefined): Part {
  return {
    name: "console",
    docs: "console.md",
    bind: ({ env }) => ({
      operations: pageOperations({ path, home: `${path}/` }, assetsOf(env)),
    }),
  };
}

function pageOperations(
  { path, home }: { readonly path: string; readonly home: string },
  assets: Assets | undefined,
): readonly Operation[] {
  const shared = {
    group: "Console",
    method: "get",
    scope: "none",
    problems: [404, 503],
    sample: { needs: "a browser" },
  } as const;
  const page = { 200: { description: "The page or file", types: ["text/html", "*/*"] } };
  const away = { 307: { description: "Address of the console", headers: ["Location"] } } as const;
  const toHome = async (): Promise<Response> =>
    new Response(null, { status: 307, headers: { location: home } });
  return [
    operation({
      ...shared,
      id: "home",
      path: "/",
      summary: "Redirect to the console",
      answers: away,
      handle: toHome,
    }),
    operation({
      ...shared,
      id: "consolePage",
      path,
      summary: "The console, for browsers",
      answers: { ...page, ...away },
      // The page also answers for the path with a trailing slash.
      handle: async ({ raw }) =>
        new URL(raw.url).pathname.endsWith("/") ? serve(assets, raw, "") : toHome(),
    }),
    operation({
      ...shared,
      id: "consoleFile",
      path: `${path}/{+path}`,
      summary: "A page or a file of the console",
      answers: page,
      handle: ({ raw, params }: OperationRequest) => serve(assets, raw, params["path"] ?? ""),
    }),
  ];
}

async function serve(
  assets: Assets | undefined,
  request: Request,
  name: string,
): Promise<Response> {
  if (assets === undefined)
    throw new EngineError(
      "not_configured",
      `the pages of the console are not served here: add to wrangler.toml\n\n${LINES}\n`,
    );
  const isAsset = name.startsWith("assets/");
  const wantsPage = (request.headers.get("accept") ?? "*/*").includes("text/html");
  const file = name === "" || (!isAsset && wantsPage) ? "" : name;
  const url = new URL(request.url);
  // Assets know neither the app's base path nor a changed path of the console.
  url.pathname = `/console/${file}`;
  const found = await assets.fetch(new Request(url, { method: request.method }));
  if (!found.ok) {
    await found.body?.cancel();
    throw new EngineError(
      file === "" ? "not_configured" : "not_found",
      file === ""
        ? "the pages of the console are not built: `npm run build` builds them, and the package has them"
        : `there is no file ${name} in the console`,
    );
  }
  return served(found, isAsset ? ASSET_CACHE : PAGE_CACHE);
}

function served(found: Response, cache: string): Response {
  const headers = new Headers(found.headers);
  for (const [name, value] of Object.entries(PAGE_HEADERS)) headers.set(name, value);
  headers.set("cache-control", cache);
  return new Response(found.body, { status: found.status, headers });
}
