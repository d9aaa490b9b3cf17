import { checkHooks, type Hook } from "./hook.ts";
import { withScopedServices } from "./scoped-services.ts";

/**
 * Runs code with these hooks added to every run it starts, and to every crew it adds to a run. They apply for the run's
 * whole life in this process, also after `code` has ended; nested scopes add up.
 */
export function withHooks<T>(hooks: readonly Hook[], code: () => T): T {
  const scoped = checkHooks(hooks, "withHooks");
  return withScopedServices(({ hooks: known }) => {
    const before = known?.scoped ?? [];
    const added = scoped.filter((hook) => !before.includes(hook)); // a run's own drive may go on inside the scope, or not
    return { hooks: { ...known, scoped: [...before, ...added] } };
  }, code);
}
