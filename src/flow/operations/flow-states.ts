// Stored states of a flow, by flow id.
import { isoTime } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { preview, type JsonObject } from "../../base/json.ts";
import { jsonView } from "../../base/recorded.ts";
import { cursorAfter, numberOfCursor } from "../../parts/cursor.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { findRegistered } from "../../parts/registered.ts";
import { pageQuery } from "../../parts/schemas.ts";
import { pageOf } from "../../runtime/page.ts";
import type { FlowPartOptions } from "../flow-part-options.ts";
import type { FlowSnapshot, FlowSnapshotSummary, FlowStore } from "../flow-store.ts";
import { flowStateQuery } from "./schemas.ts";
import { flowStateShape, flowStateSummaryShape } from "./shapes.ts";

/** A stored state in the API. */
export type FlowStateView = Omit<FlowSnapshot, "flow" | "createdAtMs"> & {
  readonly createdAt: string;
};

/** A stored state in lists, without its content. */
export type FlowStateSummary = Omit<FlowSnapshotSummary, "flow" | "createdAtMs"> & {
  readonly createdAt: string;
};

/** Returns the store of a flow's states, and the name of the flow in it. Throws `not_found`. */
type KeptBy = (
  tenant: string,
  name: string,
) => { readonly store: FlowStore; readonly flow: string };

const shared = {
  group: "Flows",
  subject: "flow",
  sample: { needs: "a state that a flow with `persist` has stored, by its id" },
} as const;

export function flowStateOperations(
  { flows }: Pick<FlowPartOptions, "flows">,
  { placeOf }: PartHost,
): readonly Operation[] {
  const keptBy: KeptBy = (tenant, name) => {
    const flow = findRegistered(flows, name, "flow");
    const store = flow.statesIn(placeOf(tenant).services);
    if (store !== undefined) return { store, flow: flow.name };
    throw new EngineError("not_found", `flow "${name}" has no store of states in this deployment`);
  };
  return [getFlowState(keptBy), flowStateHistory(keptBy), deleteFlowStates(keptBy)];
}

function getFlowState(keptBy: KeptBy): Operation {
  return operation({
    ...shared,
    id: "getFlowState",
    method: "get",
    path: "/flows/{name}/states/{id}",
    scope: "read",
    summary: "Show the newest saved state of a flow id",
    query: flowStateQuery,
    answers: { 200: { description: "The state", shape: flowStateShape } },
    problems: [400, 404],
    handle: async ({ tenant, params: { name = "", id = "" }, query: { seq } }) => {
      const { store, flow } = keptBy(tenant, name);
      const snapshot = await store.loadState(flow, id, seq);
      if (snapshot === undefined) throw nothingKept(id);
      const json: FlowStateView = view({
        ...snapshot,
        state: jsonView(snapshot.state) as JsonObject,
      });
      return { status: 200, json };
    },
  });
}

function flowStateHistory(keptBy: KeptBy): Operation {
  return operation({
    ...shared,
    id: "flowStateHistory",
    method: "get",
    path: "/flows/{name}/states/{id}/history",
    scope: "read",
    summary: "List the saved states of a flow id",
    description: "Newest first, without the states.",
    query: pageQuery,
    answers: { 200: { description: "A page of them", list: flowStateSummaryShape } },
    problems: [400, 404],
    handle: async ({ tenant, params: { name = "", id = "" }, query: { cursor, limit } }) => {
      const { store, flow } = keptBy(tenant, name);
      const before = numberOfCursor(cursor);
      const rows = await store.history(flow, id, { before, limit: limit + 1 });
      const json = pageOf(rows, limit, {
        item: (row): FlowStateSummary => view(row),
        cursor: ({ seq }) => cursorAfter(String(seq)),
      });
      return { status: 200, json };
    },
  });
}

function deleteFlowStates(keptBy: KeptBy): Operation {
  return operation({
    ...shared,
    id: "deleteFlowStates",
    method: "delete",
    path: "/flows/{name}/states/{id}",
    scope: "admin",
    summary: "Delete all saved states of a flow id",
    answers: { 204: { description: "Deleted" } },
    problems: [400, 404],
    handle: async ({ tenant, params: { name = "", id = "" } }) => {
      const { store, flow } = keptBy(tenant, name);
      if ((await store.forget(flow, id)) === 0) throw nothingKept(id);
      return { status: 204 };
    },
  });
}

function view<Kept extends { readonly flow: string; readonly createdAtMs: number }>(
  snapshot: Kept,
): Omit<Kept, "flow" | "createdAtMs"> & { readonly createdAt: string } {
  const { flow: _, createdAtMs, ...rest } = snapshot;
  return { ...rest, createdAt: isoTime(createdAtMs) };
}

function nothingKept(flowId: string): EngineError {
  return new EngineError("not_found", `no such state is stored under ${preview(flowId)}`);
}
