import { command } from "../command.ts";
import { configPath, readConfig } from "../profiles.ts";

/** `edgecrew config ls`: lists stored Workers, without their keys. */
export const configLs = command({
  name: "config ls",
  about: "list profiles, without their keys",
  example: "edgecrew config ls",
  options: {},
  run: async ({ variables, out }) => {
    const { current, profiles } = readConfig(configPath(variables));
    const rows = Object.entries(profiles).map(([name, { url, key, tenant = null }]) => ({
      name,
      url,
      tenant,
      hasKey: key !== undefined,
      isCurrent: name === current,
    }));
    out.table({ rows, value: { items: rows }, none: "There are no profiles: edgecrew login" }, [
      { title: "PROFILE", of: ({ name, isCurrent }) => `${isCurrent ? "*" : " "} ${name}` },
      { title: "KEY", of: ({ hasKey }) => (hasKey ? "kept" : "none") },
      { title: "TENANT", of: ({ tenant }) => tenant ?? "" },
      { title: "URL", of: ({ url }) => url, isWhole: true },
    ]);
  },
});
