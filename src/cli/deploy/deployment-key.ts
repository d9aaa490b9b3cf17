import type { Account } from "../cloud/cloud.ts";
import { keepPendingKey, pendingKey, type KeyPlace } from "./admin-key.ts";
import { isTaken, keyOf, profileName } from "./deployed-worker.ts";
import type { DeploySession } from "./deploy-session.ts";
import type { SecretsPlan } from "./secrets-plan.ts";

/** Identifier of the deployment: account and Worker. */
export const deploymentName = ({ id }: Account["accounts"][number], worker: string): string =>
  `${id}/${worker}`;

/** Shows or stores the first key, before it is sent. */
export function announceKey(
  { context, options }: DeploySession,
  place: KeyPlace,
  key: string,
): void {
  if (options.saveKey) keepPendingKey(place, key);
  else context.out.fault(`The admin key, shown once: ${key}`);
}

/** Returns the key of this or an interrupted deployment if the Worker accepts it, else another known key. */
export async function knownKey(
  { context, environment }: DeploySession,
  {
    key,
    secrets,
    url,
  }: {
    readonly key: KeyPlace;
    readonly secrets: SecretsPlan;
    readonly url: string | undefined;
  },
): Promise<string | undefined> {
  if (secrets.adminKey !== undefined) return secrets.adminKey;
  const pending = pendingKey(key);
  if (pending !== undefined && url !== undefined && (await isTaken(context, url, pending)))
    return pending;
  return keyOf(context, { profile: profileName(context, environment), url });
}
