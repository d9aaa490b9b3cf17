// Whether a deployment works, asked from outside.
//
//   SMK1. Each check fails with a message of its own, that says what was asked and what came.
//   SMK2. It costs no model: its run uses the built-in one. What it made is deleted, also where it failed.
//   SMK3. What could not be checked is said, not passed over.
import { sleep, type Clock } from "../../base/clock.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { CliFailure } from "../cli-failure.ts";
import { parsedOrNothing } from "../cloud/wrangler-process.ts";

export type SmokeTest = {
  readonly url: string;
  readonly key: string | undefined;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The version that was deployed. */
  readonly version: string;
  /** Whether everybody may use it, and this is meant. */
  readonly isOpen: boolean;
};

/** What a check that passed has to say; a skipped one says why. */
export type SmokeResult = { readonly check: string; readonly skipped?: string };

const PAUSE_MS = 3_000;
/** 90 s: a new address may take a minute until it answers. */
const START_TRIES = 30;
/** 130 s: the cron comes every minute. */
const SWEEP_TRIES = 44;
const RUN_TRIES = 20;
const REQUEST_MS = 30_000;
const CREW = "edgecrew-smoke";

type Check = (test: SmokeTest) => Promise<string | undefined>;

/** In their order. Each answers why it was skipped, or nothing. */
const CHECKS: Readonly<Record<string, Check>> = {
  "it answers": checkHealth,
  "it is the new code": checkVersion,
  "keys are asked for": checkAuth,
  "a run completes": checkRun,
  "memories are found": checkMemory,
  "the console is there": checkConsole,
  "cron wakes it": checkSweeper,
};

/** Throws exit code 1 at the first check that fails. */
export async function runSmokeTest(
  test: SmokeTest,
  onResult: (result: SmokeResult) => void,
): Promise<void> {
  for (const [check, run] of Object.entries(CHECKS)) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const skipped = await run(test);
    onResult({ check, ...(skipped === undefined ? {} : { skipped }) });
  }
}

function failed(message: string, fix?: string): CliFailure {
  return new CliFailure(1, `smoke test: ${message}`, {
    code: "smoke_test_failed",
    ...(fix === undefined ? {} : { fix }),
  });
}

type Answer = { readonly status: number; readonly text: string; readonly json: JsonObject };

async function ask(
  { url, key, fetch, signal }: SmokeTest,
  path: string,
  {
    method = "GET",
    body,
    headers = {},
    anonymous = false,
  }: {
    method?: string;
    body?: JsonObject;
    headers?: Record<string, string>;
    anonymous?: boolean;
  } = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key === undefined || anonymous ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
  });
  const text = await response.text();
  const json = parsedOrNothing(text);
  return { status: response.status, text, json: isJsonObject(json) ? json : {} };
}

/** Asks until it is as it has to be; answers the last fault, in words, where it never is. */
async function until(
  { clock, signal }: SmokeTest,
  tries: number,
  look: () => Promise<string | undefined>,
): Promise<string | undefined> {
  let fault: string | undefined;
  for (let attempt = 0; attempt < tries; attempt++) {
    // oxlint-disable-next-line no-await-in-loop -- until it is there
    fault = await look().catch((error: unknown) => {
      signal.throwIfAborted();
      return (error as Error).message;
    });
    if (fault === undefined) return undefined;
    // oxlint-disable-next-line no-await-in-loop
    if (attempt < tries - 1) await sleep(clock, PAUSE_MS, signal);
  }
  return fault;
}

async function checkHealth(test: SmokeTest): Promise<undefined> {
  const fault = await until(test, START_TRIES, async () => {
    const { status } = await ask(test, "/healthz");
    return status === 200 ? undefined : `it answers ${status}`;
  });
  if (fault !== undefined)
    throw failed(`GET /healthz: expected 200 within 90 s; ${fault}`, "edgecrew logs --errors");
}

async function checkVersion(test: SmokeTest): Promise<string | undefined> {
  if (test.key === undefined && !test.isOpen) return "no key";
  let about: Answer = { status: 0, text: "", json: {} };
  const fault = await until(test, RUN_TRIES, async () => {
    about = await ask(test, "/about");
    if (about.status === 404) return undefined;
    if (about.status !== 200) return `it answers ${about.status}`;
    const { code } = about.json;
    const id = isJsonObject(code) ? code["id"] : undefined;
    return id === undefined || id === test.version
      ? undefined
      : `it still runs the version ${text(id, "of another kind")}, not ${test.version}`;
  });
  if (fault !== undefined) throw failed(`GET /about: ${fault}`);
  if (about.status === 404) return "this Worker does not say which version it runs (no /about)";
  const { missing } = about.json;
  const lacks = (Array.isArray(missing) ? missing : []).filter(isJsonObject);
  const pending = lacks.find(({ code }) => code === "migrations_pending");
  if (pending !== undefined)
    throw failed(
      `GET /about: ${text(pending["message"], "migrations are pending")}`,
      text(pending["fix"], "edgecrew deploy"),
    );
  return undefined;
}

const text = (value: unknown, other: string): string => (typeof value === "string" ? value : other);

async function checkAuth(test: SmokeTest): Promise<string | undefined> {
  if (test.isOpen) return "EDGECREW_AUTH is open-to-everybody";
  const { status } = await ask(test, "/runs?limit=1", { anonymous: true });
  if (status !== 401)
    throw failed(`GET /runs without a key: expected 401, got ${status}`, "look at EDGECREW_AUTH");
  if (test.key === undefined) return undefined;
  const own = await ask(test, "/runs?limit=1");
  if (own.status !== 200)
    throw failed(
      `GET /runs with the key: expected 200, got ${own.status}`,
      "edgecrew login with a key of this Worker, or edgecrew secrets rotate admin",
    );
  return undefined;
}

const SMOKE_CREW: JsonObject = {
  agents: {
    probe: {
      role: "Probe",
      goal: "Say that runs work",
      backstory: "You answer with one sentence.",
      llm: "offline/demo",
    },
  },
  tasks: [
    {
      name: "probe",
      description: "Say that it works.",
      expectedOutput: "A sentence",
      agent: "probe",
    },
  ],
};

async function checkRun(test: SmokeTest): Promise<string | undefined> {
  if (test.key === undefined && !test.isOpen) return "no key";
  const stored = await ask(test, `/crews/${CREW}`, { method: "PUT", body: SMOKE_CREW });
  if (stored.status === 404) return "this Worker has no crews";
  if (stored.status === 403) return "the key is not allowed to store a crew (admin)";
  if (stored.status >= 300)
    throw failed(`PUT /crews/${CREW}: got ${stored.status} ${detail(stored)}`);
  let id: string | undefined;
  try {
    const started = await ask(test, `/crews/${CREW}/kickoff`, {
      method: "POST",
      body: { inputs: {} },
    });
    id = text(started.json["id"], "");
    if (started.status !== 202 || id === "")
      throw failed(
        `POST /crews/${CREW}/kickoff: expected 202, got ${started.status} ${detail(started)}`,
      );
    const path = `/runs/${id}`;
    const fault = await until(test, RUN_TRIES, async () => {
      const { json } = await ask(test, path);
      if (json["status"] === "completed") return undefined;
      if (json["status"] === "failed")
        throw failed(`its run failed: ${JSON.stringify(json["error"])}`);
      return `its run is ${text(json["status"], "without a status")} after a minute`;
    });
    if (fault !== undefined)
      throw failed(fault.replace(/^smoke test: /, ""), "edgecrew logs --errors");
    await checkEvents(test, path);
  } finally {
    const remove = { method: "DELETE" };
    if (id !== undefined && id !== "")
      await ask(test, `/runs/${id}`, remove).catch(() => undefined);
    await ask(test, `/crews/${CREW}`, remove).catch(() => undefined);
  }
  return undefined;
}

/** The whole stream, and again from its first event on: nothing is missing, nothing comes twice. */
async function checkEvents(test: SmokeTest, path: string): Promise<void> {
  const headers = { accept: "text/event-stream" };
  const whole = idsIn((await ask(test, `${path}/events`, { headers })).text);
  if (whole.last !== "run_completed")
    throw failed(
      `the event stream ended before the run did: after ${whole.ids.length} events, with ${whole.last ?? "none"}`,
    );
  const [first = ""] = whole.ids;
  const again = { ...headers, "last-event-id": first };
  const rest = idsIn((await ask(test, `${path}/events`, { headers: again })).text);
  if ([first, ...rest.ids].join() !== whole.ids.join())
    throw failed(
      `the event stream does not go on after event ${first}: expected ${whole.ids.length - 1} events, got ${rest.ids.length}`,
    );
}

function idsIn(stream: string): {
  readonly ids: readonly string[];
  readonly last: string | undefined;
} {
  const blocks = stream.split(/\r?\n\r?\n/).filter((block) => /^id:/m.test(block));
  const last = blocks.at(-1);
  return {
    ids: blocks.map((block) => field(block, "id")),
    last: last === undefined ? undefined : field(last, "event"),
  };
}

function field(block: string, name: string): string {
  return new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1] ?? "";
}

const MEMORY_SCOPE = "/edgecrew-smoke";

async function checkMemory(test: SmokeTest): Promise<string | undefined> {
  if (test.key === undefined && !test.isOpen) return "no key";
  const content = "The smoke test of this deployment saved this sentence.";
  const body = { content, scope: MEMORY_SCOPE, categories: ["smoke"], importance: 0.5 };
  const saved = await ask(test, "/memory", { method: "POST", body });
  if (saved.status === 404) return "this Worker has no memory";
  if (saved.status >= 300) throw failed(`POST /memory: got ${saved.status} ${detail(saved)}`);
  try {
    const query = { query: "smoke test sentence", scope: MEMORY_SCOPE, limit: 1, depth: "shallow" };
    const fault = await until(test, RUN_TRIES, async () => {
      const found = await ask(test, "/memory/recall", { method: "POST", body: query });
      if (found.status !== 200) return `POST /memory/recall: got ${found.status} ${detail(found)}`;
      return found.text.includes(content) ? undefined : "a memory that was saved is not found";
    });
    if (fault !== undefined) throw failed(fault);
  } finally {
    const forget = { method: "POST", body: { scope: MEMORY_SCOPE } };
    await ask(test, "/memory/forget", forget).catch(() => undefined);
  }
  return undefined;
}

async function checkConsole(test: SmokeTest): Promise<string | undefined> {
  const { status } = await ask(test, "/console/", { anonymous: true });
  if (status === 404 || status === 401) return "this Worker has no console";
  if (status !== 200) throw failed(`GET /console/: expected 200, got ${status}`);
  return undefined;
}

async function checkSweeper(test: SmokeTest): Promise<string | undefined> {
  if (test.key === undefined && !test.isOpen) return "no key";
  const first = await ask(test, "/about");
  if (first.status === 404) return "this Worker does not say when it last swept (no /about)";
  const fault = await until(test, SWEEP_TRIES, async () => {
    const { sweeper } = (await ask(test, "/about")).json;
    return isJsonObject(sweeper) && sweeper["lastAt"] !== undefined
      ? undefined
      : "its cron has not come within 130 s";
  });
  if (fault !== undefined) throw failed(fault, 'look at triggers.crons: it needs "* * * * *"');
  return undefined;
}

function detail({ json, text: whole }: Answer): string {
  return text(json["detail"], whole.slice(0, 200));
}
