// The store of states that a flow brings along, which belongs to one tenant.
//
//   OS1. A store is made for each tenant, once; a store that is not made for tenants is that of tenant "default", and refused
//        to every other: no tenant reads, continues or deletes what another one keeps.
import { invalidDefinition } from "../base/invalid-definition.ts";
import { preview } from "../base/json.ts";
import type { RunServices } from "../events/run-services.ts";
import type { FlowStore } from "./flow-store.ts";

/** A flow's own store: one for tenant "default" alone, or what makes the store of a tenant, called once for each. */
export type FlowPersistence = FlowStore | ((tenant: string) => FlowStore);

const ALONE = "default";
const EXAMPLE = "(tenant) => storeOf(tenant)";

const made = new WeakMap<object, Map<string, FlowStore>>();

/** The flow's own store for the tenant of these services. Throws `invalid_definition` (OS1). */
export function ownStore(
  flow: string,
  persistence: FlowPersistence,
  { tenant = ALONE }: RunServices,
): FlowStore {
  if (typeof persistence !== "function") {
    if (tenant === ALONE) return persistence;
    throw invalidDefinition(
      `flow "${flow}" keeps its states in one store, which tenant "${tenant}" cannot share with tenant "${ALONE}": set persistence to a function, such as ${EXAMPLE}`,
    );
  }
  let stores = made.get(persistence);
  if (stores === undefined) made.set(persistence, (stores = new Map()));
  let store = stores.get(tenant);
  if (store === undefined) {
    store = persistence(tenant);
    if (!isStore(store))
      throw invalidDefinition(
        `flow "${flow}": persistence must return a FlowStore for tenant "${tenant}", got ${preview(store)}`,
      );
    stores.set(tenant, store);
  }
  return store;
}

/** Throws `invalid_definition` for what is neither a store nor a function. */
export function checkPersistence(flow: string, persistence: unknown): void {
  if (persistence === undefined || typeof persistence === "function" || isStore(persistence))
    return;
  throw invalidDefinition(
    `flow "${flow}": persistence must be a FlowStore (saveState, loadState, history, forget), or a function that returns that of a tenant, such as ${EXAMPLE}; got ${preview(persistence)}`,
  );
}

function isStore(value: unknown): value is FlowStore {
  const methods = ["saveState", "loadState", "history", "forget"];
  return (
    typeof value === "object" &&
    value !== null &&
    methods.every((method) => typeof (value as Record<string, unknown>)[method] === "function")
  );
}
