// A sandbox of E2B over HTTP: its life, its interpreter, its files.
import { EngineError } from "../../base/error.ts";
import { isJsonObject, jsonText, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { SendRequest } from "../machines/send-request.ts";
import { e2bExecution, type E2BExecution } from "./e2b-answer.ts";

/** E2B account and address. */
export type E2BAccount = {
  readonly apiKey: string;
  /** @default "e2b.app" */
  readonly domain?: string | undefined;
};

export type E2BCreate = {
  /** @default "code-interpreter-v1" */
  readonly template?: string | undefined;
  readonly lifeMs: number;
  readonly internet: boolean;
  /** Hosts that it may call. Absent: all hosts. */
  readonly hosts?: readonly string[] | undefined;
  readonly envs?: Readonly<Record<string, string>> | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
};

const DOMAIN = "e2b.app";
const TEMPLATE = "code-interpreter-v1";
const INTERPRETER_PORT = 49999;
const FILES_PORT = 49983;
const SHORT_MS = 30_000;
const START_MS = 90_000;

/** The sandboxes of an account. */
export class E2BSandboxes {
  readonly #account: E2BAccount;
  readonly #send: SendRequest;

  constructor(account: E2BAccount, send: SendRequest) {
    this.#account = account;
    this.#send = send;
  }

  async create(wanted: E2BCreate): Promise<E2BSandbox> {
    const { template = TEMPLATE, lifeMs, internet, hosts, envs, metadata } = wanted;
    const { body } = await this.#send({
      method: "POST",
      url: `${this.#api}/v2/sandboxes`,
      headers: this.#headers,
      body: {
        templateID: template,
        timeout: Math.ceil(lifeMs / 1000),
        envVars: envs ?? {},
        metadata: metadata ?? {},
        allow_internet_access: internet,
        ...(hosts === undefined
          ? undefined
          : { network: { allowOut: [...hosts], denyOut: ["0.0.0.0/0"] } }),
      },
      expects: "json",
      timeoutMs: START_MS,
    });
    return this.#sandbox(body);
  }

  /** Undefined if the sandbox is gone. */
  async connect(id: string, lifeMs: number): Promise<E2BSandbox | undefined> {
    const { status, body } = await this.#send({
      method: "POST",
      url: `${this.#api}/v2/sandboxes/${encodeURIComponent(id)}/connect`,
      headers: this.#headers,
      body: { timeout: Math.ceil(lifeMs / 1000) },
      expects: "json",
      timeoutMs: START_MS,
      accepts: [404],
    });
    return status === 404 ? undefined : this.#sandbox(body);
  }

  /** Ends a sandbox. Succeeds if it is already gone. */
  async remove(id: string): Promise<void> {
    await this.#send({
      method: "DELETE",
      url: `${this.#api}/sandboxes/${encodeURIComponent(id)}`,
      headers: this.#headers,
      expects: "text",
      timeoutMs: SHORT_MS,
      accepts: [404],
    });
  }

  get #api(): string {
    return `https://api.${this.#account.domain ?? DOMAIN}`;
  }

  get #headers(): Record<string, string> {
    return { "x-api-key": this.#account.apiKey };
  }

  #sandbox(body: JsonValue): E2BSandbox {
    const fields = isJsonObject(body) ? body : {};
    const { sandboxID: id, domain } = fields;
    if (typeof id !== "string")
      throw new EngineError("tool_failed", "E2B answered without the id of a sandbox", {
        failureCode: "bad_response",
      });
    return new E2BSandbox(this.#send, {
      id,
      domain:
        typeof domain === "string" && domain !== "" ? domain : (this.#account.domain ?? DOMAIN),
      headers: {
        ...headerOf("x-access-token", fields["envdAccessToken"]),
        ...headerOf("e2b-traffic-access-token", fields["trafficAccessToken"]),
      },
    });
  }
}

function headerOf(name: string, value: JsonValue | undefined): Record<string, string> {
  return typeof value === "string" ? { [name]: value } : {};
}

/** One sandbox. */
export class E2BSandbox {
  readonly id: string;
  readonly #send: SendRequest;
  readonly #domain: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    send: SendRequest,
    place: {
      readonly id: string;
      readonly domain: string;
      readonly headers: Readonly<Record<string, string>>;
    },
  ) {
    this.#send = send;
    this.id = place.id;
    this.#domain = place.domain;
    this.#headers = place.headers;
  }

  /** Runs code with the variables of earlier code in the same language. */
  async execute(code: string, { language, envs, timeoutMs }: E2BExecute): Promise<E2BExecution> {
    const { body } = await this.#send({
      method: "POST",
      url: `${this.#origin(INTERPRETER_PORT)}/execute`,
      headers: this.#headers,
      body: {
        code,
        ...(language === undefined ? undefined : { language }),
        ...(envs === undefined ? undefined : { env_vars: envs as JsonObject }),
      },
      expects: "text",
      timeoutMs,
    });
    return e2bExecution(jsonText(body));
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    const form = new FormData();
    form.append("file", new Blob([bytes]), "file");
    await this.#send({
      method: "POST",
      url: this.#fileUrl(path),
      headers: this.#headers,
      body: form,
      expects: "text",
      timeoutMs: SHORT_MS,
    });
  }

  /** Undefined if the file does not exist. */
  async read(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const { status, bytes } = await this.#send({
      method: "GET",
      url: this.#fileUrl(path),
      headers: this.#headers,
      expects: "bytes",
      timeoutMs: SHORT_MS,
      maxBytes,
      accepts: [404],
    });
    return status === 404 ? undefined : bytes;
  }

  #fileUrl(path: string): string {
    return `${this.#origin(FILES_PORT)}/files?path=${encodeURIComponent(path)}&username=user`;
  }

  #origin(port: number): string {
    return `https://${port}-${this.id}.${this.#domain}`;
  }
}

type E2BExecute = {
  /** @default Python */
  readonly language?: string;
  readonly envs?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
};
