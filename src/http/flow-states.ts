// The states that a flow has kept, by flow id.
import { Hono } from "hono/tiny";
import type { Context } from "hono";
import { isoTime } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { FlowSnapshot, FlowSnapshotSummary, FlowStore } from "../flow/flow-store.ts";
import type { BuiltFlow } from "../flow/flow.ts";
import type { Page } from "../runtime/run-directory.ts";
import { allow } from "./auth.ts";
import { cursorAfter, keyOfCursor } from "./cursor.ts";
import { query } from "./query.ts";
import { findRegistered } from "./registered.ts";
import { flowStateQuery, pageQuery } from "./schemas.ts";
import type { HttpEnv } from "./services.ts";

/** A kept state as the API shows it. */
export type FlowStateView = Omit<FlowSnapshot, "flow" | "createdAtMs"> & {
  readonly createdAt: string;
};

/** The same in lists: without the state. */
export type FlowStateSummary = Omit<FlowSnapshotSummary, "flow" | "createdAtMs"> & {
  readonly createdAt: string;
};

export const flowStates = new Hono<HttpEnv>()
  .get("/:name/states/:id", allow("read"), query(flowStateQuery), async (c) => {
    const { store, flow, flowId } = kept(c, c.req.param("name"), c.req.param("id"));
    const { seq } = c.req.valid("query");
    const snapshot = await store.loadState(flow, flowId, seq);
    if (snapshot === undefined) throw nothingKept(flowId);
    return c.json<FlowStateView>(view(snapshot));
  })
  .get("/:name/states/:id/history", allow("read"), query(pageQuery), async (c) => {
    const { store, flow, flowId } = kept(c, c.req.param("name"), c.req.param("id"));
    const { cursor, limit } = c.req.valid("query");
    const found = await store.history(flow, flowId, { before: seqOf(cursor), limit: limit + 1 });
    const items = found.slice(0, limit).map((summary): FlowStateSummary => view(summary));
    const last = items.at(-1);
    if (found.length <= limit || last === undefined)
      return c.json<Page<FlowStateSummary>>({ items });
    return c.json<Page<FlowStateSummary>>({ items, nextCursor: cursorAfter(String(last.seq)) });
  })
  .delete("/:name/states/:id", allow("admin"), async (c) => {
    const { store, flow, flowId } = kept(c, c.req.param("name"), c.req.param("id"));
    if ((await store.forget(flow, flowId)) === 0) throw nothingKept(flowId);
    return c.body(null, 204);
  });

function kept(c: Context<HttpEnv>, name: string, flowId: string) {
  const { flows = {}, flowStates: storeFor } = c.var.services;
  const flow: BuiltFlow = findRegistered(flows, name, "flow");
  const store: FlowStore | undefined = flow.persistence ?? storeFor?.(c.var.caller.tenant);
  if (store !== undefined) return { store, flow: flow.name, flowId };
  throw new EngineError("not_found", `flow "${name}" keeps no states in this deployment`);
}

function view<Kept extends { readonly flow: string; readonly createdAtMs: number }>(
  snapshot: Kept,
): Omit<Kept, "flow" | "createdAtMs"> & { readonly createdAt: string } {
  const { flow: _, createdAtMs, ...rest } = snapshot;
  return { ...rest, createdAt: isoTime(createdAtMs) };
}

function nothingKept(flowId: string): EngineError {
  return new EngineError("not_found", `no such state is kept under ${preview(flowId)}`);
}

/** A cursor that somebody made up leads to an empty page. */
function seqOf(cursor: string | undefined): number | undefined {
  const key = keyOfCursor(cursor);
  return key === undefined ? undefined : Number(key);
}
