import { DurableObject } from "cloudflare:workers";
import type { FlowStatesApi } from "../src/cloudflare/stores/durable-flow-store.ts";
import { toResult } from "../src/cloudflare/rpc-result.ts";
import { SqlFlowStates } from "../src/cloudflare/stores/sql-flow-states.ts";

type Api<Method extends keyof FlowStatesApi> = ReturnType<FlowStatesApi[Method]>;

/** States of one flow id. Used with `defineApp({ flowStates: durableFlowStates("…") })`. */
export class FlowStates extends DurableObject implements FlowStatesApi {
  readonly #states: SqlFlowStates;

  constructor(ctx: DurableObjectState, env: object) {
    super(ctx, env as never);
    const { storage } = ctx;
    this.#states = new SqlFlowStates({
      exec: (query, ...bindings) => storage.sql.exec(query, ...bindings),
      transaction: (change) => storage.transactionSync(change),
    });
  }

  saveState(snapshot: Parameters<FlowStatesApi["saveState"]>[0]): Api<"saveState"> {
    return toResult(() => this.#states.save(snapshot));
  }

  loadState(...[flow, flowId, seq]: Parameters<FlowStatesApi["loadState"]>): Api<"loadState"> {
    return toResult(() => this.#states.load({ flow, flowId }, seq));
  }

  history(...[flow, flowId, page]: Parameters<FlowStatesApi["history"]>): Api<"history"> {
    return toResult(() => this.#states.history({ flow, flowId }, page));
  }

  forget(): Api<"forget"> {
    return toResult(async () => {
      const count = this.#states.count();
      await this.ctx.storage.deleteAll();
      return count;
    });
  }
}
