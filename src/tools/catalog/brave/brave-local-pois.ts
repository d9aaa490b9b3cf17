import { braveInput } from "./brave-input.ts";
import { braveTool } from "./brave-tool.ts";

type Hours = { readonly full_name: string; readonly opens: string; readonly closes: string };
type Place = {
  readonly postal_address?: { readonly displayAddress?: string } | null;
  readonly contact?: { readonly telephone?: string; readonly email?: string } | null;
  readonly opening_hours?: {
    readonly current_day?: readonly Hours[];
    readonly days?: readonly (readonly Hours[])[];
  } | null;
};

/** Details of places from Brave Search. */
export const braveLocalPois = braveTool({
  className: "BraveLocalPOIsTool",
  displayName: "Brave Local POIs",
  description: "Tells address, contact and opening hours of places that a Brave search has found.",
  path: "local/pois",
  input: () => braveInput("ids", ["search_lang", "ui_lang", "units"]),
  result: ({ results = [] }) => {
    const data = results.map(({ title, url, description, ...place }) => {
      const { postal_address: address, contact, opening_hours: hours } = place as Place;
      const times = [...(hours?.current_day ?? []), ...(hours?.days ?? []).flat()];
      return {
        title,
        url,
        description,
        address: address?.displayAddress,
        contact: contact?.telephone ?? contact?.email,
        opening_hours: times.map(({ full_name: day, opens, closes }) => ({
          day: day.toLowerCase(),
          opens,
          closes,
        })),
      };
    });
    return {
      found: data.map(({ title, url, description, address, contact, opening_hours: open }) => ({
        title: title ?? undefined,
        url: url ?? undefined,
        snippet: [
          description,
          address,
          contact,
          open.map(({ day, opens, closes }) => `${day} ${opens}–${closes}`).join(", "),
        ]
          .filter(Boolean)
          .join("\n   "),
      })),
      data,
    };
  },
});
