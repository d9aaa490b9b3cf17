import { withServices, type RunServices } from "../events/run-services.ts";
import type { RunCare } from "../runtime/run-care.ts";
import type { Part, PartPlace, ServiceKey } from "./part.ts";

/** A tenant's services from all parts, on top of those of `base`. Each is opened once, on first use. */
export function openServices(
  parts: readonly Part[],
  place: Omit<PartPlace, "services">,
  base: RunServices = {},
): RunServices {
  const placeWithServices: PartPlace = Object.defineProperties({} as PartPlace, {
    ...Object.getOwnPropertyDescriptors(place),
    services: { enumerable: true, get: () => services },
  });
  const services = parts.reduce<RunServices>(
    (opened, part) => withServices(opened, lazily(part, placeWithServices)),
    { tenant: place.tenant, ...base },
  );
  return services;
}

function lazily({ services = {} }: Part, place: PartPlace): RunServices {
  const keys = Object.keys(services) as ServiceKey[];
  const opened = new Map<ServiceKey, unknown>();
  return Object.defineProperties(
    {},
    Object.fromEntries(
      keys.map((key) => [
        key,
        {
          enumerable: true,
          get: () => {
            if (!opened.has(key)) opened.set(key, services[key]?.(place));
            return opened.get(key);
          },
        },
      ]),
    ),
  );
}

/** Combines the callbacks of all parts for forked and deleted runs, called one part after another. */
export function runCare(
  parts: readonly Part[],
  placeOf: (tenant: string) => PartPlace,
): Required<RunCare> {
  const cares = parts.flatMap(({ runs }) => runs ?? []);
  return {
    forked: async ({ tenant, ...run }) => {
      for (const { forked } of cares) await forked?.(placeOf(tenant), run);
    },
    forgotten: async ({ tenant, id }) => {
      for (const { forgotten } of cares) await forgotten?.(placeOf(tenant), id);
    },
  };
}
