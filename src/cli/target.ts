// Chooses the Worker of a command.
//
//   WKR1. In this order: --url and --key; EDGECREW_URL and EDGECREW_KEY; --profile or EDGECREW_PROFILE; the project's
//         dev server, if it answers; the current profile; for some commands, the project itself, served during the
//         command.
//   WKR2. A key goes only to its own Worker: the key of a profile is not sent to another address.
import { CliFailure, wrongUse } from "./cli-failure.ts";
import type { GlobalOptions } from "./global-option-values.ts";
import { configPath, readConfig, type Config, type Profile } from "./profiles.ts";
import { devServerOf, forgetDevServer, type Project } from "./project.ts";

export type Target = {
  readonly url: string;
  readonly key: string | undefined;
  /** Origin of the choice, in words. */
  readonly from: string;
};

export type TargetWorld = {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly project: Project | undefined;
  readonly fetch: typeof fetch;
  /** Serves the project during the command, and returns its address. */
  readonly serve?: (() => Promise<string>) | undefined;
};

const WAYS = "--url <address>, EDGECREW_URL, or edgecrew login";

/** Throws exit code 4 if no Worker is named, and 2 for an invalid address. */
export async function findTarget(
  { url, key, profile }: GlobalOptions,
  { variables, project, fetch, serve }: TargetWorld,
): Promise<Target> {
  const ownKey = key ?? (set(variables["EDGECREW_KEY"]) || undefined);
  if (url !== undefined) return { url: address(url), key: ownKey, from: "--url" };
  const { EDGECREW_URL = "" } = variables;
  if (set(EDGECREW_URL)) return { url: address(EDGECREW_URL), key: ownKey, from: "EDGECREW_URL" };
  const named = profile ?? (set(variables["EDGECREW_PROFILE"]) || undefined);
  if (named !== undefined) return fromProfile(named, configOf(variables), key);
  const dev = project === undefined ? undefined : await liveServer(project, fetch);
  if (dev !== undefined) return { url: dev, key: ownKey, from: "the project's dev server" };
  const config = configOf(variables);
  if (config.current !== undefined) return fromProfile(config.current, config, key);
  if (serve !== undefined)
    return { url: await serve(), key: ownKey, from: "the project, served for this command" };
  throw new CliFailure(4, "no Worker is named, and no Worker of this project runs here", {
    code: "no_target",
    fix: project === undefined ? `npm create edgecrew, or ${WAYS}` : `edgecrew dev, or ${WAYS}`,
  });
}

const set = (text: string | undefined): string => text?.trim() ?? "";

const configOf = (variables: TargetWorld["variables"]): Config => readConfig(configPath(variables));

function fromProfile(name: string, { profiles }: Config, key: string | undefined): Target {
  const found: Profile | undefined = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found !== undefined)
    return { url: address(found.url), key: key ?? found.key, from: `profile ${name}` };
  const names = Object.keys(profiles).join(", ") || "none";
  throw wrongUse(
    `there is no profile ${name}; there are: ${names}`,
    "edgecrew login --name " + name,
  );
}

/** Reads an address in any written form. Throws exit code 2. */
export function address(text: string): string {
  const isBare = /^[\w.-]+(?::\d+)?(?:\/|$)/.test(text) && !text.includes("://");
  const isLocal = /^(?:localhost|127\.|\[::1\])/.test(text);
  const whole = isBare ? `${isLocal ? "http" : "https"}://${text}` : text;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw wrongUse(`expected an address with http or https, got ${JSON.stringify(text)}`);
  return whole.replace(/\/+$/, "");
}

/**
 * Returns the address of the project's dev server, if it runs. Removes the record of an ended one. A slow or failing
 * server counts as running: it answers late while it loads new code.
 */
async function liveServer(
  project: Project,
  fetch: TargetWorld["fetch"],
): Promise<string | undefined> {
  const server = devServerOf(project);
  if (server === undefined) return undefined;
  try {
    const response = await fetch(`${server.url}/healthz`, { signal: AbortSignal.timeout(3_000) });
    if (response.ok || response.status >= 500) return server.url;
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") return server.url;
  }
  forgetDevServer(project);
  return undefined;
}
