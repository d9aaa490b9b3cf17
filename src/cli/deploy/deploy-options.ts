import { wrongUse } from "../cli-failure.ts";
import type { OptionSpecs } from "../command.ts";
import { JURISDICTIONS, LOCATIONS } from "../cloud/cloud.ts";

export const DEPLOY_OPTIONS = {
  plan: { about: "show the steps without doing them" },
  dryRun: { about: "the same; works without an account" },
  create: { about: "create missing resources", on: true },
  location: { about: "location of the database", value: "place", choices: LOCATIONS },
  jurisdiction: {
    about: "jurisdiction of the data; objects by placement() in the code",
    value: "place",
    choices: JURISDICTIONS,
  },
  dimensions: {
    about: "width of the embedder's vectors, for a new Vectorize index",
    value: "n",
    integer: { least: 1, most: 1536 },
  },
  drain: { about: "time for runs to finish a step, such as 30s", value: "time" },
  gradual: {
    about: "give the new code this many requests in a hundred",
    value: "percent",
    integer: { least: 1, most: 100 },
  },
  preview: { about: "send the code as a version that gets no requests" },
  previewAlias: { about: "the name of a preview, such as pr-12; means --preview", value: "name" },
  fromButton: {
    about: "the deployment of a Deploy to Cloudflare button: no profile, no questions",
  },
  checkRuns: {
    about: "open runs per definition to replay on the new code; default 50",
    value: "n",
    integer: { least: 1, most: 1_000 },
  },
  noCheckRuns: { about: "deploy without replaying open runs" },
  secretsFile: { about: "secrets to send, as JSON or dotenv", value: "file" },
  saveKey: { about: "keeping the first key in a profile", on: true },
  suffix: { about: "a deployment of its own, such as pr-12; needs --env", value: "text" },
  message: { about: "description of this deployment", value: "text" },
  tag: { about: "instead of package version and commit", value: "text" },
  smoke: { about: "the test of the deployment", on: true },
  skipSmoke: { about: "do not test the deployment", hidden: true },
  rollbackOnFailure: { about: "take the code back where that test fails" },
  force: { about: "deploy in spite of a finding", value: "code", many: true },
} as const satisfies OptionSpecs;

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };
const DAY_SECONDS = 86_400;

/** Returns a delay in wrangler's form. Throws exit code 2. */
export function drainOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const [, number = "", unit = ""] = /^(\d+)(s|m|h)$/.exec(text) ?? [];
  const seconds = Number(number) * (UNITS[unit] ?? Number.NaN);
  if (unit !== "" && seconds <= DAY_SECONDS) return text;
  throw wrongUse(`--drain: expected a time from 0s to 24h, got ${JSON.stringify(text)}`);
}
