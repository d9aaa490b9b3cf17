// Calls of tools: each starts a run, or queries one.
//
//   MT1. A client's idempotency key (`_meta["edgecrew/idempotencyKey"]`) identifies the run: a repeated call finds it.
//   MT2. A repeated request with answers continues its run, and never starts a second one. An existing answer is not
//        changed.
//   MT3. The result of a long run, or of one with a question unsupported by its client, describes the run and the next
//        calls.
//   MT4. Failures of a run or of its inputs are results readable for a model; faults of the request are errors.
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { EngineError } from "../../../base/error.ts";
import { canonicalJson, isJsonObject, preview, type JsonObject } from "../../../base/json.ts";
import { validateJsonSchema } from "../../../base/json-schema.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import type { PartHost } from "../../../parts/part.ts";
import { isTerminal, type Run } from "../../../runtime/run.ts";
import type { ExposedSubject } from "../../exposed-subject.ts";
import { runIdFor, type ProtocolRuns, type ProtocolStart } from "../../protocol-runs.ts";
import { stateOf } from "../../run-state.ts";
import type { ThreadRun } from "../../thread-store.ts";
import { callRunTool } from "./call-run-tools.ts";
import { followRun } from "./follow-run.ts";
import type { McpCaller, ToolCall } from "./tool-call.ts";
import type { McpOptions } from "./mcp-options.ts";
import {
  answerIn,
  isAskable,
  isRefusal,
  neededCapability,
  questionsIn,
  type Question,
} from "./questions.ts";
import { isSealed, readState, sealState, type StateBinding } from "./request-state.ts";
import { errorResult, toolResult, type ToolResult } from "./run-results.ts";
import { taskOf, TASKS } from "./run-tasks.ts";
import type { FoundTool } from "./tool-list.ts";
import { MESSAGE, SESSION, takesMessage, takesTurns } from "./tool-schema.ts";

/** Result of a call: complete, a task, or a question for the client. */
export type CallResult = ToolResult | JsonObject;

const IDEMPOTENCY = "edgecrew/idempotencyKey";
const CANCEL = "edgecrew/cancelOnDisconnect";
const DEFAULT_WAIT_MS = 50_000;
const DEFAULT_ANSWER_MS = 3_600_000;

type CallsHost = Pick<PartHost, "background" | "clock" | "randomId" | "runs">;

/** The calls of all clients of a deployment. */
export class ToolCalls {
  readonly #runs: ProtocolRuns;
  readonly #host: CallsHost;
  readonly #options: McpOptions;

  constructor(runs: ProtocolRuns, host: CallsHost, options: McpOptions) {
    this.#runs = runs;
    this.#host = host;
    this.#options = options;
  }

  /** Throws a protocol error for an invalid call. */
  async call(caller: McpCaller, found: FoundTool, call: ToolCall): Promise<CallResult> {
    try {
      return await (found.kind === "run-tool"
        ? callRunTool({ runs: this.#runs, host: this.#host }, caller, {
            runTool: found.runTool,
            call,
          })
        : this.#start(caller, found, call));
    } catch (error) {
      if (EngineError.is(error) && error.code !== "internal") return readable(error);
      throw error;
    }
  }

  async #start(
    caller: McpCaller,
    found: FoundTool & { kind: "start" },
    call: ToolCall,
  ): Promise<CallResult> {
    const isTask = found.task !== "never" && caller.hasTasks;
    if (found.task === "required" && !isTask)
      throw new MissingRequiredClientCapabilityError({
        requiredCapabilities: { extensions: { [TASKS]: {} } },
      });
    const fromMs = this.#host.clock.now();
    const beginning =
      call.state === undefined
        ? this.#begin(caller, found, call)
        : this.#continue(caller, call, call.state);
    // A client's disconnect must not end the request before it can cancel the run.
    if (this.#cancels(call)) this.#host.background?.(Promise.allSettled([beginning]));
    const begun = await beginning;
    if (isTask && call.state === undefined) return { resultType: "task", ...taskOf(begun.run) };
    const { run, isRefused } = await this.#follow(caller, call, { ...begun, fromMs });
    return isRefused ? toolResult(run) : this.#answer(caller, call, { ...begun, run });
  }

  /** True if the run ends with the client's connection. */
  #cancels({ meta }: ToolCall): boolean {
    return meta[CANCEL] === true || this.#options.cancelOnDisconnect === true;
  }

  /** Starts the run, or finds the run of an earlier call with the same identity. */
  async #begin(
    caller: McpCaller,
    { exposed, isOwn, inputSchema }: FoundTool & { kind: "start" },
    { name, arguments: args, meta }: ToolCall,
  ): Promise<Begun> {
    const { tenant, callerId } = caller;
    const isChecked = isOwn || takesTurns(exposed);
    const issues = isChecked ? validateJsonSchema(inputSchema, args) : [];
    if (issues.length > 0)
      throw new EngineError(
        "invalid_input",
        `the arguments do not fit: ${issues.map(({ path, message }) => `${path || "/"} ${message}`).join("; ")}`,
        { issues },
      );
    const key = meta[IDEMPOTENCY];
    if (key !== undefined && (typeof key !== "string" || key === ""))
      throw badParams(`_meta["${IDEMPOTENCY}"] must be a text, got ${preview(key)}`);
    const { [MESSAGE]: message, [SESSION]: session, ...rest } = args;
    const isSaid = !isOwn && (takesMessage(exposed) || takesTurns(exposed));
    const said = typeof message === "string" ? message.trim() : "";
    if (isSaid && said === "")
      throw new EngineError("invalid_input", `${MESSAGE} must be a text, got ${preview(message)}`, {
        issues: [{ path: `/${MESSAGE}`, message: "expected a text" }],
      });
    const id = key === undefined ? this.#host.randomId() : runIdFor("mcp", callerId, name, key);
    const own = {
      stateKey: this.#host.randomId(),
      caller: callerId,
      call: sha256Hex(canonicalJson([name, args])),
    };
    const start: ProtocolStart = {
      id,
      messages: isSaid ? [{ id: "call", role: "user", content: said }] : [],
      data: isSaid && !hasInput(exposed, MESSAGE) ? rest : args,
      own,
      ...(isSaid && takesTurns(exposed)
        ? { threadId: typeof session === "string" && session !== "" ? session : id, history: [] }
        : undefined),
    };
    const { isNew } = await this.#runs.start({ tenant, callerId }, exposed, start);
    const known = await this.#runs.find(tenant, id);
    if (!isNew && known.thread.data["call"] !== own.call)
      throw new EngineError(
        "conflict",
        `a call with the key ${preview(key)} was made with other arguments: use another key`,
      );
    return known;
  }

  /** Finds the run of a repeated request (MT2). */
  async #continue(caller: McpCaller, call: ToolCall, text: string): Promise<Begun> {
    const state = readState(text);
    const known =
      state === undefined
        ? undefined
        : await this.#runs.find(caller.tenant, state.runId).catch(notThere);
    const secret = known === undefined ? "" : secretOf(known.thread);
    const isOurs = secret !== "" && (await isSealed(text, bindingOf(caller, call), secret));
    if (state === undefined || known === undefined || !isOurs)
      throw badState("requestState does not belong to this request: repeat the request without it");
    if (state.expiresAtMs < this.#host.clock.now())
      throw badState(
        `requestState has expired; the run ${state.runId} is there, and can be answered with the tool answer_run`,
      );
    return { ...known, asked: state.waits };
  }

  /** Follows the run, and passes it the answers of the request, until none is left. */
  async #follow(
    caller: McpCaller,
    call: ToolCall,
    { run: begun, thread, asked, fromMs }: Begun & { readonly fromMs: number },
  ): Promise<{ readonly run: Run; readonly isRefused: boolean }> {
    const { tenant } = caller;
    const { signal, listener, responses = {} } = call;
    const { id } = begun;
    const answered = new Set<string>();
    // Each answer is for one question, even if a later one has the same name.
    const used = new Set<string>();
    let isRefused = false;
    let run = begun;
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const cancel = (): void => {
      void this.#host.runs.cancel(tenant, id, "the client has gone away").then(
        () => end(),
        () => end(),
      );
    };
    if (this.#cancels(call)) {
      this.#host.background?.(over); // otherwise the Worker stops with the request
      if (signal.aborted) cancel();
      else signal.addEventListener("abort", cancel, { once: true });
    }
    try {
      for (;;) {
        const { waitMs = DEFAULT_WAIT_MS } = this.#options;
        const waits = { tenant, id, fromMs, waitMs, signal, listener };
        run = await followRun(this.#runs, this.#host, waits);
        const question = questionsIn(run).find(
          ({ name, wait }) =>
            !answered.has(wait.key) &&
            (asked === undefined
              ? Object.hasOwn(responses, name) && !used.has(name)
              : nameIn(asked, wait.key) !== undefined),
        );
        if (question === undefined) return { run, isRefused };
        const { name, wait } = question;
        answered.add(wait.key);
        used.add(name);
        const response = responses[nameIn(asked, wait.key) ?? name];
        const data = answerIn(question, response);
        isRefused ||= data === undefined && isRefusal(response);
        if (data === undefined) continue;
        await this.#give(tenant, { thread, run }, { wait, data });
      }
    } finally {
      signal.removeEventListener("abort", cancel);
      if (!signal.aborted) end();
    }
  }

  async #give(
    tenant: string,
    of: { readonly thread: ThreadRun; readonly run: Run },
    { wait, data }: { readonly wait: Question["wait"]; readonly data: JsonObject },
  ): Promise<void> {
    const message = { id: `answer:${wait.key}`, role: "user", content: textIn(data) } as const;
    await this.#runs.answer(tenant, of, { message, data, wait }).catch((error: unknown) => {
      // Another request has answered it meanwhile.
      if (!EngineError.is(error) || error.code !== "conflict") throw error;
    });
  }

  /** Returns the answer for the client: the result of its run, a question, or the next calls. */
  async #answer(caller: McpCaller, call: ToolCall, { run, thread }: Begun): Promise<CallResult> {
    if (isTerminal(run.status) || stateOf(run) !== "input-required") return toolResult(run);
    const questions = questionsIn(run);
    const askable = questions.filter((each) => isAskable(each, caller.abilities));
    if (askable.length === 0) {
      const needed = questions.flatMap((each) => neededCapability(each) ?? []);
      const [first] = needed;
      if (first === undefined || needed.length < questions.length) return toolResult(run);
      // Only the client could answer it: the run would wait for ever.
      await this.#host.runs.cancel(caller.tenant, run.id).catch(() => undefined);
      throw new MissingRequiredClientCapabilityError({
        requiredCapabilities: first as Record<string, never>,
      });
    }
    const { answerWithinMs = DEFAULT_ANSWER_MS } = this.#options;
    const state = {
      runId: run.id,
      expiresAtMs: this.#host.clock.now() + answerWithinMs,
      waits: Object.fromEntries(askable.map(({ name, wait }) => [name, wait.key])),
    };
    const secret = secretOf(thread);
    return {
      resultType: "input_required",
      inputRequests: Object.fromEntries(askable.map(({ name, request }) => [name, { ...request }])),
      requestState: await sealState(state, bindingOf(caller, call), secret),
    };
  }
}

/** A run with its thread. For a repeated request also its questions: keys of waits by name. */
type Begun = {
  readonly run: Run;
  readonly thread: ThreadRun;
  readonly asked?: Readonly<Record<string, string>>;
};

/** True if the subject itself has an input of this name. */
function hasInput({ info: { inputSchema } }: ExposedSubject, name: string): boolean {
  const { properties } = inputSchema;
  return properties !== undefined && isJsonObject(properties) && Object.hasOwn(properties, name);
}

function nameIn(
  asked: Readonly<Record<string, string>> | undefined,
  key: string,
): string | undefined {
  return Object.entries(asked ?? {}).find(([, each]) => each === key)?.[0];
}

/** Returns the signing key for states of a run. */
function secretOf({ data: { stateKey } }: ThreadRun): string {
  return typeof stateKey === "string" ? stateKey : "";
}

function bindingOf({ callerId }: McpCaller, call: ToolCall): StateBinding {
  return { callerId, tool: call.name, arguments: call.arguments };
}

/** Returns an error in the form for a model. */
function readable(error: EngineError): ToolResult {
  const { retryAfterMs } = error;
  const result = errorResult(error.message);
  return retryAfterMs === undefined
    ? result
    : { ...result, _meta: { "edgecrew/retryAfterMs": retryAfterMs } };
}

function textIn(data: JsonObject): string {
  const { feedback, value } = data;
  if (typeof feedback === "string" && feedback !== "") return feedback;
  return typeof value === "string" ? value : JSON.stringify(value ?? data);
}

function notThere(error: unknown): undefined {
  if (EngineError.is(error) && error.code === "not_found") return undefined;
  throw error;
}

function badParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function badState(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, {
    reason: "invalid_request_state",
  });
}
