import { checkHooks, type Hook } from "./hook.ts";
import { withScopedServices } from "./scoped-services.ts";

/**
 * Runs code so that every run it starts, and every crew with which it joins a run, has these hooks besides its own.
 * They are for the run's whole life in this process, also after `code` is over; scopes within scopes add up.
 */
export function withHooks<T>(hooks: readonly Hook[], code: () => T): T {
  const scoped = checkHooks(hooks, "withHooks");
  return withScopedServices(({ hooks: known }) => {
    const before = known?.scoped ?? [];
    const added = scoped.filter((hook) => !before.includes(hook)); // a run's own drive may go on inside the scope, or not
    return { hooks: { ...known, scoped: [...before, ...added] } };
  }, code);
}
