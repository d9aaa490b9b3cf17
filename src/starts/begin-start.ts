// The start of a run, by whichever way: the common fields are checked, the way prepares, files are stored, and the run begins. Webhooks
// and overrides are checked before anything is stored.
import type { JsonObject } from "../base/json.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { withRunFiles } from "../files/start-with-files.ts";
import { wishesContext } from "../model-calls/caller-wishes.ts";
import type { PartHost } from "../parts/part.ts";
import { runOverrides } from "../parts/run-overrides.ts";
import { sameFork, sameRun } from "../parts/same-run.ts";
import { callerFields } from "../parts/schemas.ts";
import type { BeginningRun } from "../parts/start-run.ts";
import { sealedTargets, webhookTargets } from "../parts/webhook-targets.ts";
import type { ForkRequest } from "../runtime/fork-request.ts";
import type { Run, RunStart } from "../runtime/run.ts";
import { startTrace } from "../runtime/run-trace.ts";
import type { ForkFields, StartFields } from "./start-fields.ts";

/** Services of a Worker for starting runs. */
export type StartHost = Pick<PartHost, "runs" | "placeOf" | "parts"> &
  Partial<Pick<PartHost, "webhooks">>;

/** A checked start. */
export type PreparedStart = {
  /** Returns the start of the run with its files. Throws `invalid_input`. */
  readonly start: (files: JsonObject) => Omit<RunStart, "id" | "tenant">;
  /** Place of the inputs in the request, as a JSON pointer. @default "/inputs" */
  readonly inputsAt?: string;
  /** @default the requested id */
  readonly runId?: string;
  /** The run's entry has `stream`, and its context does not. @default false */
  readonly streamsItself?: true;
  /** Called when everything is checked, before the run begins. */
  readonly claim?: () => Promise<void>;
  /** True if the run takes over contents of a session or a stored state. @default false */
  readonly takesOver?: (() => Promise<boolean>) | undefined;
  /** Unused fields of the request. */
  readonly ignored?: readonly string[];
};

/** A checked fork. */
export type PreparedFork = {
  readonly fork: Omit<ForkRequest, "newId" | keyof ForkFields> & { readonly of: string };
};

/** The caller of a start, and the run's id. */
export type StartCall = {
  readonly tenant: string;
  readonly id: string;
  readonly fields: StartFields;
  /** True if the answer is the event stream of the run, or has a token to follow it. @default false */
  readonly wantsWords?: boolean;
  readonly traceparent?: string | null;
};

/** The requested id, and whether texts of models are recorded in chunks. */
export type AskedRun = { readonly id: string; readonly stream: boolean | undefined };

/** A run about to begin, for the answer to its caller. */
export type Beginning = BeginningRun & {
  /** Throws `conflict` for another run under the same id. */
  readonly same: (run: Run) => Run;
  readonly ignored: readonly string[];
};

type StartSteps<Answer> = {
  readonly prepare: (asked: AskedRun) => Promise<PreparedStart | PreparedFork>;
  /** Called before anything is stored, with the question whether the run takes over earlier contents. */
  readonly admit?: (takesOver: () => Promise<boolean>) => Promise<void>;
  readonly answer: (beginning: Beginning) => Promise<Answer>;
};

/** Prepares a start or a fork, and has `answer` begin the run. */
export async function beginStart<Answer>(
  host: StartHost,
  call: StartCall,
  to: StartSteps<Answer>,
): Promise<Answer> {
  const { tenant, id, fields, wantsWords = false } = call;
  const common = {
    ...callerFields(fields),
    ...webhookTargets(fields.webhooks, host),
    ...(await runOverrides(fields, host, tenant)),
    ...(fields.person === undefined ? undefined : { person: fields.person }),
  };
  const stream = fields.stream ?? (wantsWords || undefined);
  const prepared = await to.prepare({ id, stream });
  const { takesOver = never } = "fork" in prepared ? { takesOver: always } : prepared;
  await to.admit?.(takesOver);
  const begin = { ...call, common, stream, answer: to.answer };
  return "fork" in prepared
    ? beginFork(host, prepared.fork, begin)
    : beginPrepared(host, prepared, begin);
}

/** A start whose fields are checked. */
type CheckedCall<Answer> = StartCall &
  Pick<StartSteps<Answer>, "answer"> & {
    readonly common: Pick<RunStart, "tags" | "meta" | "webhooks" | "overrides" | "person">;
    readonly stream: boolean | undefined;
  };

async function beginFork<Answer>(
  host: StartHost,
  { of, ...request }: PreparedFork["fork"],
  { tenant, id, common, stream, traceparent = null, answer }: CheckedCall<Answer>,
): Promise<Answer> {
  if (id === of)
    throw invalidInput("the request body does not fit", [
      { path: "/id", message: `expected an id other than the run's own, got "${id}"` },
    ]);
  const context = stream === undefined ? undefined : { context: { stream } };
  const edited = "edit" in request.from ? request.from.edit.key : undefined;
  return answer({
    id,
    ignored: [],
    same: (run) => sameFork(run, { of, branch: request.branch, edited }),
    begin: async () => {
      const webhooks = await sealed(host, { tenant, id, targets: common.webhooks });
      const { person: _, ...changed } = common; // a fork keeps the person of its run
      const own = { ...changed, ...webhooks, ...context };
      return host.runs.fork(tenant, of, { ...request, ...own, newId: id, traceparent });
    },
  });
}

async function beginPrepared<Answer>(
  host: StartHost,
  prepared: PreparedStart,
  { tenant, id, fields, common, stream, traceparent = null, answer }: CheckedCall<Answer>,
): Promise<Answer> {
  const { runId = id, inputsAt = "/inputs", start, claim, ignored = [] } = prepared;
  const wished = wishesContext({ stream: prepared.streamsItself ? undefined : stream });
  return withRunFiles(
    host.placeOf(tenant),
    { runId, inputFiles: fields.inputFiles, inputsAt },
    {
      start: (files) => withContext({ ...start(files), ...common }, wished),
      begin: async (whole) => {
        await claim?.();
        return answer({
          id: runId,
          ignored,
          same: (run) => sameRun(run, whole),
          begin: async (settleMs) => {
            const webhooks = await sealed(host, { tenant, id: runId, targets: whole.webhooks });
            const trace = startTrace(traceparent);
            return host.runs.start(
              { ...whole, ...webhooks, ...trace, id: runId, tenant },
              settleMs,
            );
          },
        });
      },
    },
  );
}

/** Returns the webhooks of a run with their secrets sealed, if the definitions of the deployment demand it. */
function sealed(
  { placeOf }: StartHost,
  {
    tenant,
    id,
    targets,
  }: { readonly tenant: string; readonly id: string; readonly targets: RunStart["webhooks"] },
): ReturnType<typeof sealedTargets> {
  const rules = targets && placeOf(tenant).environment.definitions;
  return sealedTargets(targets, { rules, owner: `${tenant}/run/${id}` });
}

const always = async (): Promise<boolean> => true;
const never = async (): Promise<boolean> => false;

function withContext<Start extends Pick<RunStart, "context">>(
  start: Start,
  more: JsonObject,
): Start {
  const context = { ...start.context, ...more };
  return Object.keys(context).length === 0 ? start : { ...start, context };
}
