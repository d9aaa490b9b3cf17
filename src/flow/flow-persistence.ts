// Stored states of flows, and starts from them.
//
//   FP1. After a method with persistence, the flow's state is saved before the method counts as finished. The save is a
//        step: a repeated one replaces its earlier save. A failed save fails the method.
//   FP2. If the whole flow persists, or has its own store, `inputs.id` restores: the newest state stored under it
//        replaces the initial one, then the inputs are merged in. Later saves use the same id.
//   FP3. `restoreFromStateId` forks: the state comes from there, the id is `inputs.id` or a new one. The other id's
//        history stays.
//   FP4. A missing state is reported in an event, and the flow starts without it.
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { RunServices } from "../events/run-services.ts";
import type { FlowDefinition } from "./flow-definition.ts";
import { initialState, stateId, type StateSchema } from "./flow-state.ts";
import type { FlowStore } from "./flow-store.ts";
import { ownStore, type FlowPersistence } from "./own-store.ts";

/** Start of one execution. */
export type FlowStart = {
  readonly inputs: JsonObject;
  /** Flow id whose newest state it begins with, under its own id. */
  readonly restoreFromStateId?: string | undefined;
};

/** Fields of a flow for persistence. */
type PersistingFlow = {
  readonly definition: FlowDefinition;
  readonly schema: StateSchema;
  readonly initial: JsonObject;
  /** The flow's own store; beats the deployment's. */
  readonly persistence?: FlowPersistence | undefined;
};

/** True if the state is saved after a method. */
export function persistsAfter({ methods, persist }: FlowDefinition, method: string): boolean {
  return methods[method]?.persist ?? persist ?? false;
}

/**
 * Returns the store of the flow's states. Throws `invalid_definition` if the flow saves states but has no store, or
 * none for this tenant.
 */
export function storeOf(flow: PersistingFlow, services: RunServices): FlowStore | undefined {
  const { name, methods } = flow.definition;
  const store = flow.persistence ? ownStore(name, flow.persistence, services) : services.flowStates;
  const needed = Object.keys(methods).some((method) => persistsAfter(flow.definition, method));
  if (store !== undefined || !needed) return store;
  throw new EngineError(
    "invalid_definition",
    `flow "${name}" persists, and there is nowhere to keep its states: set flowStates of defineApp() (d1FlowStates), or give the flow persistence (new InMemoryFlowStore())`,
  );
}

/** Returns the flow id whose state an execution begins with; undefined for a new state. */
export function restoredFrom(
  { definition, persistence }: Pick<PersistingFlow, "definition" | "persistence">,
  { inputs, restoreFromStateId }: FlowStart,
): string | undefined {
  if (restoreFromStateId !== undefined) return restoreFromStateId;
  return definition.persist === true || persistence !== undefined ? stateId(inputs) : undefined;
}

/** Returns the state at the start. Throws `invalid_input` for inputs that do not fit. */
export async function stateAtStart(
  scope: RunScope,
  flow: PersistingFlow,
  { start, store }: { readonly start: FlowStart; readonly store: FlowStore | undefined },
): Promise<JsonObject> {
  const { inputs } = start;
  const { name } = flow.definition;
  const newId = scope.at("state").uuid();
  const from = restoredFrom(flow, start);
  if (from === undefined) return initialState(flow, inputs, newId);
  if (store === undefined)
    throw new EngineError(
      "invalid_input",
      `flow "${name}" cannot be restored from ${JSON.stringify(from)}: it has no store of states`,
    );
  const place = scope.at("restore");
  const found = await place.step<{ readonly method: string; readonly state: JsonObject } | null>({
    kind: "effect",
    run: async () => {
      const snapshot = await store.loadState(name, from);
      return snapshot === undefined ? null : { method: snapshot.method, state: snapshot.state };
    },
  });
  const method = found === null ? undefined : { method: found.method };
  place.emit("flow_state_restored", {
    flowName: name,
    flowId: from,
    found: found !== null,
    ...method,
  });
  if (found === null) return initialState(flow, inputs, newId);
  const { id: _, ...state } = found.state;
  const id = start.restoreFromStateId === undefined ? from : newId;
  return initialState({ schema: flow.schema, initial: state }, inputs, id);
}

/** Saves the state at its own place. After a few attempts it throws the store's error. */
export async function saveState(
  place: RunScope,
  store: FlowStore,
  what: { readonly flow: string; readonly method: string; readonly state: JsonObject },
): Promise<void> {
  const flowId = stateId(what.state);
  if (flowId === undefined)
    throw new EngineError(
      "invalid_input",
      `method ${what.method} left a state without an id, which cannot be saved: keep state.id a non-empty string`,
    );
  const { runId, path: key, clock } = place;
  await place.step<null>({
    kind: "effect",
    run: async () => {
      await store.saveState({ ...what, flowId, runId, key, createdAtMs: clock.now() });
      return null;
    },
  });
}
