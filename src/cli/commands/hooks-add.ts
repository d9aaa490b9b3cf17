import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { JsonValue } from "../../base/json.ts";
import type { WebhookView } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { confirm } from "../confirm.ts";
import { TARGET_OPTIONS, targetOf } from "../trigger-target.ts";

const SCHEMES = ["github", "stripe", "slack", "standard", "hmac"] as const;
type Scheme = (typeof SCHEMES)[number];

/** Schemes with a secret from the sender: it cannot be made here. */
const SENDERS_OWN: ReadonlySet<Scheme> = new Set(["stripe", "slack"]);

/** `edgecrew hooks add`: adds a signed webhook that starts runs. */
export const hooksAdd = command({
  name: "hooks add",
  about: "let a signed webhook start runs; prints the settings for the sender",
  args: "<name>",
  example: "edgecrew hooks add issues --scheme github --crew triage --input topic=/issue/title",
  options: {
    scheme: { about: "signature scheme of deliveries", value: "scheme", choices: SCHEMES },
    ...TARGET_OPTIONS,
    input: {
      about: "an input, and where it is in the body",
      value: "name=/pointer",
      many: true,
      short: "i",
    },
    secret: {
      about: "file with the secret, or - for standard input; default: asks, or makes one",
      value: "file",
    },
    keepPrevious: {
      about: "validity of the old secret, in seconds",
      value: "seconds",
      integer: { least: 0, most: 2_592_000 },
    },
    signatureHeader: { about: "of hmac", value: "header" },
    idHeader: { about: "of hmac", value: "header" },
    timestampHeader: { about: "of hmac", value: "header" },
  },
  run: async (context, { args: [name = ""], options }) => {
    const { keepPrevious, signatureHeader, idHeader, timestampHeader } = options;
    const scheme = (options.scheme ?? "hmac") as Scheme;
    const hookTarget = targetOf(options);
    const inputs = pointersOf(options.input);
    const { webhooks } = await context.client();
    const { items } = await webhooks.list({ limit: 200 });
    if (items.some((each) => each.name === name))
      await confirm(context, `replace 1 webhook, ${name}`);
    const secret = await secretOf(context, scheme, options.secret);
    const hook = await webhooks.put(name, {
      scheme,
      target: hookTarget,
      secret: secret.text,
      ...(inputs === undefined ? {} : { inputs }),
      ...(keepPrevious === undefined ? {} : { keepPreviousSeconds: keepPrevious }),
      ...(signatureHeader === undefined ? {} : { signatureHeader }),
      ...(idHeader === undefined ? {} : { idHeader }),
      ...(timestampHeader === undefined ? {} : { timestampHeader }),
    });
    const { url } = await context.target();
    const address = `${url}${hook.path}`;
    const shown = secret.isMade ? { secret: secret.text } : {};
    const value = { ...hook, address, ...shown } as unknown as JsonValue;
    context.out.result(value, () => instructions(hook, { address, secret }));
  },
});

type Secret = { readonly text: string; readonly isMade: boolean };

/** The secret is never an option: other users can read command lines. */
async function secretOf(
  context: CliContext,
  scheme: Scheme,
  file: string | undefined,
): Promise<Secret> {
  if (file === "-") return { text: (await context.readInput()).trim(), isMade: false };
  if (file !== undefined) {
    try {
      return { text: readFileSync(resolve(context.cwd, file), "utf8").trim(), isMade: false };
    } catch (error) {
      throw wrongUse(`--secret: ${(error as Error).message}`);
    }
  }
  if (SENDERS_OWN.has(scheme)) {
    const { prompt } = context;
    if (prompt === undefined)
      throw wrongUse(`${scheme} makes the secret itself`, "--secret <file>, or --secret -");
    return {
      text: await prompt.secret({ message: `The signing secret of ${scheme}` }),
      isMade: false,
    };
  }
  const bytes = randomBytes(32);
  const made = scheme === "standard" ? `whsec_${bytes.toString("base64")}` : bytes.toString("hex");
  return { text: made, isMade: true };
}

function pointersOf(written: readonly string[]): Record<string, string> | undefined {
  if (written.length === 0) return undefined;
  return Object.fromEntries(
    written.map((text) => {
      const [, name, pointer] = /^([^=]+)=((?:\/.*)?)$/.exec(text) ?? [];
      if (name === undefined || pointer === undefined)
        throw wrongUse(`--input needs name=/pointer, got ${JSON.stringify(text)}`);
      return [name, pointer];
    }),
  );
}

const WHERE: Readonly<Record<Scheme, string>> = {
  github: "Settings, Webhooks: payload URL, content type application/json, secret",
  stripe: "Developers, Webhooks: endpoint URL; the signing secret is shown there",
  slack: "Event Subscriptions: request URL; the signing secret is under Basic Information",
  standard: "endpoint and signing secret of the sender (Standard Webhooks)",
  hmac: "HMAC-SHA256 over the raw body, as hex",
};

function instructions(
  { name, scheme, signatureHeader = "x-signature" }: WebhookView,
  { address, secret }: { readonly address: string; readonly secret: Secret },
): string {
  return [
    `address  ${address}`,
    ...(secret.isMade ? [`secret   ${secret.text}   (shown once)`] : []),
    `sender   ${WHERE[scheme]}${scheme === "hmac" ? `, in the header ${signatureHeader}` : ""}`,
    `try it   edgecrew hooks test ${name} --secret <file>`,
  ].join("\n");
}
