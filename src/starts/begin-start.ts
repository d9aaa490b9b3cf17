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

/** What a Worker needs to start runs. */
export type StartHost = Pick<PartHost, "runs" | "placeOf" | "parts"> &
  Partial<Pick<PartHost, "webhooks">>;

/** A start that was found to be right. */
export type PreparedStart = {
  /** What the run is started with, with its files. Throws `invalid_input`. */
  readonly start: (files: JsonObject) => Omit<RunStart, "id" | "tenant">;
  /** Where the inputs stand in the request, as a JSON pointer. @default "/inputs" */
  readonly inputsAt?: string;
  /** @default the one that was asked for */
  readonly runId?: string;
  /** The way has `stream` in its entry, and not in the run's context. @default false */
  readonly streamsItself?: true;
  /** Called when everything is checked, before the run begins. */
  readonly claim?: () => Promise<void>;
  /** Fields of the request that are not used. */
  readonly ignored?: readonly string[];
};

/** A fork that was found to be right. */
export type PreparedFork = {
  readonly fork: Omit<ForkRequest, "newId" | keyof ForkFields> & { readonly of: string };
};

/** Who starts a run, and as which. */
export type StartCall = {
  readonly tenant: string;
  readonly id: string;
  /** Whether words of models are events, where the fields do not say. @default false */
  readonly wantsWords?: boolean;
  readonly traceparent?: string | null;
};

/** A run that is about to begin, for the answer to its caller. */
export type Beginning = BeginningRun & {
  /** Throws `conflict` for a run that has the id and was started for something else. */
  readonly same: (run: Run) => Run;
  readonly ignored: readonly string[];
};

/** Prepares a start, and has `answer` begin the run. */
export async function beginStart<Answer>(
  host: StartHost,
  { fields, ...call }: StartCall & { readonly fields: StartFields },
  to: {
    readonly prepare: () => Promise<PreparedStart | PreparedFork>;
    readonly answer: (beginning: Beginning) => Promise<Answer>;
  },
): Promise<Answer> {
  const { tenant, wantsWords, traceparent } = call;
  const common = await commonParts(host, tenant, fields);
  const prepared = await to.prepare();
  const stream = fields.stream ?? (wantsWords === true ? true : undefined);
  if ("fork" in prepared) {
    refuseOfForks(fields);
    return to.answer(beginningFork(host, { ...call, ...common, stream }, prepared.fork));
  }
  const { runId = call.id, inputsAt = "/inputs", start, claim, ignored = [] } = prepared;
  const wished = prepared.streamsItself ? {} : wishesContext({ stream: stream ?? false });
  return withRunFiles(
    host.placeOf(tenant),
    { runId, inputFiles: fields.inputFiles, inputsAt },
    {
      start: (files) => withContext({ ...start(files), ...common }, wished),
      begin: async (whole) => {
        await claim?.();
        return to.answer({
          id: runId,
          ignored,
          same: (run) => sameRun(run, whole),
          begin: async (settleMs) => {
            const webhooks = await sealed(host, { tenant, id: runId }, whole.webhooks);
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

/** Prepares a fork, and has `answer` begin it. */
export async function beginFork<Answer>(
  host: StartHost,
  { fields, ...call }: StartCall & { readonly fields: ForkFields },
  to: {
    readonly prepare: () => Promise<PreparedFork>;
    readonly answer: (beginning: Beginning) => Promise<Answer>;
  },
): Promise<Answer> {
  const common = await commonParts(host, call.tenant, fields);
  const { fork } = await to.prepare();
  const stream = fields.stream ?? (call.wantsWords === true ? true : undefined);
  return to.answer(beginningFork(host, { ...call, ...common, stream }, fork));
}

type CommonParts = Pick<RunStart, "tags" | "meta" | "webhooks" | "overrides">;

async function commonParts(
  host: StartHost,
  tenant: string,
  fields: ForkFields,
): Promise<CommonParts> {
  const targets = webhookTargets(fields.webhooks, host);
  const overrides = await runOverrides(fields, host, tenant);
  return { ...callerFields(fields), ...targets, ...overrides };
}

function beginningFork(
  { runs, placeOf, ...host }: StartHost,
  {
    tenant,
    id,
    traceparent = null,
    stream,
    webhooks: targets,
    ...common
  }: StartCall & CommonParts & { readonly stream: boolean | undefined },
  { of, ...request }: PreparedFork["fork"],
): Beginning {
  const { tags, meta, overrides } = common;
  const taken = { ...request, tags, meta, overrides, newId: id, traceparent };
  const context = stream === undefined ? undefined : { context: { stream } };
  const edited = "edit" in request.from ? request.from.edit.key : undefined;
  return {
    id,
    ignored: [],
    same: (run) => sameFork(run, { of, branch: request.branch, edited }),
    begin: async () => {
      const { webhooks } = await sealed({ runs, placeOf, ...host }, { tenant, id }, targets);
      return runs.fork(tenant, of, { ...taken, ...context, webhooks });
    },
  };
}

function sealed(
  { placeOf }: StartHost,
  { tenant, id }: Pick<StartCall, "tenant" | "id">,
  targets: RunStart["webhooks"],
): ReturnType<typeof sealedTargets> {
  const rules = targets === undefined ? undefined : placeOf(tenant).environment.definitions;
  return sealedTargets(targets, { rules, owner: `${tenant}/run/${id}` });
}

function withContext<Start extends Pick<RunStart, "context">>(
  start: Start,
  more: JsonObject,
): Start {
  const context = { ...start.context, ...more };
  return Object.keys(context).length === 0 ? start : { ...start, context };
}

/** Fields that mean nothing for a run which goes on from another one's record. */
function refuseOfForks(fields: StartFields): void {
  const refused = (["version", "inputFiles"] as const).filter((name) => fields[name] !== undefined);
  if (refused.length === 0) return;
  throw invalidInput(
    "the request body does not fit",
    refused.map((name) => ({
      path: `/${name}`,
      message: "expected nothing, because the run goes on from the record of another one",
    })),
  );
}
