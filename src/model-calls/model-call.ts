import { EngineError, errorMessage } from "../base/error.ts";
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import { loadPart } from "../base/load-part.ts";
import { fingerprint } from "../base/hash.ts";
import { WAITING_RETRY } from "../base/retry.ts";
import type { RunScope } from "../events/run-scope.ts";
import type {
  CallTurn,
  Message,
  ModelRequest,
  ModelResponse,
  StreamListeners,
} from "../llm/language-model.ts";
import type { ModelCache } from "../llm/model-cache.ts";
import { CallRecord, type CallPurpose } from "./call-record.ts";
import { noteUnknownUsage } from "../llm/unknown-accounts.ts";
import { noteRequest } from "../llm/recorded-request.ts";
import { withStoredImages } from "./generated-images.ts";
import { attemptStream } from "./chunk-listeners.ts";
import { checkJudges } from "./judgement.ts";
import { answerCutOff, askedAgain, emptyAnswer, isEmpty } from "./empty-answer.ts";
import { thoughtlessResponse, thoughtsIn } from "./thoughts.ts";
import { afterModelCall, beforeModelCall } from "./model-hooks.ts";
import { runFilesIn, type ModelDelivery } from "../files/delivery.ts";
import type { requestFitter } from "../files/fit-request.ts";
import { isLostUpload } from "../files/lost-uploads.ts";
import { askChecked, isUsageUnknown } from "./checked-answer.ts";
import type { ModelCaller, Budget } from "./model-caller.ts";
import type { RateLimiter } from "./rate-limiter.ts";

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Storage for this tenant's answers of models with a `cacheSeed`. */
    readonly modelCache?: ModelCache;
  }
}

export type ModelCallOptions = {
  readonly request: ModelRequest;
  /** Fingerprint of the conversation; see `Transcript`. */
  readonly inputHash: string;
  /** Purpose of the answer in lists of calls. @default "other" */
  readonly purpose?: CallPurpose;
  readonly stream?: boolean | undefined;
  /**
   * True for a text with a tool call, in the caller's text form: a call that was cut is not continued as an answer.
   * @default no text has a call
   */
  readonly isCall?: ((text: string) => boolean) | undefined;
  /** True if the caller limits the length, so a cut answer is complete. @default it is continued */
  readonly keepsCut?: boolean | undefined;
  /** Receives the answer in addition to the subscribers of the run; with `stream`, and only on the first execution. */
  readonly listeners?: StreamListeners | undefined;
};

/** Maximum length of all messages of one request, in UTF-16 units: more than the largest context windows. */
const MAX_REQUEST_LENGTH = 8 * 1024 * 1024;

/**
 * Makes one model call as a durable step `llm` at `place`, with its events, and the hooks around it. For a conversation
 * with files of the run, a step `files` before it decides their form. If the provider has lost an upload, both are
 * repeated once, at `anew`.
 */
export async function callModel(
  place: RunScope,
  caller: ModelCaller,
  options: ModelCallOptions,
): Promise<ModelResponse> {
  const request = await beforeModelCall(place, caller, options.request);
  if (caller.limiter !== undefined) await waitForTurn(place, caller.limiter);
  const call = { ...options, request, original: options.request };
  const first = await notEmpty(place, caller, call);
  const isWhole = first.end !== "cut" || options.keepsCut === true;
  const response = isWhole ? first : await continued(place, caller, { call, first });
  return afterModelCall(place, caller, { request, response });
}

/** Asks, with the files of the run as the model takes them. */
function askWithFiles(at: RunScope, caller: ModelCaller, call: Asking): Promise<ModelResponse> {
  return runFilesIn(call.request.messages).length === 0
    ? askModel(at, caller, call)
    : askDelivered(at, caller, call);
}

async function askDelivered(
  at: RunScope,
  caller: ModelCaller,
  call: Asking & { readonly anew?: boolean },
): Promise<ModelResponse> {
  const { request, anew = false } = call;
  const { deliverFiles } = await at.load(() => import("../files/deliver-files.ts"));
  const deliveries = await deliverFiles(at.at("files"), { model: caller.model, request, anew });
  try {
    return await askModel(at, caller, { ...call, deliveries });
  } catch (error) {
    if (anew || !isLostUpload(error, deliveries)) throw error;
    return askDelivered(at.at("anew"), caller, { ...call, anew: true });
  }
}

/** Continues a conversation in a further call, at a place of its own. `added` is its new message. */
async function askFurther(
  at: RunScope,
  caller: ModelCaller,
  further: { readonly call: Asking; readonly request: ModelRequest; readonly added: Message },
): Promise<ModelResponse> {
  const { call, request, added } = further;
  if (caller.limiter !== undefined) await waitForTurn(at, caller.limiter);
  const inputHash = fingerprint(JSON.stringify(added), call.inputHash);
  return askWithFiles(at, caller, { ...call, inputHash, request, original: request });
}

/** Returns the answer, or, if it is empty, the answer to a second request (EA1, EA2). */
async function notEmpty(
  place: RunScope,
  caller: ModelCaller,
  call: Asking,
): Promise<ModelResponse> {
  const first = await askWithFiles(place, caller, call);
  if (!isEmpty(first) || (first.end === "cut" && call.keepsCut === true)) return first;
  const request = askedAgain(call.request);
  const added = request.messages.at(-1) as Message;
  const second = await askFurther(place.at("empty"), caller, { call, request, added });
  if (isEmpty(second)) throw emptyAnswer(caller.model.id, second);
  return second;
}

/** Returns the whole of a cut answer, or the cut call of a tool. */
async function continued(
  place: RunScope,
  caller: ModelCaller,
  { call, first }: { readonly call: Asking; readonly first: ModelResponse },
): Promise<ModelResponse> {
  const { wholeAnswer } = await place.load(() => import("./whole-answer.ts"));
  return wholeAnswer(first, {
    modelId: caller.model.id,
    request: call.request,
    isCall: call.isCall,
    askOn: (going, piece) => {
      const added = going.messages.at(-2) as Message;
      return askFurther(place.at(`more:${piece}`), caller, { call, request: going, added });
    },
  });
}

type Asking = ModelCallOptions & {
  /** Request of the caller, before changes by hooks. */
  readonly original: ModelRequest;
  readonly deliveries?: readonly ModelDelivery[];
};

async function askModel(
  place: RunScope,
  caller: ModelCaller,
  { request, original, deliveries, ...options }: Asking,
): Promise<ModelResponse> {
  const { model, deadlineAtMs } = caller;
  const scope = place.at("llm");
  const callId = scope.path;
  const asked = { drive: scope.drive, key: callId, hash: options.inputHash };
  const noted = noteRequest(asked, original.messages, request);
  const stream = options.stream ?? false;
  const about = { model, role: caller.identity?.role, purpose: options.purpose };
  const record = new CallRecord(scope, about);
  let thoughts = "";
  try {
    const recorded = await scope.step<ModelResponse>({
      kind: "model",
      label: model.id,
      inputHash: options.inputHash,
      hearsSilence: true,
      retry: WAITING_RETRY,
      deadlineAtMs,
      usage: (value) => value.usage,
      ...record.fields(noted.record),
      run: async (context, inside) => {
        const { signal, idempotencyKey, attempt, alive } = context;
        const turn = (): CallTurn => ({ runId: scope.runId, before: context.earlier });
        const { modelCache: cache } = scope.services;
        const { tools: own = [], builtinTools = [] } = request;
        const named = [...builtinTools.map(({ kind }) => kind), ...own.map(({ name }) => name)];
        const tools = named.length === 0 && request.tools === undefined ? {} : { tools: named };
        const inner = inside.open("llm_call_started", {
          callId,
          model: model.id,
          messageCount: request.messages.length,
          stream,
          ...tools,
        });
        if (caller.decides !== undefined) checkJudges(model, caller.decides);
        checkBudget(scope, caller.budget);
        checkBudget(scope, scope.services.budget ?? {});
        checkLength(model.id, request);
        if (deadlineAtMs !== undefined && scope.clock.now() >= deadlineAtMs)
          throw new EngineError("timeout", "no time is left for another model call");
        const { listeners = {} } = options;
        if (attempt > 1) listeners.onRestart?.();
        const prepare =
          deliveries === undefined
            ? undefined
            : await fitter(inside, { deliveries, model, texts: caller.fileTexts, signal });
        const streamed = stream
          ? attemptStream([record.attempt(), listeners], {
              attempt,
              signal,
              send: (type, chunk) => inner.emitLive(type, { callId, ...chunk }),
            })
          : undefined;
        let answer: ModelResponse;
        try {
          answer = await inner.run(() =>
            askChecked(model, request, {
              signal,
              onSign: alive,
              idempotencyKey,
              traceparent: inner.traceparent,
              turn,
              cache,
              ...streamed?.listeners,
              ...(prepare === undefined ? undefined : { prepare }),
            }),
          );
          streamed?.listeners.end();
          thoughts = answer.thinking ?? streamed?.thinking() ?? "";
          if (answer.images !== undefined) answer = await withStoredImages(scope, answer);
        } finally {
          streamed?.close();
        }
        if (answer.end === "cut" && options.keepsCut !== true && isEmpty(answer))
          throw answerCutOff(model.id, "the limit left no place for an answer");
        // Thoughts are in the event alone: no later call reads them from the answer.
        const { thinking: _, ...kept } = answer;
        return kept;
      },
    });
    noted.answered(recorded);
    const response = thoughtlessResponse(recorded);
    caller.meter.add(response.usage);
    const thinking = cut(thoughts || thoughtsIn(recorded.text), MAX_EVENT_TEXT);
    const usageUnknown = isUsageUnknown(response);
    if (usageUnknown) noteUnknownUsage(model.id);
    scope.emit("llm_call_completed", {
      callId,
      model: response.model ?? model.id,
      response: response.text,
      ...(thinking === "" ? undefined : { thinking }),
      callType: response.toolCalls.length > 0 ? "tool_call" : "llm_call",
      ...(response.toolCalls.length > 0 ? { toolCalls: response.toolCalls } : undefined),
      usage: response.usage,
      ...(usageUnknown ? { usageUnknown } : undefined),
      finishReason: response.finishReason,
      ...(response.ignored === undefined ? undefined : { ignored: response.ignored }),
      ...(response.responseId === undefined ? undefined : { responseId: response.responseId }),
      ...choiceOf(response),
      ...(caller.identity === undefined ? undefined : { agentRole: caller.identity.role }),
    });
    return response;
  } catch (error) {
    scope.emit("llm_call_failed", { callId, model: model.id, error: errorMessage(error) });
    throw error;
  }
}

/** Code for files is loaded by the first call with files. */
const fitter: (
  ...fitting: Parameters<typeof requestFitter>
) => Promise<ReturnType<typeof requestFitter>> = async (...fitting) => {
  const files = await loadPart(() => import("../files/fit-request.ts"));
  return files.requestFitter(...fitting);
};

/** Returns the fields of an answer set by a model list or a cache. */
function choiceOf({ configIndex, passedFilter, spent }: ModelResponse) {
  return {
    ...(configIndex === undefined ? undefined : { configIndex }),
    ...(passedFilter === undefined ? undefined : { passedFilter }),
    ...(spent === undefined ? undefined : { spent }),
  };
}

/** Throws `value_too_large` before more text is sent than any model reads. Images and files are not counted. */
function checkLength(modelId: string, { messages }: ModelRequest): void {
  let length = 0;
  for (const message of messages) {
    const { content } = message;
    if (typeof content === "string") length += content.length;
    else for (const part of content) if (part.type === "text") length += part.text.length;
  }
  if (length > MAX_REQUEST_LENGTH)
    throw new EngineError(
      "value_too_large",
      `a request to ${modelId} may have ${MAX_REQUEST_LENGTH} characters of text, got ${length}`,
    );
}

/**
 * Waits on a durable timer until the limiter has a place. Its places are on record, so replay waits exactly as long.
 */
async function waitForTurn(place: RunScope, limiter: RateLimiter): Promise<void> {
  const scope = place.at("rpm");
  let reserved = false;
  const { times, nowMs } = await scope.step<{
    readonly times: readonly number[];
    readonly nowMs: number;
  }>({
    kind: "effect",
    run: async () => {
      reserved = true;
      const now = scope.clock.now();
      return { times: limiter.reserve(now), nowMs: now };
    },
  });
  if (!reserved) limiter.restore(times);
  const dueAtMs = times.at(-1) ?? nowMs;
  if (dueAtMs > nowMs) await place.at("rpm-timer").wait({ kind: "timer", dueAtMs });
}

function checkBudget(scope: RunScope, { maxCostUsd, maxTokens }: Budget): void {
  const { costUsd, totalTokens } = scope.usage;
  if (maxCostUsd !== undefined && costUsd >= maxCostUsd) {
    throw new EngineError(
      "budget_exceeded",
      `the run has spent ${costUsd} of at most ${maxCostUsd} US dollars; no further model call is made`,
    );
  }
  if (maxTokens !== undefined && totalTokens >= maxTokens) {
    throw new EngineError(
      "budget_exceeded",
      `the run has used ${totalTokens} of at most ${maxTokens} tokens; no further model call is made`,
    );
  }
}
