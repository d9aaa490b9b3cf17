import { wishedStream } from "../../agent/caller-wishes.ts";
import { checkInputs } from "../../base/interpolate.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { startRunWithFiles, type FilesByName } from "../../files/start-with-files.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import { storableDefinition } from "../../parts/definition-specs.ts";
import type { Scope } from "../../parts/key-store.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import { FINISHED, STARTED } from "../../parts/documented-runs.ts";
import type { OperationAnswer } from "../../parts/operation-answer.ts";
import type { PartHost } from "../../parts/part.ts";
import { runOverrides } from "../../parts/run-overrides.ts";
import { startInputs } from "../start-inputs.ts";
import { callerFields } from "../../parts/schemas.ts";
import { webhookTargets } from "../../parts/webhook-targets.ts";
import { checkBatch } from "../batch/batch.ts";
import type { CrewPartOptions } from "../crew-part.ts";
import type { Crew } from "../crew.ts";
import { actionRecord, type CrewAction } from "../actions/crew-action.ts";
import { findCrew, type FoundCrew } from "../definition/find-crew.ts";
import { trainingName } from "../actions/lessons.ts";
import { chatBody, kickoffBody, kickoffForEachBody, testBody, trainBody } from "./schemas.ts";

type Request = {
  readonly tenant: string;
  readonly params: Readonly<Record<string, string>>;
  readonly raw: globalThis.Request;
  readonly scopes: readonly Scope[];
};

/** Runs of crews: kickoffs, batches, training, tests and chats. */
export function crewRunOperations(
  { crews, registry, maxBatchInputs }: CrewPartOptions,
  host: PartHost,
): readonly Operation[] {
  const shared = {
    group: "Crews",
    subject: "crew",
    method: "post",
    scope: "run",
    headers: ["Idempotency-Key", "Prefer"],
    answers: { 200: FINISHED, 202: STARTED },
    problems: [400, 404, 413, 415],
  } as const;
  const sources = { ...registry, crews, definitions: host.definitions };

  /** Starts a training, test or chat run of the crew. */
  async function startAction(
    request: Request,
    fields: {
      readonly inputs?: JsonObject | undefined;
      readonly inputFiles?: FilesByName | undefined;
      readonly id?: string | undefined;
      readonly tags?: readonly string[] | undefined;
      readonly meta?: JsonObject | undefined;
      readonly version?: number | undefined;
      readonly stream?: boolean | undefined;
    },
    actionOf: (crew: Crew) => CrewAction,
  ): Promise<OperationAnswer> {
    const { name = "" } = request.params;
    const { inputs = {}, inputFiles, id, tags, meta, version, stream } = fields;
    const found = await findCrew(sources, request.tenant, { name, version });
    const action = actionOf(found.crew);
    // In a chat the person gives the inputs during the conversation.
    const held = action.action === "chat" ? checked(inputs) : startInputs(found.crew, inputs);
    return startRunWithFiles(host, request, {
      id,
      inputFiles,
      start: (files) => ({
        kind: "crew",
        name,
        inputs: { ...files, ...held },
        entry: actionRecord(action),
        ...stored(found),
        ...callerFields({ tags, meta }),
        ...wishedStream(request, stream),
      }),
    });
  }

  return [
    operation({
      ...shared,
      id: "kickoffCrew",
      path: "/crews/{name}/kickoff",
      summary: "Start a run",
      description:
        "With `Accept: text/event-stream` the answer is the run's event stream; with `Prefer: wait=N` it may be the finished run, whose output is `{ raw, object?, tasks }`.",
      body: { name: "Kickoff", schema: kickoffBody, required: false },
      example: ({ inputs }) => ({ inputs }),
      handle: async (request) => {
        const { name = "" } = request.params;
        const { inputs = {}, inputFiles, id, tags, meta, version, webhooks, stream } = request.body;
        const targets = webhookTargets(webhooks, host);
        const overrides = await runOverrides(request.body, host, request.tenant);
        const found = await findCrew(sources, request.tenant, { name, version });
        const held = startInputs(found.crew, inputs);
        return startRunWithFiles(host, request, {
          id,
          inputFiles,
          start: (files) => ({
            kind: "crew",
            name,
            inputs: { ...files, ...held },
            ...stored(found),
            ...callerFields({ tags, meta }),
            ...wishedStream(request, stream),
            ...targets,
            ...overrides,
          }),
        });
      },
    }),
    operation({
      ...shared,
      id: "kickoffCrewForEach",
      path: "/crews/{name}/kickoff-for-each",
      summary: "Start a run for each of many inputs",
      description:
        "One run of kind `batch`, whose child runs do the inputs. It completes with `output: { items, usage }`: for each input, in order, its `runId`, `status`, and `output: { raw, object? }` or `error`. An output that is too long for the batch to hold (`omitted`) is read from the run itself. `GET /runs?parent=` lists the child runs.",
      body: { name: "KickoffForEach", schema: kickoffForEachBody, required: true },
      example: ({ inputs }) => ({ inputs: [inputs, inputs] }),
      handle: async (request) => {
        const { name = "" } = request.params;
        const { inputs, inputFiles, id, timeoutMs, tags, meta, version, webhooks } = request.body;
        const targets = webhookTargets(webhooks, host);
        const overrides = await runOverrides(request.body, host, request.tenant);
        const found = await findCrew(sources, request.tenant, { name, version });
        const held = checkBatch(inputs, { crew: found.crew, maxInputs: maxBatchInputs });
        return startRunWithFiles(host, request, {
          id,
          inputFiles,
          inputsAt: "",
          start: (files) => ({
            kind: "batch",
            name,
            inputs: {
              inputs: held.map((each) => ({ ...files, ...each })),
              ...(timeoutMs === undefined ? undefined : { timeoutMs }),
            },
            ...stored(found),
            ...callerFields({ tags, meta }),
            ...targets,
            ...overrides,
          }),
        });
      },
    }),
    operation({
      ...shared,
      id: "trainCrew",
      path: "/crews/{name}/train",
      summary: "Train a crew",
      description:
        "The run waits for feedback on each answer of each task (`POST /runs/{id}/resume { feedback }`); its output is the Training, which is kept under `name`.",
      body: { name: "Train", schema: trainBody, required: true },
      example: ({ inputs }) => ({ iterations: 2, inputs }),
      handle: (request) => {
        const { iterations, name, ...fields } = request.body;
        return startAction(request, fields, (crew) => ({
          action: "train",
          iterations,
          name: name ?? trainingName(crew),
        }));
      },
    }),
    operation({
      ...shared,
      id: "testCrew",
      path: "/crews/{name}/test",
      summary: "Test a crew",
      description:
        "A model scores the outputs of the tasks. The run's output is the report of an Evaluation, which is kept.",
      body: { name: "Test", schema: testBody, required: true },
      example: ({ inputs }) => ({ iterations: 3, inputs }),
      handle: async (request) => {
        const { iterations, evalModel, ...fields } = request.body;
        const { definitions: rules } = host.placeOf(request.tenant).environment;
        const owner = `${request.tenant}/test`;
        const spec = { ...(evalModel === undefined ? undefined : { evalModel }) } as JsonObject;
        const judge = await storableDefinition(spec, { rules, owner });
        return startAction(request, fields, () => ({
          action: "test",
          iterations,
          ...(judge as { readonly evalModel?: ModelSpec }),
        }));
      },
    }),
    operation({
      ...shared,
      id: "chatWithCrew",
      path: "/crews/{name}/chat",
      summary: "Talk with a crew",
      description:
        "One turn of a conversation, as a run. The crew's `chatLlm` answers and can have the crew work; the run's output is `{ raw, message }`.",
      body: { name: "Chat", schema: chatBody, required: true },
      example: { messages: [{ role: "user", content: "What can you do?" }] },
      handle: (request) => {
        const { messages, ...fields } = request.body;
        return startAction(request, fields, () => ({ action: "chat", messages }));
      },
    }),
  ];
}

function checked(inputs: JsonObject): JsonObject {
  checkInputs(inputs);
  return inputs;
}

function stored(found: FoundCrew): { readonly definition?: JsonValue } {
  return found.source === "stored" ? { definition: found.definition as JsonValue } : {};
}
