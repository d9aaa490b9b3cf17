import { command } from "../command.ts";
import { openProject } from "../deploy/open-project.ts";
import { secretNames } from "../deploy/send-secrets.ts";
import { OWN_SECRETS } from "../deploy/worker-secrets.ts";

/** `edgecrew secrets ls`: lists names of secrets, never their values. */
export const secretsLs = command({
  name: "secrets ls",
  about: "list the names of the deployed Worker's secrets",
  example: "edgecrew secrets ls --env production",
  options: {},
  run: async (context) => {
    const names = await secretNames(context, openProject(context));
    const missing = Object.keys(OWN_SECRETS).filter((name) => !names.includes(name));
    const rows = [
      ...names.map((name) => ({ name, state: "set" })),
      ...missing.map((name) => ({ name, state: "missing" })),
    ];
    context.out.table({ rows, value: rows, none: "There are no secrets." }, [
      { title: "NAME", of: ({ name }) => name },
      { title: "STATE", of: ({ state }) => state },
    ]);
  },
});
