// The ways to start runs of crews: kickoffs, batches, training, tests and chats.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import { storableDefinition } from "../../parts/definition-specs.ts";
import type { StartWay } from "../../parts/part.ts";
import type { RunStart } from "../../runtime/run.ts";
import type { PreparedStart } from "../../starts/begin-start.ts";
import { startWay, type WayRequest } from "../../starts/start-way.ts";
import type { StartFields } from "../../starts/start-fields.ts";
import { actionRecord, type CrewAction } from "../actions/crew-action.ts";
import { trainingName } from "../actions/lessons.ts";
import { checkBatch } from "../batch/batch.ts";
import type { CrewPartOptions } from "../crew-part-options.ts";
import { findCrew, type FoundCrew } from "../definition/find-crew.ts";
import { codeInputs, startInputs } from "../start-inputs.ts";
import { chatBody, kickoffBody, kickoffForEachBody, testBody, trainBody } from "./schemas.ts";

const SHARED = { group: "Crews", subject: "crew" } as const;

export function crewWays({ crews, registry, maxBatchInputs }: CrewPartOptions) {
  const find = ({ host, tenant, name, fields }: WayRequest<StartFields>): Promise<FoundCrew> => {
    const sources = { ...registry, crews, definitions: host.definitions };
    return findCrew(sources, tenant, { name, version: fields.version });
  };

  return {
    kickoff: startWay({
      ...SHARED,
      id: "kickoffCrew",
      path: "/crews/{name}/kickoff",
      summary: "Start a run",
      description: "The output of the run is `{ raw, object?, tasks }`.",
      body: { name: "Kickoff", schema: kickoffBody, required: false },
      example: ({ inputs }) => ({ inputs }),
      prepare: async (request) => {
        const { name, byCode, fields } = request;
        const read = byCode ? codeInputs : startInputs;
        const start = kickoffStart(name, await find(request), { inputs: fields.inputs, read });
        return { start: (files) => ({ ...start, inputs: { ...files, ...start.inputs } }) };
      },
    }),
    kickoffForEach: startWay({
      ...SHARED,
      id: "kickoffCrewForEach",
      path: "/crews/{name}/kickoff-for-each",
      summary: "Start a run for each of many inputs",
      description:
        "One run of kind `batch`, whose child runs do the inputs. It completes with `output: { items, usage }`: for each input, in order, its `runId`, `status`, and `output: { raw, object? }` or `error`. An output that is too long for the batch to hold (`omitted`) is read from the run itself. `GET /runs?parent=` lists the child runs.",
      body: { name: "KickoffForEach", schema: kickoffForEachBody, required: true },
      example: ({ inputs }) => ({ inputs: [inputs, inputs] }),
      prepare: async (request) => {
        const { inputs, timeoutMs } = request.fields;
        const found = await find(request);
        const held = checkBatch(inputs, { crew: found.crew, maxInputs: maxBatchInputs });
        return {
          inputsAt: "",
          start: (files) => ({
            kind: "batch",
            name: request.name,
            inputs: {
              inputs: held.map((each) => ({ ...files, ...each })),
              ...(timeoutMs === undefined ? undefined : { timeoutMs }),
            },
            ...stored(found),
          }),
        };
      },
    }),
    train: startWay({
      ...SHARED,
      id: "trainCrew",
      path: "/crews/{name}/train",
      summary: "Train a crew",
      description:
        "The run waits for feedback on each answer of each task (`POST /runs/{id}/resume { feedback }`); its output is the Training, which is kept under `name`.",
      body: { name: "Train", schema: trainBody, required: true },
      example: ({ inputs }) => ({ iterations: 2, inputs }),
      prepare: async (request) => {
        const { iterations, name, inputs } = request.fields;
        const found = await find(request);
        const action = {
          action: "train",
          iterations,
          name: name ?? trainingName(found.crew),
        } as const;
        return actionStart(request.name, found, { action, inputs });
      },
    }),
    test: startWay({
      ...SHARED,
      id: "testCrew",
      path: "/crews/{name}/test",
      summary: "Test a crew",
      description:
        "A model scores the outputs of the tasks. The run's output is the report of an Evaluation, which is kept.",
      body: { name: "Test", schema: testBody, required: true },
      example: ({ inputs }) => ({ iterations: 3, inputs }),
      prepare: async (request) => {
        const { host, tenant, fields } = request;
        const { iterations, evalModel, inputs } = fields;
        const { definitions: rules } = host.placeOf(tenant).environment;
        const spec = { ...(evalModel === undefined ? undefined : { evalModel }) } as JsonObject;
        const judge = await storableDefinition(spec, { rules, owner: `${tenant}/test` });
        const more = judge as { readonly evalModel?: ModelSpec };
        const action = { action: "test", iterations, ...more } as const;
        return actionStart(request.name, await find(request), { action, inputs });
      },
    }),
    chat: startWay({
      ...SHARED,
      id: "chatWithCrew",
      path: "/crews/{name}/chat",
      summary: "Talk with a crew",
      description:
        "One turn of a conversation, as a run. The crew's `chatLlm` answers and can have the crew work; the run's output is `{ raw, message }`.",
      body: { name: "Chat", schema: chatBody, required: true },
      example: { messages: [{ role: "user", content: "What can you do?" }] },
      prepare: async (request) => {
        const { messages } = request.fields;
        return actionStart(request.name, await find(request), {
          action: { action: "chat", messages },
        });
      },
    }),
  } satisfies Readonly<Record<string, StartWay>>;
}

/** A crew, with its definition if it is a stored one. */
type Started = Pick<FoundCrew, "crew"> & { readonly definition?: unknown };

/** The start of a kickoff. Throws `invalid_input`. */
export function kickoffStart(
  name: string,
  found: Started,
  {
    inputs = {},
    read = startInputs,
  }: { readonly inputs?: JsonObject | undefined; readonly read?: typeof startInputs },
): Pick<RunStart, "kind" | "name" | "inputs" | "definition"> {
  return { kind: "crew", name, inputs: read(found.crew, inputs), ...stored(found) };
}

/** In a chat the person gives the inputs as the conversation goes on. */
function actionStart(
  name: string,
  found: Started,
  {
    action,
    inputs = {},
  }: { readonly action: CrewAction; readonly inputs?: JsonObject | undefined },
): PreparedStart {
  const held = action.action === "chat" ? {} : startInputs(found.crew, inputs);
  const entry = actionRecord(action);
  return {
    start: (files) => ({
      kind: "crew",
      name,
      inputs: { ...files, ...held },
      entry,
      ...stored(found),
    }),
  };
}

function stored({ definition }: Started): { readonly definition?: JsonValue } {
  return definition === undefined ? {} : { definition: definition as JsonValue };
}
