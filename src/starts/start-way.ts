// Ways to start runs: a kickoff, a batch, a training. Each is one value, of which its operation and the start by code are made.
import type * as z from "zod";
import { invalidInput } from "../base/invalid-input.ts";
import { toIssues } from "../base/zod-issues.ts";
import { FINISHED, STARTED } from "../parts/documented-runs.ts";
import type { AnswerHeader } from "../parts/headers.ts";
import { operation, type ExampleSubject, type Operation } from "../parts/operation.ts";
import type { PartHost, StartWay } from "../parts/part.ts";
import type { JsonObject } from "../base/json.ts";
import { answerStart } from "./answer-start.ts";
import { beginStart, type PreparedFork, type PreparedStart } from "./begin-start.ts";
import type { StartFields } from "./start-fields.ts";

/** A request for a run of a definition. */
export type WayRequest<Fields> = {
  readonly host: PartHost;
  readonly tenant: string;
  /** The definition. */
  readonly name: string;
  /** The run's id. */
  readonly id: string;
  /** True if the run records texts of models in chunks. @default the definition's setting */
  readonly stream: boolean | undefined;
  readonly fields: Fields;
  /** Code of the Worker starts it: without any inputs, texts keep their placeholders. */
  readonly byCode: boolean;
};

type WaySpec<Fields extends StartFields> = Pick<Operation, "id" | "path" | "group" | "summary"> & {
  readonly description: string;
  /** The kind of what the path names. */
  readonly subject: string;
  readonly body: {
    readonly name: string;
    readonly schema: z.ZodType<Fields>;
    readonly required: boolean;
  };
  readonly example: ((subject: ExampleSubject) => JsonObject) | JsonObject;
  readonly sample?: Operation["sample"];
  /** Headers of its answers, beside those of every start. */
  readonly answerHeaders?: readonly AnswerHeader[];
  /** Finds the definition, and checks the fields of the way's own. */
  readonly prepare: (request: WayRequest<Fields>) => Promise<PreparedStart | PreparedFork>;
};

const ANSWERS =
  "`Accept: text/event-stream` answers with the run's events, `Prefer: wait=N` may answer with the finished run.";

/** Defines a way to start runs. The types of its fields are inferred from its schema. */
export function startWay<Fields extends StartFields>(spec: WaySpec<Fields>): StartWay {
  const { prepare, body, sample, answerHeaders = [], description, ...route } = spec;
  return {
    path: route.path,
    fields: body.schema,
    operation: (host) =>
      operation({
        ...route,
        description: `${description} ${ANSWERS}`,
        ...(sample === undefined ? undefined : { sample }),
        method: "post",
        scope: "run",
        headers: ["Idempotency-Key", "Prefer"],
        body,
        answers: {
          200: { ...FINISHED, headers: [...FINISHED.headers, ...answerHeaders] },
          202: { ...STARTED, headers: [...STARTED.headers, ...answerHeaders] },
        },
        problems: [400, 404, 409, 413, 415],
        handle: (request) => {
          const { tenant, params, body: fields } = request;
          const asked = { host, tenant, name: params["name"] ?? "", fields, byCode: false };
          return answerStart(host, request, (run) => prepare({ ...asked, ...run }));
        },
      }),
    begin: async (host, { tenant, name, fields: sent }) => {
      const fields = checkedFields(body.schema, sent);
      const id = fields.id ?? host.randomId();
      const asked = { host, tenant, name, fields, byCode: true };
      return beginStart(
        host,
        { tenant, id, fields },
        {
          prepare: (run) => prepare({ ...asked, ...run }),
          answer: async ({ begin, id: runId }) => {
            await begin(undefined);
            return runId;
          },
        },
      );
    },
  };
}

/** The operations of ways, in their order. */
export function wayOperations(
  ways: Readonly<Record<string, StartWay>>,
  host: PartHost,
): readonly Operation[] {
  return Object.values(ways).map((way) => way.operation(host));
}

/** Files of code need not be JSON: what starts the run reads them. */
function checkedFields<Fields extends StartFields>(
  schema: z.ZodType<Fields>,
  { inputFiles, ...options }: Readonly<Record<string, unknown>> & Pick<StartFields, "inputFiles">,
): Fields {
  const parsed = schema.safeParse(options);
  if (!parsed.success)
    throw invalidInput("the options do not fit", toIssues(parsed.error, options));
  if (parsed.data.token !== undefined)
    throw invalidInput("the options do not fit", [
      { path: "/token", message: "expected nothing, because code has createRunToken()" },
    ]);
  return inputFiles === undefined ? parsed.data : { ...parsed.data, inputFiles };
}
