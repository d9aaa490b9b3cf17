import { errorMessage } from "../base/error.ts";
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import { loadPart } from "../base/load-part.ts";
import { fingerprint } from "../base/hash.ts";
import { WAITING_RETRY } from "../base/retry.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { StepContext } from "../journal/step-spec.ts";
import type {
  Message,
  ModelRequest,
  ModelResponse,
  StreamListeners,
} from "../llm/language-model.ts";
import type { ModelCache } from "../llm/model-cache.ts";
import { answerFields, requestFields } from "./call-events.ts";
import { checkCall } from "./call-limits.ts";
import { CallRecord, type CallPurpose } from "./call-record.ts";
import { noteUnknownUsage } from "../llm/unknown-accounts.ts";
import { noteRequest } from "../llm/recorded-request.ts";
import { withStoredImages } from "./generated-images.ts";
import { attemptStream } from "./chunk-listeners.ts";
import { answerCutOff, askedAgain, emptyAnswer, isEmpty } from "./empty-answer.ts";
import { thoughtlessResponse, thoughtsIn } from "./thoughts.ts";
import { afterModelCall, beforeModelCall } from "./model-hooks.ts";
import { runFilesIn, type ModelDelivery } from "../files/delivery.ts";
import type { requestFitter } from "../files/fit-request.ts";
import { isLostUpload } from "../files/lost-uploads.ts";
import { askChecked, isUsageUnknown } from "./checked-answer.ts";
import type { ModelCaller } from "./model-caller.ts";
import type { Streaming } from "./caller-stream.ts";
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
  /** @default false */
  readonly stream?: Streaming | undefined;
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
  call: Asking,
): Promise<ModelResponse> {
  const { request, original, inputHash, purpose } = call;
  const { model, deadlineAtMs, identity } = caller;
  const scope = place.at("llm");
  const callId = scope.path;
  const asked = { drive: scope.drive, key: callId, hash: inputHash };
  const noted = noteRequest(asked, original.messages, request);
  const record = new CallRecord(scope, { model, role: identity?.role, purpose });
  let thoughts = "";
  const onThoughts = (text: string): void => void (thoughts = text);
  const asking: StepOfCall = { scope, caller, call, record, onThoughts };
  try {
    const recorded = await scope.step<ModelResponse>({
      kind: "model",
      label: model.id,
      inputHash,
      hearsSilence: true,
      retry: WAITING_RETRY,
      deadlineAtMs,
      usage: (value) => value.usage,
      ...record.fields(noted.record),
      run: (context, inside) => askOnce(asking, context, inside),
    });
    noted.answered(recorded);
    const response = thoughtlessResponse(recorded);
    caller.meter.add(response.usage);
    if (isUsageUnknown(response)) noteUnknownUsage(model.id);
    const thinking = cut(thoughts || thoughtsIn(recorded.text), MAX_EVENT_TEXT);
    scope.emit("llm_call_completed", {
      callId,
      ...answerFields(response, caller),
      ...(thinking === "" ? undefined : { thinking }),
    });
    return response;
  } catch (error) {
    scope.emit("llm_call_failed", { callId, model: model.id, error: errorMessage(error) });
    throw error;
  }
}

type StepOfCall = {
  readonly scope: RunScope;
  readonly caller: ModelCaller;
  readonly call: Asking;
  readonly record: CallRecord;
  /** Receives the model's thinking: it is in the event of the call, and in no record. */
  readonly onThoughts: (thoughts: string) => void;
};

/** Makes one attempt of the step: checks the call, sends the request and streams the answer. */
async function askOnce(
  { scope, caller, call, record, onThoughts }: StepOfCall,
  context: StepContext,
  inside: RunScope,
): Promise<ModelResponse> {
  const { signal, idempotencyKey, attempt, alive } = context;
  const { model } = caller;
  const { request, deliveries, listeners = {} } = call;
  const callId = scope.path;
  const stream = call.stream === "followed" ? scope.requestsWords() : call.stream === true;
  const started = { callId, model: model.id, ...requestFields(request), stream };
  const inner = inside.open("llm_call_started", started);
  checkCall(scope, caller, request);
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
        turn: () => ({ runId: scope.runId, before: context.earlier }),
        cache: scope.services.modelCache,
        ...streamed?.listeners,
        ...(prepare === undefined ? undefined : { prepare }),
      }),
    );
    streamed?.listeners.end();
    onThoughts(answer.thinking ?? streamed?.thinking() ?? "");
    if (answer.images !== undefined) answer = await withStoredImages(scope, answer);
  } finally {
    streamed?.close();
  }
  if (answer.end === "cut" && call.keepsCut !== true && isEmpty(answer))
    throw answerCutOff(model.id, "the limit left no place for an answer");
  const { thinking: _, ...recorded } = answer;
  return recorded;
}

/** Code for files is loaded by the first call with files. */
const fitter: (
  ...fitting: Parameters<typeof requestFitter>
) => Promise<ReturnType<typeof requestFitter>> = async (...fitting) => {
  const files = await loadPart(() => import("../files/fit-request.ts"));
  return files.requestFitter(...fitting);
};

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
