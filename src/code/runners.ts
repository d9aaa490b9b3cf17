// Runners that a deployment can name. Each is made for a place with known bindings and variables.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { systemClock, systemFetch } from "../base/system.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import type { Clock } from "../base/clock.ts";
import type { RunServices } from "../events/run-services.ts";
import type { PartEnv, PartPlace } from "../parts/part.ts";
import type { CodeLanguage } from "./code-language.ts";
import type { CodeRunner } from "./code-runner.ts";
import { DaytonaMachines } from "./daytona/daytona-machines.ts";
import { E2BMachines } from "./e2b/e2b-machines.ts";
import { MachineRunner } from "./machines/machine-runner.ts";
import { requestSender, type SendRequest } from "./machines/send-request.ts";
import { RemoteRunner } from "./remote/remote-runner.ts";
import { SandboxMachines, type SandboxContainer } from "./sandbox/sandbox-machines.ts";

/** Surroundings of a new runner. */
export type RunnerPlace = Pick<PartPlace, "env" | "tenant"> & {
  readonly services: Pick<RunServices, "variables" | "network">;
  /** @default the system's */
  readonly clock?: Clock;
};

/** Makes a runner. Undefined if it is not configured. */
export type RunnerMaker = (place: RunnerPlace) => CodeRunner | undefined;

const E2B = definitionOptions<{ template?: string }>("e2b()", {
  template: true,
});

const REMOTE = definitionOptions<{ languages?: readonly CodeLanguage[] }>("remoteRunner()", {
  languages: true,
});

const SANDBOX = definitionOptions<{ binding?: string; sleepAfter?: string }>("sandbox()", {
  binding: true,
  sleepAfter: true,
});

/** Sandboxes of E2B, if `E2B_API_KEY` is set. `E2B_DOMAIN` sets their domain. */
export function e2b(options: { readonly template?: string } = {}): RunnerMaker {
  refuseUnknownOptions(options, E2B);
  const { template } = options;
  return (place) => {
    const apiKey = variableOf(place, "E2B_API_KEY");
    if (apiKey === undefined) return undefined;
    const domain = variableOf(place, "E2B_DOMAIN");
    const sender = senderOf(place, { service: "E2B", keyName: "E2B_API_KEY" });
    return new MachineRunner(new E2BMachines({ apiKey, domain, template, sender }));
  };
}

/** Sandboxes of Daytona, if `DAYTONA_API_KEY` is set. `DAYTONA_API_URL` and `DAYTONA_TARGET` set their place. */
export function daytona(): RunnerMaker {
  return (place) => {
    const apiKey = variableOf(place, "DAYTONA_API_KEY");
    if (apiKey === undefined) return undefined;
    const apiUrl = variableOf(place, "DAYTONA_API_URL");
    const target = variableOf(place, "DAYTONA_TARGET");
    const sender = senderOf(place, { service: "Daytona", keyName: "DAYTONA_API_KEY" });
    const { clock = systemClock } = place;
    return new MachineRunner(new DaytonaMachines({ apiKey, apiUrl, target, sender, clock }));
  };
}

/** The deployment's own runner at `EDGECREW_RUNNER_URL`, with the token in `EDGECREW_RUNNER_TOKEN`. */
export function remoteRunner(
  options: { readonly languages?: readonly CodeLanguage[] } = {},
): RunnerMaker {
  refuseUnknownOptions(options, REMOTE);
  const { languages } = options;
  return (place) => {
    const url = variableOf(place, "EDGECREW_RUNNER_URL");
    if (url === undefined) return undefined;
    if (!URL.canParse(url))
      throw invalidDefinition("the variable EDGECREW_RUNNER_URL must be an address");
    const token = variableOf(place, "EDGECREW_RUNNER_TOKEN");
    return new RemoteRunner({ url, token, languages, fetch: fetchOf(place) });
  };
}

/** `getSandbox` of `@cloudflare/sandbox`. */
export type GetSandbox = (
  binding: never,
  id: string,
  options: { readonly sleepAfter: string; readonly normalizeId: boolean },
) => SandboxContainer;

/**
 * Containers of Cloudflare, if the class `Sandbox` of `@cloudflare/sandbox` is bound: `sandbox(getSandbox)`. The class
 * sets their network.
 */
export function sandbox(
  getSandbox: GetSandbox,
  options: { readonly binding?: string; readonly sleepAfter?: string } = {},
): RunnerMaker {
  refuseUnknownOptions(options, SANDBOX);
  const { binding = "SANDBOX", sleepAfter = "10m" } = options;
  if (typeof getSandbox !== "function")
    throw invalidDefinition("sandbox() takes getSandbox of @cloudflare/sandbox");
  return ({ env }) => {
    const bound = (env as unknown as Readonly<Record<string, unknown>>)[binding];
    if (bound === undefined) return undefined;
    const open = (id: string): SandboxContainer =>
      getSandbox(bound as never, id, { sleepAfter, normalizeId: true });
    return new MachineRunner(new SandboxMachines(open));
  };
}

/** Default runner of Python and shell text: the first configured one. */
export const usualMachines: RunnerMaker = (place) => {
  const found = e2b()(place) ?? daytona()(place) ?? remoteRunner()(place);
  if (found === undefined && "SANDBOX" in (place.env as PartEnv & object))
    throw invalidDefinition(
      "SANDBOX is bound, and no runner uses it: codeRunners({ python: sandbox(getSandbox), bash: sandbox(getSandbox) }) with getSandbox of @cloudflare/sandbox",
    );
  return found;
};

function variableOf({ services }: RunnerPlace, name: string): string | undefined {
  const value = services.variables?.[name]?.trim() ?? "";
  return value === "" ? undefined : value;
}

function fetchOf({ services }: RunnerPlace): typeof fetch {
  return services.network?.fetch ?? systemFetch;
}

function senderOf(
  place: RunnerPlace,
  who: { readonly service: string; readonly keyName: string },
): (signal: AbortSignal) => SendRequest {
  const { clock = systemClock } = place;
  return (signal) => requestSender({ ...who, fetch: fetchOf(place), clock, signal });
}
