// A sandbox of Daytona over HTTP: its life, its processes, its files.
import { sleep, type Clock } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { isJsonObject, jsonText, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { SendRequest, ServiceRequest } from "../machines/send-request.ts";

/** Daytona account and address. */
export type DaytonaAccount = {
  readonly apiKey: string;
  /** @default "https://app.daytona.io/api" */
  readonly apiUrl?: string | undefined;
  /** The region. */
  readonly target?: string | undefined;
};

const API_URL = "https://app.daytona.io/api";
const SHORT_MS = 30_000;
const START_MS = 90_000;
const LOOK_EVERY_MS = 1_000;

type Asked = Pick<ServiceRequest, "method" | "expects" | "body" | "maxBytes" | "accepts"> & {
  readonly timeoutMs?: number;
};

/** The sandboxes of an account. */
export class DaytonaSandboxes {
  readonly #account: DaytonaAccount;
  readonly #send: SendRequest;
  readonly #clock: Clock;

  constructor(account: DaytonaAccount, send: SendRequest, clock: Clock) {
    this.#account = account;
    this.#send = send;
    this.#clock = clock;
  }

  /** Makes a sandbox and waits for its start. `params` are Daytona's own, such as `snapshot`. */
  async create(params: JsonObject): Promise<DaytonaSandbox> {
    const { target } = this.#account;
    const body = { ...(target === undefined ? undefined : { target }), ...params };
    const made = await this.#ask("/sandbox", {
      method: "POST",
      expects: "json",
      body,
      timeoutMs: START_MS,
    });
    const id = idOf(made.body);
    await this.#started(id, made.body);
    return new DaytonaSandbox(id, (path, asked) => this.#ask(path, asked));
  }

  /** Returns a running sandbox, or undefined if it does not run. */
  async find(id: string): Promise<DaytonaSandbox | undefined> {
    const { status, body } = await this.#ask(`/sandbox/${encodeURIComponent(id)}`, {
      method: "GET",
      expects: "json",
      accepts: [404],
    });
    const isThere = status !== 404 && stateOf(body) === "started";
    return isThere ? new DaytonaSandbox(id, (path, asked) => this.#ask(path, asked)) : undefined;
  }

  /** Ends a sandbox. Succeeds if it is already gone. */
  async remove(id: string): Promise<void> {
    await this.#ask(`/sandbox/${encodeURIComponent(id)}`, {
      method: "DELETE",
      expects: "text",
      accepts: [404],
    });
  }

  async #started(id: string, made: JsonValue): Promise<void> {
    const untilMs = this.#clock.now() + START_MS;
    for (let body = made; ;) {
      const state = stateOf(body);
      if (state === "started") return;
      if (state === "error" || state === "build_failed" || this.#clock.now() >= untilMs)
        throw new EngineError("unavailable", `Daytona's sandbox did not start: ${state}`, {
          retryable: true,
        });
      await sleep(this.#clock, LOOK_EVERY_MS);
      ({ body } = await this.#ask(`/sandbox/${encodeURIComponent(id)}`, {
        method: "GET",
        expects: "json",
      }));
    }
  }

  #ask(path: string, asked: Asked): ReturnType<SendRequest> {
    const { apiKey, apiUrl = API_URL } = this.#account;
    return this.#send({
      timeoutMs: SHORT_MS,
      ...asked,
      url: `${apiUrl.replace(/\/+$/, "")}${path}`,
      headers: { authorization: `Bearer ${apiKey}` },
    });
  }
}

/** One sandbox. */
export class DaytonaSandbox {
  readonly id: string;
  readonly #ask: (path: string, asked: Asked) => ReturnType<SendRequest>;

  constructor(id: string, ask: (path: string, asked: Asked) => ReturnType<SendRequest>) {
    this.id = id;
    this.#ask = ask;
  }

  /** Runs a command in a shell. Daytona joins its two outputs. */
  async execute(
    command: string,
    { cwd, env, timeoutMs }: DaytonaExecute,
  ): Promise<{ readonly exitCode: number; readonly result: string }> {
    const { body } = await this.#ask(this.#toolbox("process/execute"), {
      method: "POST",
      expects: "json",
      timeoutMs: timeoutMs + SHORT_MS,
      body: {
        command,
        ...(cwd === undefined ? undefined : { cwd }),
        ...(env === undefined ? undefined : { env: env as JsonObject }),
        timeout: Math.ceil(timeoutMs / 1000),
      },
    });
    const fields = isJsonObject(body) ? body : {};
    return { exitCode: Number(fields["exitCode"] ?? -1), result: jsonText(fields["result"]) };
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    const form = new FormData();
    form.append("file", new Blob([bytes]), "file");
    await this.#ask(`${this.#toolbox("files/upload")}?path=${encodeURIComponent(path)}`, {
      method: "POST",
      expects: "text",
      body: form,
    });
  }

  /** Undefined if the file does not exist. */
  async read(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const { status, bytes } = await this.#ask(
      `${this.#toolbox("files/download")}?path=${encodeURIComponent(path)}`,
      { method: "GET", expects: "bytes", maxBytes, accepts: [404] },
    );
    return status === 404 ? undefined : bytes;
  }

  /** Other file operations, by Daytona's names. */
  async files(
    what: string,
    {
      method,
      query,
      body,
    }: {
      readonly method: "GET" | "POST" | "DELETE";
      readonly query?: Readonly<Record<string, string>>;
      readonly body?: JsonObject;
    },
  ): Promise<JsonValue> {
    const path = this.#toolbox(what === "" ? "files" : `files/${what}`);
    const answer = await this.#ask(`${path}?${new URLSearchParams(query).toString()}`, {
      method,
      expects: "json",
      ...(body === undefined ? undefined : { body }),
    });
    return answer.body;
  }

  #toolbox(path: string): string {
    return `/toolbox/${encodeURIComponent(this.id)}/toolbox/${path}`;
  }
}

type DaytonaExecute = {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
};

function idOf(body: JsonValue): string {
  const id = isJsonObject(body) ? body["id"] : undefined;
  if (typeof id === "string") return id;
  throw new EngineError("tool_failed", "Daytona answered without the id of a sandbox", {
    failureCode: "bad_response",
  });
}

function stateOf(body: JsonValue): string {
  return isJsonObject(body) ? jsonText(body["state"]) || "started" : "unknown";
}
