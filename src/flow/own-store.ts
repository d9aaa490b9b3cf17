// A flow's own state store, which belongs to one tenant.
//
//   OS1. A function makes one store for each tenant, once. A plain store belongs to tenant "default", and is refused to
//        every other: no tenant reads, continues or deletes the states of another one.
import { invalidDefinition } from "../base/invalid-definition.ts";
import { preview } from "../base/json.ts";
import type { RunServices } from "../events/run-services.ts";
import type { FlowStore } from "./flow-store.ts";

/**
 * A flow's own store: one for tenant "default" alone, or a function to make the store of a tenant, called once for
 * each.
 */
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

/** Throws `invalid_definition` for a value other than a store or a function. */
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
