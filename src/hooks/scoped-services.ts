import { AsyncLocalStorage } from "node:async_hooks";
import type { RunScope } from "../events/run-scope.ts";
import { withServices, type RunServices } from "../events/run-services.ts";

/** What a scope adds to the services that a run has without it. */
export type ScopedOffer = (services: RunServices) => RunServices;

const ambient = new AsyncLocalStorage<readonly ScopedOffer[]>();

/**
 * Runs code so that every run it starts, and everything with which it joins a run, is offered more than it has by itself. It is
 * for the run's whole life in this process, also after `code` is over; scopes within scopes add up, the inner one last.
 */
export function withScopedServices<T>(offer: ScopedOffer, code: () => T): T {
  return ambient.run([...(ambient.getStore() ?? []), offer], code);
}

/** What a run that is started here is offered: `services`, and over them those of the scopes around. */
export function servicesHere(services: RunServices): RunServices {
  const offers = ambient.getStore() ?? [];
  return offers.reduce((known, offer) => withServices(known, offer(known)), services);
}

/** The scope of a run that is joined here, with the services of the surrounding code. */
export function scopeHere(scope: RunScope): RunScope {
  return ambient.getStore() === undefined ? scope : scope.offering(servicesHere(scope.services));
}
