import { command } from "../command.ts";
import { wrongUse } from "../cli-failure.ts";
import { currentProfile } from "../current-profile.ts";

const FIELDS = ["url", "tenant", "key"] as const;

/** `edgecrew config get`: prints the stored profile of a Worker. */
export const configGet = command({
  name: "config get",
  about: "print the current profile, or a field of it: url, tenant; a key is never printed",
  args: "[field]",
  example: "edgecrew config get url --profile prod",
  options: {},
  run: async (context, { args: [field] }) => {
    const { name, profile } = currentProfile(context);
    const shown: Readonly<Record<string, string>> = {
      url: profile.url,
      ...(profile.tenant === undefined ? {} : { tenant: profile.tenant }),
      ...(profile.key === undefined ? {} : { key: "***" }),
    };
    const { out } = context;
    if (field === undefined)
      return out.result({ profile: name, ...shown }, () =>
        [`profile ${name}`, ...Object.entries(shown).map((pair) => pair.join(" "))].join("\n"),
      );
    const known = FIELDS.find((each) => each === field);
    if (known === undefined)
      throw wrongUse(`expected url, tenant or key, got ${JSON.stringify(field)}`);
    out.result(shown[known] ?? null, () => shown[known] ?? "");
  },
});
