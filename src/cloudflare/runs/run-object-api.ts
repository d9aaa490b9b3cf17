import type { JsonValue } from "../../base/json.ts";
import type {
  OperationInput,
  OperationResult,
  RunOperation,
} from "../../runtime/run-operations.ts";
import { fromResult, type RpcResult } from "../rpc-result.ts";

/** What a run's object answers over RPC. Beside it, `fetch` gives the event stream. */
export interface RunObjectApi {
  /** Does one operation of `RUN_OPERATIONS`. */
  call<Name extends RunOperation>(
    operation: Name,
    input: OperationInput<Name>,
  ): Promise<RpcResult<OperationResult<Name>>>;
}

/** What a run's object answers to parts. */
export interface StoreObjectApi {
  /** Has a part work with what the run has stored; see `Part.inStore`. */
  inStore(part: string, input: JsonValue): Promise<RpcResult<JsonValue>>;
}

/** The part of a Durable Object namespace that is needed: objects by name. */
export interface RunObjects {
  getByName(name: string): RunObjectApi;
}

/** The name of a run's object. Another tenant's run has another name, and so does not exist. */
export function runObjectName(tenant: string, id: string): string {
  return `t:${tenant}/run:${id}`;
}

/** Does an operation of a run in its object. Throws its error, and `unavailable` (retryable) when it could not be reached. */
export function callRun<Name extends RunOperation>(
  objects: RunObjects,
  { tenant, id }: { readonly tenant: string; readonly id: string },
  [operation, ...input]: [operation: Name, ...input: OperationInput<Name>],
): Promise<OperationResult<Name>> {
  return fromResult(objects.getByName(runObjectName(tenant, id)).call(operation, input));
}
