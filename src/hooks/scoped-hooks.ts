import { AsyncLocalStorage } from "node:async_hooks";
import type { RunScope } from "../events/run-scope.ts";
import { withServices, type RunServices } from "../events/run-services.ts";
import { checkHooks, type Hook } from "./hook.ts";

const ambient = new AsyncLocalStorage<readonly Hook[]>();

/**
 * Runs code so that every run it starts, and every crew with which it joins a run, has these hooks besides its own.
 * They are for the run's whole life in this process, also after `code` is over; scopes within scopes add up.
 */
export function withHooks<T>(hooks: readonly Hook[], code: () => T): T {
  return ambient.run([...(ambient.getStore() ?? []), ...checkHooks(hooks, "withHooks")], code);
}

/** What a run that is started here is offered: `services`, and the hooks of the scope. */
export function servicesHere(services: RunServices): RunServices {
  const scoped = ambient.getStore();
  if (scoped === undefined) return services;
  const before = services.hooks?.scoped ?? [];
  const added = scoped.filter((hook) => !before.includes(hook)); // a run's own drive may go on inside the scope, or not
  const hooks = { ...services.hooks, scoped: [...before, ...added] };
  return withServices(services, { hooks });
}

/** The scope of a run that is joined here, with the hooks of the surrounding code. */
export function scopeHere(scope: RunScope): RunScope {
  return ambient.getStore() === undefined ? scope : scope.offering(servicesHere(scope.services));
}
