// An answer's way through its guardrails.
//
//   GR1. They are asked in order; each sees what the one before it let through, changed or not.
//   GR2. After a refusal the work is done again; the prompt has the reason and the refused answer. All guardrails then judge the new answer
//        from the first on (upstream goes on with the one that refused).
//   GR3. Each guardrail may refuse `maxRetries` times; one more ends the work with `output_invalid`, naming guardrail,
//        retries and reason.
//   GR4. A function is called once for each answer, also when the run is replayed. What it throws ends the work at once,
//        as does a verdict in no known form: neither says anything about the answer.
//   GR6. A function that reads an object which is still to be made is called again once it is made. One that does not read it
//        costs no conversion, and neither does an answer that it refuses.
//   GR5. A text is judged by a model. That the model cannot be reached is no refusal: it ends the work with that error.
import { cut, MAX_EVENT_TEXT } from "../../base/cut.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { isJsonObject, preview, type JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type {
  CheckedGuardrail,
  GuardrailVerdict,
  ModelGuardrail,
  Verdict,
} from "../description/guardrail.ts";
import { askStructured, type ShapeCaller } from "./structured-output.ts";

/** How one answer's way through its guardrails goes. */
export type GuardrailRun<Output> = {
  readonly guardrails: ReadonlyArray<CheckedGuardrail<Output>>;
  /** How often each guardrail may have the work done again. */
  readonly maxRetries: number;
  /** Whose answer it is, as errors say it: `task "report"`. */
  readonly owner: string;
  /** What an answer has to be supported by, where a guardrail names nothing else. */
  readonly reference: string;
  /** On whose behalf models judge. */
  readonly caller: ShapeCaller;
};

/** What to do with an output that a guardrail changed or refused. */
export type GuardrailEffects<Recorded, Output> = {
  /** The output as functions see it. `demand` throws: a read of an object that is still to be made calls it. */
  readonly shown: (output: Recorded, demand: () => never) => Output;
  /** The output with its object made. Left out where no function can demand one. */
  readonly converted?: (output: Recorded) => Promise<Recorded>;
  /** The output with what a guardrail gave in its place. */
  readonly replaced: (place: RunScope, output: Recorded, value: JsonValue) => Promise<Recorded>;
  /** Does the work again, below `place`. */
  readonly again: (
    place: RunScope,
    refused: { error: string; output: Recorded },
  ) => Promise<Recorded>;
};

/** Takes an output through its guardrails; answers the one that passed them all. */
export async function runGuardrails<Recorded extends { readonly raw: string }, Output>(
  scope: RunScope,
  first: Recorded,
  { run, effects }: { run: GuardrailRun<Output>; effects: GuardrailEffects<Recorded, Output> },
): Promise<Recorded> {
  const retries = run.guardrails.map(() => 0);
  let place = scope;
  let output = first;
  let allRetries = 0;
  for (let index = 0; index < run.guardrails.length;) {
    const guardrail = run.guardrails[index];
    const retryCount = retries[index] ?? 0;
    if (guardrail === undefined) break;
    const at = place.at(`guardrail:${index}`);
    const verdict = await withEvents(
      at,
      { guardrail, retryCount, raw: output.raw },
      async (inner) => {
        if (typeof guardrail !== "function")
          return askModel(inner, guardrail, { run, raw: output.raw });
        const check = { guardrail, name: nameOf(run, index) };
        const judged = await callFunction(inner.at("call"), output, { check, effects });
        if (judged !== "wants object") return judged;
        output = (await effects.converted?.(output)) ?? output;
        const again = await callFunction(inner.at("call-again"), output, { check, effects });
        if (again === "wants object") throw new Error("a converted output has no object");
        return again;
      },
    );
    if (verdict.ok) {
      if (verdict.value !== undefined) output = await effects.replaced(at, output, verdict.value);
      index++;
      continue;
    }
    const { error } = verdict;
    if (retryCount >= run.maxRetries) {
      const times = run.maxRetries === 1 ? "1 retry" : `${run.maxRetries} retries`;
      throw new EngineError(
        "output_invalid",
        `${nameOf(run, index)} refused the answer after ${times}: ${error}`,
      );
    }
    retries[index] = retryCount + 1;
    place = scope.at(`guardrail-retry:${++allRetries}`);
    output = await effects.again(place, { error, output });
    index = 0;
  }
  return output;
}

/** Runs a guardrail between the events of its start and of its verdict or error. */
async function withEvents<Output>(
  place: RunScope,
  asked: { guardrail: CheckedGuardrail<Output>; retryCount: number; raw: string },
  judge: (inner: RunScope) => Promise<Verdict>,
): Promise<Verdict> {
  const { guardrail, retryCount, raw } = asked;
  const name = guardrail.name || "anonymous function";
  const inner = place.open("llm_guardrail_started", {
    guardrail: cut(name, MAX_EVENT_TEXT),
    retryCount,
    guardrailType: typeof guardrail === "function" ? "function" : guardrail.type,
  });
  let verdict: Verdict;
  try {
    verdict = await judge(inner);
  } catch (error) {
    place.emit("llm_guardrail_completed", {
      success: false,
      result: null,
      error: errorMessage(error),
      retryCount,
    });
    throw error;
  }
  const { value = raw } = verdict.ok ? verdict : { value: null };
  place.emit("llm_guardrail_completed", {
    success: verdict.ok,
    result: typeof value === "string" ? cut(value, MAX_EVENT_TEXT) : rawOf(value),
    ...(verdict.ok ? undefined : { error: cut(verdict.error, MAX_EVENT_TEXT) }),
    retryCount,
  });
  return verdict;
}

/** Of an output, its text; events are no place for all of it. */
function rawOf(value: JsonValue): string | null {
  const raw = isJsonObject(value) ? value["raw"] : undefined;
  return typeof raw === "string" ? cut(raw, MAX_EVENT_TEXT) : null;
}

/** The verdict of a function, or that it needs the object of the output first. */
function callFunction<Recorded, Output>(
  place: RunScope,
  output: Recorded,
  options: {
    readonly check: {
      readonly guardrail: (output: Output) => GuardrailVerdict | Promise<GuardrailVerdict>;
      readonly name: string;
    };
    readonly effects: Pick<GuardrailEffects<Recorded, Output>, "shown">;
  },
): Promise<Verdict | "wants object"> {
  const { check, effects } = options;
  const { guardrail, name } = check;
  return place.callOnce<Verdict | "wants object">(async () => {
    let wantsObject = false;
    const shown = effects.shown(output, () => {
      wantsObject = true;
      throw new Error("the object is made before the guardrail is called again");
    });
    let result: GuardrailVerdict;
    try {
      result = await guardrail(shown);
    } catch (error) {
      if (wantsObject) return "wants object";
      if (EngineError.is(error)) throw error;
      throw new EngineError("user_code_failed", `${name} threw: ${errorMessage(error)}`, {
        cause: error,
      });
    }
    return wantsObject ? "wants object" : readVerdict(result, { name, shown });
  });
}

async function askModel<Output>(
  place: RunScope,
  guardrail: ModelGuardrail,
  { run, raw }: { run: GuardrailRun<Output>; raw: string },
): Promise<Verdict> {
  const { caller, reference } = run;
  const model = guardrail.llm === undefined ? caller.model : place.model(guardrail.llm);
  const work = {
    ...caller,
    model,
    decides: "judge answers",
    get deadlineAtMs() {
      return caller.deadlineAtMs; // it may still move
    },
  };
  const question = guardrail.question(caller.prompts, { raw, reference });
  return guardrail.read(
    await askStructured(place, question, {
      shape: guardrail.shape,
      work,
      purpose: "guardrail",
    }),
  );
}

/** Throws `output_invalid` for a verdict in no known form. The output itself in its own place changes nothing. */
function readVerdict(
  result: unknown,
  { name, shown }: { readonly name: string; readonly shown: unknown },
): Verdict {
  const broken = (what: string): EngineError =>
    new EngineError(
      "output_invalid",
      `${name} must return [ok, value], { ok: true, value? } or { ok: false, error }; ${what}`,
    );
  if (Array.isArray(result)) {
    const [ok, value]: readonly unknown[] = result;
    if (result.length !== 2 || typeof ok !== "boolean") throw broken(`got ${preview(result)}`);
    return ok ? passed(value) : refused(value);
  }
  const verdict: Partial<Record<"ok" | "value" | "error", unknown>> =
    typeof result === "object" && result !== null ? result : {};
  const { ok, value, error } = verdict;
  if (ok === true && error === undefined) return value === undefined ? { ok } : passed(value);
  if (ok === false && value === undefined && error !== undefined) return refused(error);
  throw broken(`got ${preview(result)}`);

  function passed(replacement: unknown): Verdict {
    if (replacement === null || replacement === undefined)
      throw broken(`it passed the answer with ${String(replacement)} in its place`);
    return replacement === shown ? { ok: true } : { ok: true, value: replacement as JsonValue };
  }
}

function refused(reason: unknown): Verdict {
  const said =
    typeof reason === "string" || reason instanceof Error
      ? errorMessage(reason)
      : preview(reason, 2000);
  return { ok: false, error: said };
}

function nameOf<Output>({ guardrails, owner }: GuardrailRun<Output>, index: number): string {
  const name = guardrails[index]?.name ?? "";
  const which = guardrails.length === 1 ? "the guardrail" : `guardrail ${index}`;
  const named = name === "" || name === "guardrail" ? "" : ` (${preview(name)})`;
  return `${which}${named} of ${owner}`;
}
