// CrewAI's hosted API, for frontends that were made for it: under /compat/:name as they know it.
import { Hono } from "hono/tiny";
import { EngineError } from "../base/error.ts";
import { preview, type JsonValue } from "../base/json.ts";
import { checkInputs } from "../base/interpolate.ts";
import {
  answerTo,
  CREWAI_EVENTS,
  CREWAI_FORMAT,
  hasTask,
  isLastTask,
  statusOf,
  waitsOfTask,
} from "../protocols/crewai/codec.ts";
import {
  crewaiKickoffBody,
  crewaiResumeBody,
  type CrewaiError,
  type CrewaiResumed,
  type CrewaiStatus,
} from "../protocols/crewai/schema.ts";
import type { Run, RunStart } from "../runtime/run.ts";
import { allow } from "./auth.ts";
import { findCrew } from "../crew/find-crew.ts";
import { HttpError, type Problem } from "./problem.ts";
import { body } from "./request-body.ts";
import type { AppServices, HttpEnv } from "./services.ts";
import { givenRunId, runIdOf } from "./started-run.ts";
import { webhookTargets } from "./webhook-targets.ts";

/** How long a resume waits for a run that has nothing left to do but to end. */
const LAST_TASK_MS = 2_000;

export const compat = new Hono<HttpEnv>()
  .get("/:name/inputs", allow("read"), async (c) => {
    const { crew } = await findCrew(c.var.services, c.var.caller.tenant, c.req.param("name"));
    return c.json({ inputs: [...crew.requiredInputs] });
  })
  .post("/:name/kickoff", allow("run"), body(crewaiKickoffBody), async (c) => {
    const { services, caller } = c.var;
    const { tenant } = caller;
    const name = c.req.param("name");
    const { inputs, meta, ...given } = c.req.valid("json");
    const targets = crewaiTargets(given, services);
    const found = await findCrew(services, tenant, name);
    checkInputs(inputs);
    const missing = found.crew.requiredInputs.filter((each) => !Object.hasOwn(inputs, each));
    if (missing.length > 0)
      return c.json<CrewaiError, 422>(
        {
          error: "missing_inputs",
          message: `the crew's texts need these inputs, got none: ${missing.join(", ")}`,
          details: { missing_inputs: missing },
        },
        422,
      );
    const id =
      (await givenRunId(undefined, c.req.header("idempotency-key"))) ?? services.randomId();
    await services.runs.start({
      id,
      tenant,
      kind: "crew",
      name,
      inputs,
      ...(found.source === "stored" ? { definition: found.definition as JsonValue } : undefined),
      ...(meta == null ? undefined : { meta }),
      ...targets,
    });
    return c.json({ kickoff_id: id });
  })
  .get("/:name/status/:id", allow("read"), async (c) => {
    const run = await execution(c.var, c.req.param("name"), c.req.param("id"));
    return c.json<CrewaiStatus>(statusOf(run));
  })
  .post("/:name/resume", allow("run"), body(crewaiResumeBody), async (c) => {
    const { executionId, taskId, ...answer } = c.req.valid("json");
    const { tenant } = c.var.caller;
    const { runs } = c.var.services;
    const run = await execution(c.var, c.req.param("name"), executionId);
    if (!hasTask(run, taskId))
      throw new EngineError(
        "not_found",
        `execution ${run.id} has no task ${preview(taskId)}; its tasks: ${run.tasks?.map(({ key }) => key).join(", ") ?? "unknown"}`,
      );
    const [wait] = waitsOfTask(run, taskId);
    if (wait === undefined)
      throw notWaiting(`task ${taskId} of execution ${run.id} waits for nobody`);
    const resumed = await runs
      .resume(tenant, run.id, answerTo(wait, answer))
      .catch((error: unknown) => {
        // Somebody else has answered, or cancelled the run, in between.
        throw EngineError.is(error) && error.code === "conflict"
          ? notWaiting(error.message)
          : error;
      });
    return c.json<CrewaiResumed>(await outcome(resumed));

    async function outcome(now: Run): Promise<CrewaiResumed> {
      if (!answer.isApprove)
        return { status: "retrying", message: "The task is done again with the feedback." };
      const latest = isLastTask(run, taskId)
        ? await runs.settled(tenant, run.id, LAST_TASK_MS)
        : now;
      return latest.status === "completed"
        ? { status: "completed", message: "The execution is completed." }
        : { status: "resumed", message: "The execution goes on." };
    }
  });

/** A run of this crew. Throws `not_found` for any other. */
async function execution(
  { services, caller }: HttpEnv["Variables"],
  name: string,
  id: string,
): Promise<Run> {
  const run = await services.runs.get(caller.tenant, runIdOf(id));
  if (run.kind === "crew" && run.name === name) return run;
  throw new EngineError("not_found", `crew "${name}" has no execution ${id}`);
}

function notWaiting(message: string): HttpError {
  return new HttpError("conflict", message, { status: 400 });
}

type GivenUrls = Readonly<Partial<Record<keyof typeof CREWAI_EVENTS, string | null | undefined>>>;

function crewaiTargets(given: GivenUrls, services: AppServices): Pick<RunStart, "webhooks"> {
  const fields = (Object.keys(CREWAI_EVENTS) as (keyof typeof CREWAI_EVENTS)[]).filter(
    (field) => given[field] != null && given[field] !== "",
  );
  const webhooks = fields.map((field) => ({
    url: given[field] ?? "",
    events: CREWAI_EVENTS[field],
    format: CREWAI_FORMAT,
  }));
  return webhookTargets(webhooks, services, (index) => `/${fields[index]}`);
}

/** A problem as these clients know errors. */
export async function compatProblem(problem: Response): Promise<Response> {
  const { code, detail } = (await problem.json()) as Problem;
  const headers = new Headers(problem.headers);
  headers.set("content-type", "application/json");
  const answer: CrewaiError = { error: code, message: detail };
  return new Response(JSON.stringify(answer), { status: problem.status, headers });
}

export function isCompat(path: string): boolean {
  return path.startsWith("/compat/");
}
