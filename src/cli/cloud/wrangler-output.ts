// Parses the JSON of wrangler, and its two outputs without JSON.
//
//   WRO1. Unknown fields are ignored: a newer wrangler may print more.
import * as z from "zod";
import {
  CloudFault,
  type Account,
  type CloudDeployment,
  type Share,
  type Version,
} from "./cloud.ts";
import { parsedJson } from "../../base/json.ts";

const named = z.array(z.object({ name: z.string() }));

const whoami = z.object({
  loggedIn: z.boolean(),
  accounts: z.array(z.object({ id: z.string(), name: z.string() })).default([]),
  tokenPermissions: z.array(z.string()).optional(),
});

const index = z.object({
  name: z.string(),
  config: z.object({ dimensions: z.number(), metric: z.string() }),
});

const metadataIndexes = z.array(z.object({ propertyName: z.string() }));

const rows = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) }));

const version = z.object({
  id: z.string(),
  metadata: z.object({ created_on: z.string() }),
  annotations: z.record(z.string(), z.unknown()).optional(),
});

const deployment = z.object({
  id: z.string(),
  created_on: z.string(),
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
});

const bucket = z.object({ object_count: z.union([z.string(), z.number()]) });

const bookmark = z.object({ bookmark: z.string().min(1) });

const restored = z.object({ previous_bookmark: z.string().min(1) });

const text = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

/** Parsers of a command's output. Each throws a `CloudFault` for another form. */
export const readOutput = {
  names: (stdout: string) => read(named, stdout).map(({ name }) => name),
  whoami: (stdout: string): Account | undefined => {
    const { loggedIn, accounts, tokenPermissions } = read(whoami, stdout);
    return loggedIn ? { accounts, permissions: tokenPermissions } : undefined;
  },
  indexes: (stdout: string) =>
    read(z.array(index), stdout).map(({ name, config }) => ({ name, ...config })),
  metadataIndexes: (stdout: string) =>
    read(metadataIndexes, stdout).map(({ propertyName }) => propertyName),
  /** The first column of the first statement. */
  column: (stdout: string): readonly string[] =>
    (read(rows, stdout)[0]?.results ?? []).flatMap((row) => text(Object.values(row)[0]) ?? []),
  /** Newest first. */
  versions: (stdout: string): readonly Version[] =>
    read(z.array(version), stdout)
      .map(({ id, metadata, annotations = {} }) => ({
        id,
        createdAt: metadata.created_on,
        tag: text(annotations["workers/tag"]),
        message: text(annotations["workers/message"]),
        changesSecrets: annotations["workers/triggered_by"] === "secret",
      }))
      .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt)),
  /** Newest first. */
  deployments: (stdout: string): readonly CloudDeployment[] =>
    read(z.array(deployment), stdout)
      .map(({ id, created_on, versions }) => ({
        id,
        createdAt: created_on,
        shares: versions.map(({ version_id, percentage }): Share => ({
          version: version_id,
          percentage,
        })),
      }))
      .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt)),
  bookmark: (stdout: string): string => read(bookmark, stdout).bookmark,
  /** Bookmark that undoes a restore. */
  previousBookmark: (stdout: string): string => read(restored, stdout).previous_bookmark,
  bucket: (stdout: string) => ({ objects: String(read(bucket, stdout).object_count) }),
};

/** Returns the name in the output of `queues info`, which has no JSON form. */
export function queueNameIn(stdout: string): string | undefined {
  return /^\s*queue name\s*:\s*(\S+)/im.exec(stdout)?.[1];
}

/**
 * Returns `https://…` unchanged, and a route (`crews.example.com (custom domain)`) as an address. Empty for a pattern
 * or a schedule.
 */
export function addressOf(target: string): readonly string[] {
  const [first = ""] = target.split(" ");
  if (/^https?:\/\//.test(first)) return [first.replace(/\/+$/, "")];
  const isHost = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:\/\*)?$/i.test(first);
  return isHost ? [`https://${first.replace(/\/\*$/, "")}`] : [];
}

function read<Value>(schema: z.ZodType<Value>, stdout: string): Value {
  const parsed = schema.safeParse(jsonIn(stdout));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CloudFault(
    "failed",
    `wrangler printed an unknown answer (${issue?.path.join(".") || "/"}: ${issue?.message}): ${stdout.trim().slice(0, 200)}`,
    { command: "" },
  );
}

/** Finds the document, also behind a banner or a warning. */
function jsonIn(stdout: string): unknown {
  const whole = parsedJson(stdout);
  if (whole !== undefined) return whole;
  const start = /^[[{]/m.exec(stdout)?.index;
  return start === undefined ? undefined : parsedJson(stdout.slice(start));
}
