import { withServices, type RunServices } from "../events/run-services.ts";
import type { Part, PartPlace, ServiceKey } from "./part.ts";

/** A tenant's services from all parts, over those of `base`. Each is opened when it is first asked for, and once. */
export function openServices(
  parts: readonly Part[],
  place: Omit<PartPlace, "services">,
  base: RunServices = {},
): RunServices {
  const whole: PartPlace = Object.defineProperties({} as PartPlace, {
    ...Object.getOwnPropertyDescriptors(place),
    services: { enumerable: true, get: () => services },
  });
  const services = parts.reduce((opened, part) => withServices(opened, lazily(part, whole)), base);
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
