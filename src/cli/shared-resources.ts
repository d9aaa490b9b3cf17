// Resources shared by two environments of a configuration.
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { environmentOf, type Environment } from "./environment.ts";

export type SharedResource = {
  readonly kind: "database" | "queue" | "bucket" | "index";
  readonly what: string;
  /** The other environment. */
  readonly with: string;
};

/** Returns the other deployed environments. An open top level does not count, as it is only for this machine. */
export function environmentsOf(
  config: JsonObject,
  { env }: Environment,
): ReadonlyArray<readonly [name: string, environment: Environment]> {
  const { env: named } = config;
  const names = isJsonObject(named) ? Object.keys(named) : [];
  const { env: _, ...topConfig } = config;
  const top = environmentOf(topConfig);
  const others = names
    .filter((name) => name !== env)
    .map((name) => [`env.${name}`, environmentOf(config, name)] as const);
  const isTopDeployed = env !== undefined && top.vars["EDGECREW_AUTH"] !== "open";
  return isTopDeployed ? [["the top level", top], ...others] : others;
}

export function sharedResources(
  own: Environment,
  others: ReadonlyArray<readonly [name: string, environment: Environment]>,
): readonly SharedResource[] {
  const resources = resourcesOf(own);
  return others.flatMap(([name, other]) => {
    const theirs = resourcesOf(other).map(({ kind, id }) => `${kind} ${id}`);
    return resources
      .filter(({ kind, id }) => theirs.includes(`${kind} ${id}`))
      .map(({ kind, id }) => ({ kind, what: `${kind} ${id}`, with: name }));
  });
}

function resourcesOf({ databases, queues, buckets, indexes }: Environment): ReadonlyArray<{
  readonly kind: SharedResource["kind"];
  readonly id: string;
}> {
  const named = (kind: SharedResource["kind"], names: readonly string[]) =>
    names.filter((id) => id !== "").map((id) => ({ kind, id }));
  return [
    ...named(
      "database",
      databases.map(({ name }) => name),
    ),
    ...named("queue", queues),
    ...named(
      "bucket",
      buckets.map(({ name }) => name),
    ),
    ...named(
      "index",
      indexes.map(({ name }) => name),
    ),
  ];
}
