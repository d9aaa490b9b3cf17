import { InMemoryModelCache } from "./in-memory-model-cache.ts";
import type { LanguageModel } from "./language-model.ts";
import type { ModelEnvironment } from "./model-environment.ts";
import { resolveModel, type ModelSpec } from "./resolve-model.ts";

/** Finds models by name. A name always gives the same object. */
export type ModelCatalog = (spec: ModelSpec | undefined) => LanguageModel;

/**
 * Resolves models and makes each of them once, so clients and converted messages are reused. By default answers are
 * cached in this process.
 */
export function modelCatalog(own: ModelEnvironment): ModelCatalog {
  const environment = { cache: new InMemoryModelCache(), ...own };
  const byName = new Map<string, LanguageModel>();
  const byObject = new WeakMap<object, LanguageModel>();
  return (spec) => {
    if (typeof spec === "object")
      return remember(byObject, spec, () => resolveModel(spec, environment));
    return remember(byName, spec ?? "", () => resolveModel(spec, environment));
  };
}

function remember<Key, Value>(
  known: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  let value = known.get(key);
  if (value === undefined) known.set(key, (value = make()));
  return value;
}
