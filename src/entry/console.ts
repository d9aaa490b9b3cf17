/** The web console: its pages, the changes of runs and their search, sessions of browsers, tokens for front ends. */
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { AccessCallers, accessPart, type AccessOptions } from "../access/access-callers.ts";
import { devPart } from "../access/dev-part.ts";
import { checkPath, pagesPart, type Assets } from "../access/pages-part.ts";
import { sessionsPart, type SessionOptions } from "../access/sessions-part.ts";
import { tokensPart } from "../access/tokens-part.ts";
import { D1Revocations } from "../cloudflare/stores/d1-revocations.ts";
import { D1SessionStore } from "../cloudflare/stores/d1-session-store.ts";
import { watchedSocket } from "../cloudflare/watched-socket.ts";
import type { Part } from "../parts/part.ts";
import { runFeed } from "./run-feed.ts";

export type { AccessOptions } from "../access/access-callers.ts";
export type { SessionOptions, SessionView } from "../access/sessions-part.ts";

/** Features of the console, and its access. */
export type ConsoleOptions = {
  /** Path of its pages. @default "/console" */
  readonly path?: string;
  /** `false` leaves the pages out: sessions and tokens alone. @default true */
  readonly pages?: boolean;
  /** Admits people signed in through Cloudflare Access. @default off */
  readonly access?: AccessOptions;
  /** Sessions of browsers signed in with a key. */
  readonly sessions?: SessionOptions;
};

type Limiter = { limit(options: { readonly key: string }): Promise<{ readonly success: boolean }> };

const OPTIONS = definitionOptions<ConsoleOptions>("console()", {
  path: true,
  pages: true,
  access: true,
  sessions: true,
});

/** The console of an app: `defineApp({ console: console() })`. Throws `invalid_definition` for invalid options. */
export function console(options: ConsoleOptions = {}): readonly Part[] {
  refuseUnknownOptions(options, OPTIONS);
  const { path = "/console", pages = true, access, sessions = {} } = options;
  const people = access === undefined ? undefined : new AccessCallers(access);
  return [
    tokensPart({ revocations: ({ DB }) => new D1Revocations(DB), socket: watchedSocket }),
    sessionsPart(
      sessions,
      {
        sessions: ({ DB }) => new D1SessionStore(DB),
        loginLimit: (env) => {
          const { LOGIN_LIMITER: limiter } = env as { readonly LOGIN_LIMITER?: Limiter };
          return limiter && (async (key) => (await limiter.limit({ key })).success);
        },
      },
      people,
    ),
    ...(people === undefined ? [] : [accessPart(people)]),
    runFeed(),
    ...(pages
      ? [pagesPart(checkPath(path), (env) => (env as { readonly ASSETS?: Assets }).ASSETS)]
      : []),
    devPart(),
  ];
}
