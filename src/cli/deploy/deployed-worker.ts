import { sleep } from "../../base/clock.ts";
import type { EdgecrewClient, About } from "../../client/index.ts";
import { workerClient } from "../worker-client.ts";
import { CliFailure } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import type { Environment } from "../environment.ts";
import { configPath, readConfig } from "../profiles.ts";
import type { Project } from "../project.ts";
import { readDeployState } from "./deploy-state.ts";
import type { ExpectedCode, SmokeTest } from "./smoke/ask-worker.ts";
import { runSmokeTest } from "./smoke-test.ts";

export type DeployedWorker = { readonly url: string; readonly key: string | undefined };

/** Returns the profile name for a deployment's first key. */
export function profileName({ global }: CliContext, { worker }: Environment): string {
  return global.profile ?? worker;
}

/** Returns the known key for the Worker at this address. The key of another Worker is never sent to it. */
export function keyOf(
  { global, variables }: CliContext,
  { profile, url }: { readonly profile: string; readonly url: string | undefined },
): string | undefined {
  if (global.key !== undefined) return global.key;
  const { profiles } = readConfig(configPath(variables));
  const kept = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined;
  if (kept !== undefined && kept.url === url) return kept.key;
  const isNamed = variables["EDGECREW_URL"]?.replace(/\/+$/, "") === url;
  return isNamed ? variables["EDGECREW_KEY"] : undefined;
}

/** Returns the address of the environment's last deployment from here, or `--url`. Undefined if unknown. */
export function deployedWorker(
  context: CliContext,
  { project, environment }: { readonly project: Project; readonly environment: Environment },
): DeployedWorker | undefined {
  const profile = profileName(context, environment);
  const { profiles } = readConfig(configPath(context.variables));
  const kept = Object.hasOwn(profiles, profile) ? profiles[profile]?.url : undefined;
  const url =
    context.global.url ?? readDeployState(project.folder, environment.stateName).url ?? kept;
  return url === undefined ? undefined : { url, key: keyOf(context, { profile, url }) };
}

const KEY_TRIES = 30;
const KEY_PAUSE_MS = 3_000;

/** True if the Worker accepts the key. A new address may need a minute before it answers. */
export async function isTaken(
  { fetch, clock, signal }: CliContext,
  url: string,
  key: string,
): Promise<boolean> {
  for (let attempt = 0; attempt < KEY_TRIES; attempt++) {
    const status = await fetch(`${url}/runs?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
      signal,
    }).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200 || status === 403) return true;
    if (status === 401) return false;
    await sleep(clock, KEY_PAUSE_MS, signal);
  }
  return false;
}

/** Returns the Worker's facts about itself, or undefined. */
export async function askAbout(
  context: CliContext,
  worker: DeployedWorker,
): Promise<About | undefined> {
  return clientOf(context, worker)
    .about()
    .catch(() => {
      context.signal.throwIfAborted();
      return undefined;
    });
}

export function clientOf(
  { fetch, clock, signal }: CliContext,
  { url, key }: DeployedWorker,
): EdgecrewClient {
  return workerClient({
    url,
    key,
    clock,
    fetch: (address, init) => fetch(address, { ...init, signal }),
  });
}

/** Runs the smoke test of a deployment, with a line for each check. Throws exit code 1 at the first failure. */
export async function smokeTest(
  { out, clock, signal, fetch }: CliContext,
  {
    environment,
    expected,
    url,
    key,
  }: DeployedWorker & { readonly environment: Environment; readonly expected: ExpectedCode },
): Promise<void> {
  const isOpen = environment.vars["EDGECREW_AUTH"] === "open-to-everybody";
  const onNote = (note: string): void => out.note(`${out.style("yellow", "!")} ${note}`);
  const test: SmokeTest = { url, key, expected, isOpen, fetch, clock, signal, onNote };
  await runSmokeTest(test, ({ check, skipped }) =>
    out.note(
      skipped === undefined
        ? `${out.style("green", "✓")} ${check}`
        : `- ${check}: not checked, ${skipped}`,
    ),
  );
}

export function notDeployed({ worker }: Environment): CliFailure {
  return new CliFailure(2, `${worker} is not deployed`, { fix: "edgecrew deploy" });
}
