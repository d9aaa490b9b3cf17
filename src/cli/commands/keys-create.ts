import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { saveProfile } from "../save-profile.ts";
import { timeOf } from "../time-option.ts";

const SCOPES = ["run", "read", "answer", "admin"] as const;
type Scope = (typeof SCOPES)[number];

/** `edgecrew keys create`: a new key, printed once. */
export const keysCreate = command({
  name: "keys create",
  about: "make an API key; it is printed once",
  example: "edgecrew keys create --tenant acme --scope run --scope read --name web --expires 90d",
  options: {
    tenant: { about: "tenant of the key: default if absent", value: "tenant" },
    scope: {
      about: "run, read, answer, admin; default run and read",
      value: "scope",
      many: true,
    },
    name: { about: "purpose", value: "name" },
    expires: { about: "expiry: 90d, or a time", value: "when" },
    saveProfile: { about: "keep it in this profile, and print no key", value: "name" },
  },
  run: async (context, { options }) => {
    const { tenant = "default", name, expires, saveProfile: profile } = options;
    const scopes = options.scope.length === 0 ? ["run", "read"] : options.scope;
    const unknown = scopes.find((scope) => !SCOPES.includes(scope as Scope));
    if (unknown !== undefined)
      throw wrongUse(
        `--scope: expected run, read, answer or admin, got ${JSON.stringify(unknown)}`,
      );
    const nowMs = context.clock.now();
    const expiresAt =
      expires === undefined
        ? undefined
        : timeOf(expires, { option: "expires", nowMs, ahead: true });
    const { key, ...created } = await (
      await context.client()
    ).keys.create({
      tenant,
      scopes: scopes as Scope[],
      ...(name === undefined ? {} : { name }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    });
    const { out } = context;
    if (profile !== undefined) {
      const { url } = await context.target();
      const path = saveProfile(context, profile, { url, key, tenant });
      out.result({ ...created, profile }, () => created.id);
      return out.note(`The key is in profile ${profile} (${path}).`);
    }
    out.result({ ...created, key }, () => key);
    out.note(`key ${created.id} of tenant ${tenant}: ${scopes.join(", ")}. It is shown only now.`);
  },
});
