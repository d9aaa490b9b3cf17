import { AsyncLocalStorage } from "node:async_hooks";
import type { RunScope } from "../events/run-scope.ts";
import { withServices, type RunServices } from "../events/run-services.ts";

/** Adds a scope's services to those of a run. */
export type ScopedOffer = (services: RunServices) => RunServices;

const ambient = new AsyncLocalStorage<readonly ScopedOffer[]>();

/**
 * Runs code with more services for every run it starts, and for all work it adds to a run. They apply for the run's
 * whole life in this process, also after `code` has ended; nested scopes add up, the inner one last.
 */
export function withScopedServices<T>(offer: ScopedOffer, code: () => T): T {
  return ambient.run([...(ambient.getStore() ?? []), offer], code);
}

/** Returns the services for a run started here: `services`, and over them those of the surrounding scopes. */
export function servicesHere(services: RunServices): RunServices {
  const offers = ambient.getStore() ?? [];
  return offers.reduce((known, offer) => withServices(known, offer(known)), services);
}

/** Returns a run's scope with the services of the surrounding code. */
export function scopeHere(scope: RunScope): RunScope {
  return ambient.getStore() === undefined ? scope : scope.offering(servicesHere(scope.services));
}
