import { EngineError } from "../../base/error.ts";
import type {
  FlowHistoryPage,
  FlowSnapshot,
  FlowSnapshotSummary,
  FlowStore,
} from "../../flow/flow-store.ts";
import { fromResult, type RpcResult } from "../rpc-result.ts";

/** RPC interface of an object with the states of one flow id. */
export interface FlowStatesApi {
  saveState(snapshot: FlowSnapshot): Promise<RpcResult<void>>;
  loadState(
    flow: string,
    flowId: string,
    seq: number | undefined,
  ): Promise<RpcResult<FlowSnapshot | undefined>>;
  history(
    flow: string,
    flowId: string,
    page: FlowHistoryPage,
  ): Promise<RpcResult<readonly FlowSnapshotSummary[]>>;
  forget(): Promise<RpcResult<number>>;
}

type FlowStatesNamespace = { getByName(name: string): FlowStatesApi };

/** Creates a tenant's store of flow states from the bindings of a Worker. */
export type FlowStatesSetting = (env: object, tenant: string) => FlowStore;

/**
 * Stores states of flows in Durable Objects, one for each flow id: without a shared database, and with ordered saves
 * for each flow id. `binding` is the namespace of class `FlowStates` in wrangler.toml.
 */
export function durableFlowStates(binding: string): FlowStatesSetting {
  return (env, tenant) => {
    const namespace = (env as Record<string, unknown>)[binding];
    if (typeof namespace === "object" && namespace !== null && "getByName" in namespace)
      return new DurableFlowStore(namespace as FlowStatesNamespace, tenant);
    throw new EngineError(
      "invalid_definition",
      `wrangler.toml must bind the Durable Object class FlowStates as ${binding}`,
    );
  };
}

/** States of a tenant's flows, with one object for each flow id. */
class DurableFlowStore implements FlowStore {
  readonly #objects: FlowStatesNamespace;
  readonly #tenant: string;

  constructor(objects: FlowStatesNamespace, tenant: string) {
    this.#objects = objects;
    this.#tenant = tenant;
  }

  saveState(snapshot: FlowSnapshot): Promise<void> {
    return fromResult(this.#object(snapshot.flow, snapshot.flowId).saveState(snapshot));
  }

  loadState(flow: string, flowId: string, seq?: number): Promise<FlowSnapshot | undefined> {
    return fromResult(this.#object(flow, flowId).loadState(flow, flowId, seq));
  }

  history(
    flow: string,
    flowId: string,
    page: FlowHistoryPage,
  ): Promise<readonly FlowSnapshotSummary[]> {
    return fromResult(this.#object(flow, flowId).history(flow, flowId, page));
  }

  forget(flow: string, flowId: string): Promise<number> {
    return fromResult(this.#object(flow, flowId).forget());
  }

  /** Each tenant's objects have distinct names, as encoding removes the separators from the parts. */
  #object(flow: string, flowId: string): FlowStatesApi {
    const [owner, id] = [flow, flowId].map((part) => encodeURIComponent(part.toWellFormed()));
    return this.#objects.getByName(`t:${this.#tenant}/flow:${owner}/state:${id}`);
  }
}
