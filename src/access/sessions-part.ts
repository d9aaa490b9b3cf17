// Login of browsers: `/session` and `/sessions`.
import * as z from "zod";
import { isoTime } from "../base/clock.ts";
import { sha256Hex } from "../base/sha256.ts";
import { DEFAULT_TENANT, isOpenTo } from "../parts/auth-settings.ts";
import { isValidKey, type Scope } from "../parts/key-store.ts";
import { operation, type Operation } from "../parts/operation.ts";
import type { Part, PartCaller, PartEnv, PartHost } from "../parts/part.ts";
import { HttpError } from "../parts/problem.ts";
import { equalInConstantTime } from "../security/constant-time.ts";
import { isLoopbackRequest } from "../security/loopback.ts";
import type { AccessCallers } from "./access-callers.ts";
import { checkOwnOrigin } from "./own-origin.ts";
import {
  adminMark,
  cookieOf,
  NO_COOKIE,
  sessionCaller,
  sessionCallers,
  sessionHash,
} from "./session-callers.ts";
import type { BrowserSession, SessionStore } from "./session-store.ts";
import { shape, type ViewOf } from "../parts/shape.ts";

/** Options for browsers that sign in with a key. */
export type SessionOptions = {
  /** Default lifetime of a session, in seconds. @default 43_200 */
  readonly maxAgeSeconds?: number;
};

/** Returns false if a client address has tried too often, in deployments with a limit. */
export type LoginLimit = (address: string) => Promise<boolean>;

export type SessionPorts = {
  readonly sessions: (env: PartEnv) => SessionStore;
  readonly loginLimit: (env: PartEnv) => LoginLimit | undefined;
};

const loginBody = z.strictObject({
  key: z.string().min(1).max(4096),
  by: z.string().min(1).max(100).optional().describe("Your name, which answers to waits carry."),
  maxAgeSeconds: z.number().int().min(60).max(604_800).optional(),
});

export type LoginBody = z.input<typeof loginBody>;

export const browserSessionShape = shape("BrowserSession", () =>
  z.strictObject({
    authenticated: z.boolean(),
    via: z.string().optional().describe("`session`, `access`, `key`, `token` or `open`"),
    tenant: z.string().optional(),
    scopes: z.array(z.enum(["run", "read", "answer", "admin"])).optional(),
    by: z.string().optional(),
    expiresAt: z.string().optional(),
    mode: z.enum(["open", "keys"]),
    methods: z.array(z.enum(["key", "access"])),
    noKeyYet: z.literal(true).optional(),
  }),
);

/** Body of `GET /session`. */
export type SessionView = ViewOf<typeof browserSessionShape>;

const ALL: readonly Scope[] = ["run", "read", "admin"];
const NO_STORE = { "cache-control": "no-store" } as const;

export function sessionsPart(
  { maxAgeSeconds: usualAge = 43_200 }: SessionOptions,
  ports: SessionPorts,
  access?: AccessCallers,
): Part {
  return {
    name: "sessions",
    docs: "console-access.md",
    migrations: ["0029_sessions.sql"],
    bind: (host) => {
      const sessions = ports.sessions(host.env);
      const desk = new SessionDesk(host, { sessions, access });
      return {
        operations: sessionOperations(desk, {
          usualAge,
          limit: ports.loginLimit(host.env),
        }),
        callers: sessionCallers(host, sessions),
        due: () => sessions.sweep(host.clock.now()),
      };
    },
  };
}

type DeskPorts = {
  readonly sessions: SessionStore;
  readonly access: AccessCallers | undefined;
};

/** Finds and makes sessions. */
class SessionDesk {
  readonly #host: PartHost;
  readonly #sessions: SessionStore;
  readonly #access: AccessCallers | undefined;

  constructor(host: PartHost, { sessions, access }: DeskPorts) {
    this.#host = host;
    this.#sessions = sessions;
    this.#access = access;
  }

  get sessions(): SessionStore {
    return this.#sessions;
  }

  /** Returns the browser's identity, from the credentials it sends with every request. */
  async view(request: Request): Promise<SessionView> {
    const hash = sessionHash(request);
    const found = hash === undefined ? undefined : await this.#sessions.find(hash);
    const session = sessionCaller(found, this.#host);
    if (session !== undefined && found !== undefined)
      return this.#shown(session, found.expiresAtMs);
    const person = await this.#access?.find(request).catch(() => undefined);
    if (person !== undefined) return this.#shown(person);
    if (isOpenTo(this.#host.auth, request))
      return this.#shown({ tenant: DEFAULT_TENANT, scopes: ALL, via: "open" });
    const { adminKey = "" } = this.#host.auth;
    const hasKey = adminKey !== "" || (await this.#host.keys.any());
    return {
      authenticated: false,
      ...this.#methods(),
      ...(hasKey ? undefined : { noKeyYet: true as const }),
    };
  }

  /** Fails with `unauthorized` for an unknown key. */
  async login({ key, by, ageMs }: { key: string; by: string | undefined; ageMs: number }): Promise<{
    readonly secret: string;
    readonly view: SessionView;
  }> {
    const { clock, randomSecret } = this.#host;
    const owner = await this.#owner(key);
    const createdAtMs = clock.now();
    const session: BrowserSession = {
      ...owner,
      ...(by === undefined ? undefined : { by }),
      createdAtMs,
      expiresAtMs: createdAtMs + ageMs,
    };
    const secret = randomSecret();
    await this.#sessions.add(session, sha256Hex(secret));
    const { tenant, scopes } = session;
    const caller = { tenant, scopes, via: "session", ...(by === undefined ? {} : { by }) } as const;
    return { secret, view: this.#shown(caller, session.expiresAtMs) };
  }

  async #owner(
    key: string,
  ): Promise<Pick<BrowserSession, "tenant" | "scopes" | "keyId" | "adminMark">> {
    const { auth, keys, clock } = this.#host;
    const { adminKey = "" } = auth;
    const hash = sha256Hex(key);
    if (adminKey !== "" && equalInConstantTime(hash, sha256Hex(adminKey)))
      return { tenant: DEFAULT_TENANT, scopes: ALL, adminMark: adminMark(adminKey) };
    const known = await keys.find(hash);
    if (isValidKey(known, clock.now()))
      return { tenant: known.tenant, scopes: known.scopes, keyId: known.id };
    throw new HttpError("unauthorized", "the API key is not known, was deleted, or has expired", {
      headers: { "www-authenticate": 'Bearer realm="edgecrew", error="invalid_token"' },
    });
  }

  #shown(caller: PartCaller, expiresAtMs?: number): SessionView {
    const { via = "other", tenant, scopes, by } = caller;
    return {
      authenticated: true,
      via,
      tenant,
      scopes,
      ...(by === undefined ? undefined : { by }),
      ...(expiresAtMs === undefined ? undefined : { expiresAt: isoTime(expiresAtMs) }),
      ...this.#methods(),
    };
  }

  #methods(): Pick<SessionView, "mode" | "methods"> {
    return {
      mode: this.#host.auth.mode === "keys" ? "keys" : "open",
      methods: this.#access === undefined ? ["key"] : ["key", "access"],
    };
  }
}

const shared = { group: "Sessions" } as const;

type LoginRules = {
  /** In seconds. */
  readonly usualAge: number;
  readonly limit: LoginLimit | undefined;
};

function sessionOperations(desk: SessionDesk, login: LoginRules): readonly Operation[] {
  return [showSession(desk), signIn(desk, login), signOut(desk), endSessions(desk)];
}

function showSession(desk: SessionDesk): Operation {
  return operation({
    ...shared,
    id: "showSession",
    method: "get",
    path: "/session",
    scope: "none",
    summary: "Show the identity of this browser",
    description: "Needs no credential, and answers 200 always.",
    answers: { 200: { description: "The session", shape: browserSessionShape } },
    problems: [],
    handle: async ({ raw }) => ({ status: 200, json: await desk.view(raw), headers: NO_STORE }),
  });
}

function signIn(desk: SessionDesk, { usualAge, limit }: LoginRules): Operation {
  return operation({
    ...shared,
    id: "signIn",
    method: "post",
    path: "/session",
    scope: "none",
    summary: "Sign in with an API key",
    description:
      "Sets a cookie that only pages of this origin can use. The session ends with its key.",
    body: { name: "SignIn", schema: loginBody, required: true },
    answers: { 201: { description: "The session", shape: browserSessionShape } },
    problems: [400, 401, 403, 429],
    example: { key: "ec_the-key", by: "Kim" },
    sample: { needs: "an API key" },
    handle: async ({ raw, body: { key, by, maxAgeSeconds = usualAge } }) => {
      checkOwnOrigin(raw, { mayBeNoBrowser: true });
      if (new URL(raw.url).protocol !== "https:" && !isLoopbackRequest(raw))
        throw new HttpError(
          "invalid_input",
          `browsers keep this cookie over https, or from this machine alone: ${new URL(raw.url).origin} is neither`,
        );
      const address = raw.headers.get("cf-connecting-ip") ?? "";
      if (limit !== undefined && !(await limit(address)))
        throw new HttpError("rate_limited", "too many logins from this address: wait a minute", {
          headers: { "retry-after": "60" },
        });
      const { secret, view } = await desk.login({ key, by, ageMs: maxAgeSeconds * 1000 });
      const headers = { ...NO_STORE, "set-cookie": cookieOf(secret, maxAgeSeconds) };
      return { status: 201, json: view, headers };
    },
  });
}

function signOut(desk: SessionDesk): Operation {
  return operation({
    ...shared,
    id: "signOut",
    method: "delete",
    path: "/session",
    scope: "none",
    summary: "Sign out",
    answers: { 204: { description: "The session is gone, and the cookie cleared" } },
    problems: [403],
    handle: async ({ raw }) => {
      const hash = sessionHash(raw);
      if (hash !== undefined) {
        checkOwnOrigin(raw);
        await desk.sessions.delete(hash);
      }
      return { status: 204, headers: { ...NO_STORE, "set-cookie": NO_COOKIE } };
    },
  });
}

function endSessions(desk: SessionDesk): Operation {
  return operation({
    ...shared,
    id: "endSessions",
    method: "delete",
    path: "/sessions",
    scope: "admin",
    summary: "End all sessions of the tenant",
    answers: { 204: { description: "Every browser has to sign in again" } },
    problems: [],
    handle: async ({ tenant }) => {
      await desk.sessions.deleteAll(tenant);
      return { status: 204 };
    },
  });
}
