// The ways to start runs of flows: kickoffs, which may go on from a checkpoint, and turns of conversations.
//
//   HT1. A turn is a run whose id comes from the flow, the session and the turn's own id: the same request starts it once.
//   HT2. A turn is refused with 409 while another one of its session is under way, before anything is started.
import type * as z from "zod";
import { EngineError } from "../../base/error.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { PartHost, StartWay } from "../../parts/part.ts";
import { invalidInput } from "../../parts/problem.ts";
import type { PreparedFork } from "../../starts/begin-start.ts";
import { startWay } from "../../starts/start-way.ts";
import type { FlowPartOptions } from "../flow-part-options.ts";
import { restoreEntry } from "../restore-entry.ts";
import { findFlow } from "./find-flow.ts";
import { flowKickoffBody, turnBody, type FlowKickoffBody } from "./schemas.ts";
import { talkingFlows, talkingName } from "./talking-flows.ts";

const SHARED = { group: "Flows", subject: "flow" } as const;

export function flowWays(options: FlowPartOptions) {
  return { kickoff: kickoffWay(options), turn: turnWay(options) } satisfies Readonly<
    Record<string, StartWay>
  >;
}

function kickoffWay(options: FlowPartOptions) {
  return startWay({
    ...SHARED,
    id: "kickoffFlow",
    path: "/flows/{name}/kickoff",
    summary: "Start a flow",
    description:
      "The inputs are merged into its state. The output of the run is `{ value, state }`.",
    body: { name: "FlowKickoff", schema: flowKickoffBody, required: false },
    example: ({ inputs }) => ({ inputs }),
    prepare: async ({ host, tenant, name, fields }) => {
      const { inputs = {}, restoreFromStateId, version } = fields;
      if (fields.fromCheckpoint !== undefined)
        return checkpointFork(host, tenant, { name, fields, from: fields.fromCheckpoint });
      const sources = { ...options, definitions: host.definitions };
      const found = await findFlow(sources, tenant, { name, version });
      const { flow } = found;
      return {
        takesOver: async () => {
          const { services } = host.placeOf(tenant);
          const stateId = restoreFromStateId ?? inputs["id"];
          if (typeof stateId !== "string") return false;
          return (await flow.statesIn(services)?.loadState(flow.name, stateId)) !== undefined;
        },
        start: (files) => {
          const all = { ...files, ...inputs };
          flow.checkKickoff(all, restoreFromStateId);
          return {
            kind: "flow",
            name,
            inputs: all,
            ...(restoreFromStateId === undefined
              ? undefined
              : { entry: restoreEntry(restoreFromStateId) }),
            ...(found.source === "stored" ? { definition: found.declaration } : undefined),
          };
        },
      };
    },
  });
}

function turnWay(options: FlowPartOptions) {
  const talking = talkingName(options);
  return startWay({
    ...SHARED,
    id: "takeTurn",
    sample:
      talking === undefined
        ? { needs: "a conversational flow" }
        : { values: { name: talking, sessionId: "customer-7" } },
    path: "/flows/{name}/turns",
    summary: "Say something to a flow",
    description:
      "A turn of a conversation with a conversational flow, as a run. Its output is `{ reply, messages, sessionId, turn, route, ended, value, state }`. 409 while another turn of the session is under way.",
    body: { name: "Turn", schema: turnBody, required: true },
    example: { message: "Where is my order?", sessionId: "customer-7" },
    prepare: async ({ host, tenant, name, id, stream, fields }) => {
      const { message, intents, inputs: values = {}, version } = fields;
      const { conversationOf, claim, servicesOf } = talkingFlows(options, host);
      const { conversation, ...stored } = await conversationOf(tenant, name, version);
      const sessionId = fields.sessionId ?? idFrom("session", name, id);
      const runId = idFrom("turn", name, sessionId, id);
      return {
        runId,
        streamsItself: true,
        takesOver: async () => {
          if (fields.sessionId === undefined) return false;
          const services = servicesOf(tenant, conversation);
          return (await conversation.session(sessionId, services)) !== undefined;
        },
        claim: () => claim(conversation, { tenant, sessionId, runId }),
        start: (files) => {
          const inputs = { ...files, ...values };
          const turn = { sessionId, message, intents, inputs, stream };
          conversation.checkTurn(turn);
          return { kind: "flow", name, inputs, entry: conversation.entry(turn), ...stored };
        },
      };
    },
  });
}

/** Fields without a meaning for a run that continues the record of another one. */
const REFUSED = ["restoreFromStateId", "version", "inputFiles"] as const;

/** Finds the checkpoint of another run of the flow. Throws `invalid_input`, and `not_found`. */
async function checkpointFork(
  { runs }: PartHost,
  tenant: string,
  {
    name,
    fields,
    from,
  }: {
    readonly name: string;
    readonly fields: z.output<typeof flowKickoffBody>;
    readonly from: NonNullable<FlowKickoffBody["fromCheckpoint"]>;
  },
): Promise<PreparedFork> {
  for (const field of REFUSED)
    if (fields[field] !== undefined)
      throw unfit(`/${field}`, "expected nothing, because the run continues another one");
  const other = await runs.get(tenant, from.run);
  if (other.kind !== "flow" || other.name !== name)
    throw unfit("/fromCheckpoint/run", `expected a run of flow "${name}"`);
  const checkpoint = from.checkpoint ?? (await runs.checkpoints(tenant, other.id)).at(-1)?.id;
  if (checkpoint === undefined)
    throw new EngineError("not_found", `run ${other.id} has no checkpoint yet`);
  return { fork: { of: other.id, from: { fromCheckpoint: checkpoint }, inputs: fields.inputs } };
}

/** An id that a run may have, the same for the same parts. */
function idFrom(kind: "session" | "turn", ...parts: readonly string[]): string {
  return `${kind}-${sha256Hex(JSON.stringify([kind, ...parts])).slice(0, 40)}`;
}

function unfit(path: string, message: string): EngineError {
  return invalidInput("the request body does not fit", [{ path, message }]);
}
