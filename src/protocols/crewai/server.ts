// CrewAI's hosted API under /compat/:name, for existing frontends.
import { snakeCase } from "../../base/camel-case.ts";
import { EngineError } from "../../base/error.ts";
import { checkInputs } from "../../base/interpolate.ts";
import { preview } from "../../base/json.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { Part, PartHost, Subject } from "../../parts/part.ts";
import { HttpError, type Problem } from "../../parts/problem.ts";
import { keyedRunId, runIdOf } from "../../parts/started-run.ts";
import { findSubject, subjectsOf } from "../../parts/subjects.ts";
import { webhookTargets } from "../../parts/webhook-targets.ts";
import { beginStart } from "../../starts/begin-start.ts";
import type { Run, RunStart } from "../../runtime/run.ts";
import {
  answerTo,
  crewaiBody,
  CREWAI_EVENTS,
  CREWAI_FORMAT,
  findTask,
  isLastTask,
  statusOf,
  taskIdOf,
  waitsOfTask,
} from "./codec.ts";
import { isConflict, repeatedAnswer } from "./repeated-answer.ts";
import {
  crewaiKickoffBody,
  crewaiResumeBody,
  crewaiResumeWire,
  type CrewaiError,
  type CrewaiResumed,
  crewaiErrorShape,
  crewaiInputsShape,
  crewaiKickoffShape,
  crewaiResumedShape,
  crewaiStatusShape,
} from "./schema.ts";

/** Maximum wait of a resume for the run's end after its last task. */
const LAST_TASK_MS = 2_000;

/** The routes of CrewAI's hosted API, and the bodies of its webhooks. */
export function crewaiPart(): Part {
  return {
    name: "crewai",
    docs: "hosted-api.md",
    webhookFormats: { [CREWAI_FORMAT]: crewaiBody },
    bind: (host) => ({
      operations: crewaiOperations(host),
      problems: {
        matches: (path) => path.startsWith("/compat/"),
        form: () => ({ shape: crewaiErrorShape }),
        answer: crewaiProblem,
      },
    }),
  };
}

const shared = {
  group: "CrewAI compatibility",
  subject: "crew",
} as const;

function crewaiOperations(host: PartHost): readonly Operation[] {
  const context = crewaiContextOf(host);
  return [
    compatInputs(context),
    compatKickoff(context),
    compatStatus(context),
    compatResume(context),
  ];
}

type CrewaiContext = ReturnType<typeof crewaiContextOf>;

function crewaiContextOf(host: PartHost) {
  const { runs, definitions, parts } = host;
  const sources = { subjects: subjectsOf(parts), definitions };
  const crewOf = (tenant: string, name: string): Promise<Subject> =>
    findSubject(sources, tenant, { kind: "crew", name });

  /** Returns a run of this crew. Fails with `not_found` for any other. */
  async function execution(tenant: string, name: string, id: string): Promise<Run> {
    const run = await runs.get(tenant, runIdOf(id));
    if (run.kind === "crew" && run.name === name) return run;
    throw new EngineError("not_found", `crew "${name}" has no execution ${id}`);
  }

  return { host, runs, crewOf, execution };
}

const compatInputs = ({ crewOf }: CrewaiContext) =>
  operation({
    ...shared,
    id: "compatInputs",
    method: "get",
    path: "/compat/{name}/inputs",
    scope: "read",
    summary: "List the inputs that a crew needs",
    answers: { 200: { description: "Names of the inputs", shape: crewaiInputsShape } },
    problems: [404],
    handle: async ({ tenant, params: { name = "" } }) => {
      const { requiredInputs } = await crewOf(tenant, name);
      return { status: 200, json: { inputs: [...requiredInputs] } };
    },
  });

const compatKickoff = ({ host, crewOf }: CrewaiContext) =>
  operation({
    ...shared,
    id: "compatKickoff",
    method: "post",
    path: "/compat/{name}/kickoff",
    scope: "run",
    summary: "Start an execution",
    description: "The kickoff_id is the id of a run. Unknown fields are ignored.",
    headers: ["Idempotency-Key"],
    body: { name: "CrewaiKickoffBody", schema: crewaiKickoffBody, required: true },
    answers: {
      200: { description: "Started", shape: crewaiKickoffShape },
      422: {
        description: "Inputs are missing; `details.missing_inputs` names them",
        shape: crewaiErrorShape,
        headers: ["X-Should-Retry"],
      },
    },
    problems: [400, 404, 413, 415],
    example: ({ inputs }) => ({ inputs }),
    handle: async ({ tenant, params: { name = "" }, body, raw }) => {
      const { inputs, files: inputFiles, meta, ...urls } = body;
      const targets = crewaiTargets(urls, host);
      const crew = await crewOf(tenant, name);
      checkInputs(inputs);
      const missing = crew.requiredInputs.filter((each) => !Object.hasOwn(inputs, each));
      if (missing.length > 0) {
        const json = {
          error: "Missing Inputs",
          code: "missing_inputs",
          message: `the crew's texts need these inputs, got none: ${missing.join(", ")}`,
          details: { missing_inputs: missing },
        };
        return { status: 422, json };
      }
      const id = keyedRunId(raw) ?? host.randomId();
      const traceparent = raw.headers.get("traceparent");
      const fields = { meta: meta ?? undefined, inputFiles: inputFiles ?? undefined };
      await beginStart(
        host,
        { tenant, id, traceparent, fields },
        {
          prepare: async () => ({
            start: (files) => ({ ...crew.start(inputs, files), ...targets }),
          }),
          answer: async ({ begin, same }) => same(await begin(undefined)),
        },
      );
      return { status: 200, json: { kickoff_id: id } };
    },
  });

const compatStatus = ({ execution }: CrewaiContext) =>
  operation({
    ...shared,
    id: "compatStatus",
    sample: { run: { id: "example-run", kind: "crew" } },
    method: "get",
    path: "/compat/{name}/status/{id}",
    scope: "read",
    summary: "Show an execution",
    description:
      "Running, completed or error. An execution that waits for a person is running, with `pending_human_input`.",
    answers: { 200: { description: "Status of the execution", shape: crewaiStatusShape } },
    problems: [404],
    handle: async ({ tenant, params: { name = "", id = "" } }) => ({
      status: 200,
      json: statusOf(await execution(tenant, name, id)),
    }),
  });

const RETRYING: CrewaiResumed = {
  status: "retrying",
  message: "The task is repeated with the feedback.",
};
const COMPLETED: CrewaiResumed = {
  status: "completed",
  message: "The execution is completed.",
};
const RESUMED: CrewaiResumed = { status: "resumed", message: "The execution continues." };

const compatResume = ({ runs, execution }: CrewaiContext) =>
  operation({
    ...shared,
    id: "compatResume",
    sample: { needs: "an execution that waits for a person" },
    method: "post",
    path: "/compat/{name}/resume",
    scope: "run",
    summary: "Answer an execution that waits for a person",
    description:
      "The execution keeps the webhooks that it was started with; addresses in this body are not needed. The same answer again, by its `Idempotency-Key` or while the task asks nothing else, has no further effect. 400 if it does not wait for a person, or if another answer was taken.",
    headers: ["Idempotency-Key"],
    body: {
      name: "CrewaiResumeBody",
      schema: crewaiResumeBody,
      wire: crewaiResumeWire,
      required: true,
    },
    answers: { 200: { description: "Next step of the execution", shape: crewaiResumedShape } },
    problems: [400, 404, 413, 415],
    example: {
      execution_id: "9b2f6c1e-3c4d-4f7a-8a53-2f1f6f0b8f7e",
      task_id: "draft",
      human_feedback: "Looks good",
      is_approve: true,
    },
    handle: async ({ tenant, params: { name = "" }, body, raw }) => {
      const { executionId, taskId, ...answer } = body;
      const answerId = keyedRunId(raw);
      const run = await execution(tenant, name, executionId);
      const taskKey = taskOf(run, taskId);
      const [wait] = waitsOfTask(run, taskKey);
      const sent = answerId === undefined ? undefined : { id: answerId };
      const repeated = await repeatedAnswer(runs, tenant, {
        run,
        taskKey,
        answer: { ...answer, ...sent },
      });
      if (repeated !== undefined && wait !== undefined && sent === undefined)
        throw notWaiting(
          `task ${taskId} of execution ${run.id} was answered in these words before, and asks again: send an Idempotency-Key of its own with each answer`,
        );
      if (repeated === undefined && wait === undefined)
        throw notWaiting(`task ${taskId} of execution ${run.id} does not wait for a person`);
      const resumed =
        repeated ??
        (await runs
          .resume(tenant, run.id, { ...(wait && answerTo(wait, answer)), ...sent })
          .catch((error: unknown) => {
            // Another request has answered the wait or cancelled the run.
            throw isConflict(error) ? notWaiting(error.message) : error;
          }));
      if (!answer.isApprove) return { status: 200, json: RETRYING };
      const latest = isLastTask(run, taskKey)
        ? await runs.settled(tenant, run.id, LAST_TASK_MS)
        : resumed;
      return { status: 200, json: latest.status === "completed" ? COMPLETED : RESUMED };
    },
  });

/** Returns the key of a task of the run. Throws `not_found`. */
function taskOf(run: Run, taskId: string): string {
  const key = findTask(run, taskId);
  if (key !== undefined) return key;
  const names = run.tasks?.map((task) => taskIdOf(run, task.key)).join(", ") ?? "unknown";
  throw new EngineError(
    "not_found",
    `execution ${run.id} has no task ${preview(taskId)}; its tasks: ${names}`,
  );
}

function notWaiting(message: string): HttpError {
  return new HttpError("conflict", message, { status: 400 });
}

type WebhookUrls = Readonly<Partial<Record<keyof typeof CREWAI_EVENTS, string | null | undefined>>>;

function crewaiTargets(urls: WebhookUrls, host: PartHost): Pick<RunStart, "webhooks"> {
  const fields = (Object.keys(CREWAI_EVENTS) as (keyof typeof CREWAI_EVENTS)[]).filter(
    (field) => urls[field] != null && urls[field] !== "",
  );
  const webhooks = fields.map((field) => ({
    url: urls[field] ?? "",
    events: CREWAI_EVENTS[field],
    format: CREWAI_FORMAT,
  }));
  return webhookTargets(webhooks, host, (index) => `/${fields[index]}`);
}

/** Converts a problem to the form of the hosted API. */
async function crewaiProblem(problem: Response): Promise<Response> {
  const { title, code, detail } = (await problem.json()) as Problem;
  const headers = new Headers(problem.headers);
  headers.set("content-type", "application/json");
  const message = detail.replace(/\/(?:executionId|taskId|humanFeedback|isApprove)\b/g, snakeCase);
  const answer: CrewaiError = { error: title, code, message };
  return new Response(JSON.stringify(answer), { status: problem.status, headers });
}
