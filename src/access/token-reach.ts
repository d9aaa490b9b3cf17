// Access rights of front-end tokens.
//
//   TKR1. Each scope allows a few operations on the named runs and their children, or on the target. Everything else is
//         forbidden, with an error naming the scope; unnamed runs are not found.
//   TKR2. A target without a session starts once: the run's id is the token's id. Callers cannot send fields fixed by
//         the token.
//   TKR3. Answers show only progress (progress-view.ts), unless the token has all details.
//   TKR4. Streams end with their token, before the next event is shown: once it has expired, or within half a minute
//         after its revocation.
import type { Clock } from "../base/clock.ts";
import { camelCase } from "../base/camel-case.ts";
import { EngineError } from "../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { pointerPart } from "../base/json-pointer.ts";
import { startedIn, withTokenHeader } from "../parts/token-issuer.ts";
import { recheck, whileAllowed } from "../parts/watched-stream.ts";
import type { RestrictedCall, Restriction } from "../parts/caller.ts";
import type { OperationAnswer } from "../parts/operation-answer.ts";
import type { PartHost } from "../parts/part.ts";
import { HttpError, invalidInput } from "../parts/problem.ts";
import { readJson } from "../parts/request-body.ts";
import { CREDENTIAL_HEADERS } from "../security/request-credential.ts";
import {
  progressEvent,
  progressGraph,
  progressMessage,
  progressMessages,
  progressPage,
  progressRun,
  progressSession,
  type ProgressOptions,
} from "./progress-view.ts";
import { shownEvents } from "./progress-stream.ts";
import { subjectOf, type Revocations } from "./revocations.ts";
import {
  SKEW_SECONDS,
  type RunTokenClaims,
  type TokenScope,
  type TokenTarget,
} from "./run-token.ts";

/** The JSON of an answer as a front end sees it. */
type View = (json: JsonObject, options: ProgressOptions) => JsonObject;

const whole: View = (json) => json;

/** Needed scope and shown JSON for each route of runs. */
const RUN_ROUTES: Readonly<Record<string, { readonly scope: TokenScope; readonly shown: View }>> = {
  "get /runs/{id}": { scope: "read", shown: progressRun },
  "get /runs/{id}/events": { scope: "read", shown: progressPage },
  "get /runs/{id}/graph": { scope: "read", shown: progressGraph },
  "post /runs/{id}/resume": { scope: "answer", shown: progressRun },
  "post /runs/{id}/events/{name}": { scope: "answer", shown: whole },
  "post /runs/{id}/messages": { scope: "answer", shown: progressMessage },
  "get /runs/{id}/messages": { scope: "read", shown: progressMessages },
  "delete /runs/{id}/messages/{message}": { scope: "answer", shown: progressMessage },
  "post /runs/{id}/cancel": { scope: "cancel", shown: progressRun },
};
const TURN = "post /flows/{name}/turns";
const SESSION = "get /flows/{name}/sessions/{sessionId}";
const UPLOAD = "post /files";
/** Operations on the memory of the token's person (MO4). */
const MEMORY_ROUTES: ReadonlySet<string> = new Set([
  "post /memory",
  "post /memory/recall",
  "get /memory/records",
  "get /memory/records/{id}",
  "patch /memory/records/{id}",
  "delete /memory/records/{id}",
]);
/** Fields a front end may send when it starts something. Excluded are targets of results and of callbacks. */
const MAY_SEND = new Set(["inputs", "messages", "message", "inputFiles", "intents", "stream"]);
/** Maximum number of ancestors searched. */
const MAX_DEPTH = 8;

export type TokenReachPorts = Pick<PartHost, "runs" | "maxBodyBytes"> & {
  /** The routes of kickoffs, by run kind. */
  readonly kickoffs: ReadonlyMap<string, string>;
  readonly revocations: Revocations;
  /** Makes a token for the started run. */
  readonly tokenFor: (claims: RunTokenClaims, runId: string) => Promise<string>;
  readonly clock: Pick<Clock, "now">;
  /** Forwards the socket messages of a run's object while the token's bearer may see them. */
  readonly socket: (
    response: Response,
    view: {
      readonly shown: ((event: JsonObject) => JsonObject) | undefined;
      readonly isAllowed: () => Promise<boolean>;
    },
  ) => Response;
};

export class TokenReach implements Restriction {
  readonly #claims: RunTokenClaims;
  readonly #ports: TokenReachPorts;
  /** Revocable subjects of the request's token. */
  #subjects: readonly string[] = [];

  constructor(claims: RunTokenClaims, ports: TokenReachPorts) {
    this.#claims = claims;
    this.#ports = ports;
  }

  async admit(call: RestrictedCall): Promise<Request> {
    const { route, params, request } = call;
    const { tgt: target } = this.#claims;
    const ofRun = RUN_ROUTES[route];
    if (ofRun !== undefined) {
      this.#need(ofRun.scope);
      await this.#admitRun(params["id"] ?? "");
      return withoutCredential(request);
    }
    if (route === UPLOAD) {
      this.#need("file");
      await this.#checkRevoked([]);
      return withoutCredential(request);
    }
    if (MEMORY_ROUTES.has(route)) {
      this.#need("person");
      await this.#checkRevoked([]);
      return withoutCredential(request);
    }
    if (target !== undefined && route === SESSION) {
      this.#need("read");
      await this.#checkRevoked([subjectOf.target(target)]);
      const isNamed =
        target.kind === "flow" &&
        target.name === params["name"] &&
        target.session === params["sessionId"];
      if (!isNamed) throw new EngineError("not_found", "there is no such session for this token");
      return withoutCredential(request);
    }
    if (target !== undefined && this.#starts(target, call)) {
      this.#need("kickoff");
      await this.#checkRevoked([subjectOf.target(target)]);
      return this.#startRequest(target, request);
    }
    throw beyond(`this token reaches no ${route}`);
  }

  async shown(answer: OperationAnswer, call: RestrictedCall): Promise<OperationAnswer> {
    const { det } = this.#claims;
    const options = { mayAnswer: this.#may("answer") };
    const event = (each: JsonObject): JsonObject => progressEvent(each, options);
    if (answer instanceof Response) {
      const isAllowed = this.#lasts();
      if (answer.status === 101)
        return this.#ports.socket(answer, {
          shown: det === "all" ? undefined : event,
          isAllowed,
        });
      const isStream = (answer.headers.get("content-type") ?? "").startsWith("text/event-stream");
      if (!isStream && det !== "all")
        throw beyond("this token shows how a run goes on, and not its contents");
      const stream = isStream ? whileAllowed(answer, isAllowed) : answer;
      return this.#withToken(det === "all" ? stream : shownEvents(stream, event), call);
    }
    const { json } = answer;
    if (json === undefined) return answer;
    const shown =
      det === "all" ? (json as JsonObject) : viewOf(call.route)(json as JsonObject, options);
    const { id } = shown;
    if (!isKickoff(call.route) || typeof id !== "string") return { ...answer, json: shown };
    return { ...answer, json: { ...shown, token: await this.#ports.tokenFor(this.#claims, id) } };
  }

  failed(error: unknown, { route }: RestrictedCall): unknown {
    const isUsed = EngineError.is(error) && error.code === "conflict" && isKickoff(route);
    if (!isUsed || this.#claims.tgt?.session !== undefined) return error;
    return new HttpError(
      "token_used",
      "this token has started its run with other inputs: it starts no second one",
      { cause: error },
    );
  }

  /** Puts the run's token into a header when a kickoff is answered with a stream. */
  async #withToken(response: Response, { route }: RestrictedCall): Promise<Response> {
    const id = startedIn(response);
    if (!isKickoff(route) || id === undefined) return response;
    return withTokenHeader(response, await this.#ports.tokenFor(this.#claims, id));
  }

  /** Returns a check that the token is still valid (TKR4). */
  #lasts(): () => Promise<boolean> {
    const { clock, revocations } = this.#ports;
    const { ten: tenant, iat, exp } = this.#claims;
    const subjects = this.#subjects;
    const isKept = recheck(
      async () => !(await revocations.isRevoked(tenant, subjects, iat)),
      clock,
    );
    return async () => clock.now() / 1000 < exp + SKEW_SECONDS && isKept();
  }

  #may(scope: TokenScope): boolean {
    return this.#claims.scp.includes(scope);
  }

  #need(scope: TokenScope): void {
    if (this.#may(scope)) return;
    throw beyond(
      `this needs a token with the scope "${scope}"; this one has ${this.#claims.scp.map((each) => `"${each}"`).join(", ")}`,
    );
  }

  #starts({ kind, name, session }: TokenTarget, { route, params }: RestrictedCall): boolean {
    const start = session !== undefined && kind === "flow" ? TURN : this.#ports.kickoffs.get(kind);
    return route === start && params["name"] === name;
  }

  /** Fails with `not_found` unless the run is a named run or a descendant of one. */
  async #admitRun(id: string): Promise<void> {
    const named = await this.#namedAbove(id);
    if (named === undefined) throw new EngineError("not_found", `there is no run ${id}`);
    await this.#checkRevoked([subjectOf.run(named)]);
  }

  async #namedAbove(id: string): Promise<string | undefined> {
    const { ten: tenant, run: runs = [] } = this.#claims;
    let at = id;
    for (let depth = 0; depth <= MAX_DEPTH; depth++) {
      if (runs.includes(at)) return at;
      if (runs.length === 0) return undefined;
      const { parent } = await this.#ports.runs.get(tenant, at);
      if (parent === undefined) return undefined;
      at = parent.id;
    }
    return undefined;
  }

  async #checkRevoked(subjects: readonly string[]): Promise<void> {
    const { jti, ten: tenant, iat } = this.#claims;
    this.#subjects = [subjectOf.token(jti), ...subjects];
    if (!(await this.#ports.revocations.isRevoked(tenant, this.#subjects, iat))) return;
    throw new HttpError("unauthorized", "the token was revoked", { headers: challenge() });
  }

  /** Returns the request with the token's fixed inputs, and with its run id or session. */
  async #startRequest(target: TokenTarget, request: Request): Promise<Request> {
    const sent = await readJson(request, this.#ports.maxBodyBytes);
    const body = fieldsOf(sent, target);
    const { inputs = {} } = body;
    const fixed = (target.inputs ?? {}) as JsonObject;
    if (!isJsonObject(inputs)) throw misfit("/inputs", "expected an object");
    const taken = Object.keys(inputs).find((name) => Object.hasOwn(fixed, name));
    if (taken !== undefined)
      throw misfit(`/inputs/${pointerPart(taken)}`, "expected nothing: the token sets this input");
    const { jti, sub: person } = this.#claims;
    const merged = {
      ...body,
      ...(Object.keys({ ...inputs, ...fixed }).length === 0
        ? undefined
        : { inputs: { ...inputs, ...fixed } }),
      ...(person === undefined ? undefined : { person }),
      ...(target.session === undefined ? { id: `tok-${jti}` } : { sessionId: target.session }),
    };
    const headers = withoutToken(request);
    headers.delete("content-length");
    headers.set("content-type", "application/json");
    // The run's id is the token's. A turn keeps its idempotency key, so it can be sent again.
    if (target.session === undefined) headers.delete("idempotency-key");
    return new Request(request.url, {
      method: request.method,
      headers,
      body: JSON.stringify(merged),
      signal: request.signal,
    });
  }
}

function fieldsOf(sent: JsonValue, { session }: TokenTarget): JsonObject {
  if (!isJsonObject(sent)) throw misfit("", "expected an object");
  const body: JsonObject = Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [camelCase(name), value]),
  );
  const { sessionId, ...rest } = body;
  if (sessionId !== undefined && sessionId !== session)
    throw misfit("/sessionId", "expected nothing: the token sets the session");
  const isTurn = session !== undefined;
  const other = Object.keys(rest).find((name) => !MAY_SEND.has(name) && !(isTurn && name === "id"));
  if (other !== undefined)
    throw misfit(`/${pointerPart(other)}`, "expected nothing: a token cannot set this");
  return rest;
}

/** The view of a route. Kickoffs and turns answer with their run. */
function viewOf(route: string): View {
  if (route === SESSION) return progressSession;
  if (route === UPLOAD || MEMORY_ROUTES.has(route)) return whole;
  return RUN_ROUTES[route]?.shown ?? progressRun;
}

function isKickoff(route: string): boolean {
  return route === TURN || route.endsWith("/kickoff");
}

/** Removes the token from the request, because the object of a run does not need it. */
function withoutCredential(request: Request): Request {
  return new Request(request, { headers: withoutToken(request) });
}

function withoutToken(request: Request): Headers {
  const headers = new Headers(request.headers);
  for (const name of [...CREDENTIAL_HEADERS, "sec-websocket-protocol"]) headers.delete(name);
  return headers;
}

function beyond(message: string): HttpError {
  return new HttpError("forbidden", message, {
    headers: { "www-authenticate": 'Bearer realm="edgecrew", error="insufficient_scope"' },
  });
}

function misfit(path: string, message: string): EngineError {
  return invalidInput("the request body does not fit", [{ path, message }]);
}

/** Headers of the answer to an invalid token. */
export function challenge(): Readonly<Record<string, string>> {
  return { "www-authenticate": 'Bearer realm="edgecrew", error="invalid_token"' };
}
