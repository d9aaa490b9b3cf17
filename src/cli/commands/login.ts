import { isJsonObject, parsedJson } from "../../base/json.ts";
import type { About } from "../../client/index.ts";
import { CliFailure, deepestMessage, TRUST, wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { confirm } from "../confirm.ts";
import { configPath, readConfig } from "../profiles.ts";
import { changeConfig } from "../save-profile.ts";
import { address } from "../target.ts";

/** `edgecrew login`: stores a Worker and its key after checking both. */
export const login = command({
  name: "login",
  about: "save a Worker and its key as a profile, and use it from now on",
  example: "edgecrew login --url https://crews.example.com --name prod",
  options: { name: { about: "name of the profile", value: "name" } },
  run: async (context, { options }) => {
    const { out, variables } = context;
    const url = address(context.global.url ?? (await askedFor(context, "url", "Its address")));
    const name = options.name ?? (await nameFor(context, url));
    checkName(name);
    const key = context.global.key ?? (await neededKey(context, url));
    const about = await check(context, url, key);
    const known = readConfig(configPath(variables)).profiles[name];
    if (known !== undefined && known.url !== url)
      await confirm(context, `overwrite 1 profile, ${name} (${known.url})`);
    const profile = key === undefined ? { url } : { url, key };
    const path = changeConfig(variables, ({ profiles }) => ({
      current: name,
      profiles: { ...profiles, [name]: profile },
    }));
    out.result({ profile: name, url, path }, () => `${name}\t${url}`);
    for (const { code, message, fix } of about?.missing ?? [])
      out.note(`! ${message} (${code}): ${fix}`);
    out.note(`Saved in ${path}; commands use it unless a project's dev server runs.`);
  },
});

async function askedFor({ prompt }: CliContext, option: string, message: string): Promise<string> {
  if (prompt === undefined) throw wrongUse(`login needs --${option}`, `--${option} …`);
  return prompt.text({
    message,
    check: (text) => (text.trim() === "" ? "It cannot be empty" : undefined),
  });
}

/** Returns the first part of the host's name, unless a person chooses another. */
async function nameFor({ prompt }: CliContext, url: string): Promise<string> {
  const { hostname } = new URL(url);
  const usual = /^[\d.]+$|^\[/.test(hostname) ? "local" : (hostname.split(".")[0] ?? "default");
  return prompt === undefined
    ? usual
    : prompt.text({ message: "Name of the profile", initial: usual });
}

function checkName(name: string): void {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name))
    throw wrongUse(
      `--name: expected letters, digits, dots, dashes, at most 64, got ${JSON.stringify(name)}`,
    );
}

/** Undefined if the Worker needs no key. */
async function neededKey(
  { prompt, variables, fetch, signal }: CliContext,
  url: string,
): Promise<string | undefined> {
  const { EDGECREW_KEY = "" } = variables;
  if (EDGECREW_KEY !== "") return EDGECREW_KEY;
  const open = await reached(url, () => fetch(`${url}/about`, { signal }));
  await open.body?.cancel();
  if (open.ok) return undefined;
  if (prompt === undefined) throw wrongUse(`${url} asks for a key`, "--key, or EDGECREW_KEY");
  return prompt.secret({ message: "Its key" });
}

/**
 * Returns the Worker's facts about itself if the key may read. Throws exit code 4 for an unreachable Worker or an
 * unknown key, and 2 for an address without a Worker.
 */
async function check(
  { fetch, signal }: CliContext,
  url: string,
  key: string | undefined,
): Promise<About | undefined> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await reached(url, () => fetch(`${url}/about`, { headers, signal }));
  const said = parsedJson(await response.text());
  const json = isJsonObject(said) ? said : {};
  const { detail } = json;
  const refusal = typeof detail === "string" ? detail : "";
  // A key with only the right to start runs is valid, too.
  if (response.status === 403 && refusal.includes('the scope "read"')) return undefined;
  if (response.status === 403 && refusal !== "")
    throw new CliFailure(4, `${new URL(url).host} refuses: ${refusal}`, { code: "forbidden" });
  if (response.status === 401 || response.status === 403)
    throw new CliFailure(4, `the key is not known to ${new URL(url).host}`, {
      code: "unauthorized",
      fix: "compare it with the key printed by edgecrew keys create",
    });
  if (!response.ok || typeof json["version"] !== "string" || !isJsonObject(json["sweeper"]))
    throw wrongUse(`${url} answers ${response.status}, but is no Worker of edgecrew`);
  return json as unknown as About;
}

async function reached(url: string, ask: () => Promise<Response>): Promise<Response> {
  try {
    return await ask();
  } catch (cause) {
    const reason = deepestMessage(cause);
    const fix = /certificate|self.signed/i.test(reason)
      ? TRUST
      : "compare the address, or start it: edgecrew dev";
    throw new CliFailure(4, `${url} does not answer: ${reason}`, { fix, cause });
  }
}
