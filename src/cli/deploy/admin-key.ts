// First key of a deployment.
//
//   ADK1. Its owner has the key before the account does, so an interruption leaves no unknown key.
import { configPath, readConfig, writeConfig, type Config } from "../profiles.ts";

export type KeyPlace = {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Identifier of the deployment: account and Worker. */
  readonly deployment: string;
};

/** Returns the key of an earlier, interrupted deployment. */
export function pendingKey({ variables, deployment }: KeyPlace): string | undefined {
  const { pending = {} } = readConfig(configPath(variables));
  return Object.hasOwn(pending, deployment) ? pending[deployment] : undefined;
}

export function keepPendingKey({ variables, deployment }: KeyPlace, key: string): void {
  const path = configPath(variables);
  const config = readConfig(path);
  writeConfig(path, { ...config, pending: { ...config.pending, [deployment]: key } });
}

export function dropPendingKey({ variables, deployment }: KeyPlace): void {
  const path = configPath(variables);
  const { pending = {}, ...config }: Config = readConfig(path);
  const { [deployment]: _, ...others } = pending;
  writeConfig(path, {
    ...config,
    ...(Object.keys(others).length === 0 ? {} : { pending: others }),
  });
}

/** Puts the pending key into a profile. The first profile of a machine becomes the current one. */
export function savePendingKey(
  { variables, deployment }: KeyPlace,
  { name, url }: { readonly name: string; readonly url: string },
): void {
  const path = configPath(variables);
  const { pending = {}, ...config }: Config = readConfig(path);
  const { [deployment]: key, ...others } = pending;
  if (key === undefined) return;
  writeConfig(path, {
    ...config,
    current: config.current ?? name,
    profiles: { ...config.profiles, [name]: { url, key } },
    ...(Object.keys(others).length === 0 ? {} : { pending: others }),
  });
}
