import type { JsonValue } from "../../base/json.ts";
import type {
  OperationInput,
  OperationResult,
  RunOperation,
} from "../../runtime/run-operations.ts";
import { fromResult, type RpcResult } from "../rpc-result.ts";

/** RPC interface of a run's object. Its `fetch` returns the event stream. */
export interface RunObjectApi {
  /** Runs one operation of `RUN_OPERATIONS`. */
  call<Name extends RunOperation>(
    operation: Name,
    input: OperationInput<Name>,
  ): Promise<RpcResult<OperationResult<Name>>>;
}

/** Interface of a run's object for parts. */
export interface StoreObjectApi {
  /** Runs a part's function on the run's store; see `Part.inStore`. */
  inStore(part: string, input: JsonValue): Promise<RpcResult<JsonValue>>;
}

/** Used part of a Durable Object namespace: objects by name. */
export interface RunObjects {
  getByName(name: string): RunObjectApi;
}

/** Returns the name of a run's object. It includes the tenant, so other tenants cannot reach the run. */
export function runObjectName(tenant: string, id: string): string {
  return `t:${tenant}/run:${id}`;
}

/**
 * Runs an operation of a run in its object. Throws its error, and fails with `unavailable` (retryable) if the object
 * cannot be reached.
 */
export function callRun<Name extends RunOperation>(
  objects: RunObjects,
  { tenant, id }: { readonly tenant: string; readonly id: string },
  [operation, ...input]: [operation: Name, ...input: OperationInput<Name>],
): Promise<OperationResult<Name>> {
  return fromResult(objects.getByName(runObjectName(tenant, id)).call(operation, input));
}
