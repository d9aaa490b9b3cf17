// The versions of stored definitions over HTTP.
import * as z from "zod";
import { isoTime } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { pageOf } from "../runtime/page.ts";
import { cursorAfter, numberOfCursor } from "./cursor.ts";
import type { DefinitionKindSpec } from "./definition-kind.ts";
import { shownDefinition } from "./definition-specs.ts";
import { MAX_VERSIONS, type DefinitionVersion, type StoredVersion } from "./definition-store.ts";
import { conditionOf, etagOf, restoredFields } from "./definition-writes.ts";
import { exampleNameOf, operation, type Operation } from "./operation.ts";
import type { PartHost } from "./part.ts";
import { pageQuery } from "./schemas.ts";
import { noVersion, notStored, refuseRegistered } from "./stored-definitions.ts";
import {
  definitionVersionDetailsShape,
  definitionVersionShape,
  type DefinitionVersionView,
  type DefinitionVersionDetails,
} from "./definition-shapes.ts";

const restoreQuery = z.strictObject({
  note: z.string().min(1).max(500).optional().describe("Reason, shown in the list of versions."),
});

type Spec = DefinitionKindSpec;

export function versionOperations(spec: Spec, host: PartHost): readonly Operation[] {
  return [listVersions(spec, host), getVersion(spec, host), restoreVersion(spec, host)];
}

function sharedOf({ title, kind }: Spec) {
  const values = { name: exampleNameOf(kind), version: "1" };
  const sample = { after: [{ operation: `put${title}` }], values };
  return { group: `${title}s`, subject: kind, sample } as const;
}

const pathOf = ({ kind }: Spec): string => `/${kind}s/{name}/versions`;

async function found(
  { definitions }: PartHost,
  { tenant, kind, name, sent }: Record<"tenant" | "kind" | "name" | "sent", string>,
): Promise<StoredVersion> {
  const version = /^[1-9]\d{0,14}$/.test(sent) ? Number(sent) : 0;
  const stored = await definitions.version(tenant, kind, { name, version });
  if (stored === undefined) throw noVersion(kind, name, version);
  return stored;
}

function listVersions(spec: Spec, host: PartHost): Operation {
  const { title, kind } = spec;
  const { definitions } = host;
  return operation({
    ...sharedOf(spec),
    id: `list${title}Versions`,
    method: "get",
    path: pathOf(spec),
    scope: "read",
    summary: `List the versions of a stored ${kind}`,
    description: `Newest first. The newest ${MAX_VERSIONS} stay, also after the ${kind} was deleted.`,
    query: pageQuery,
    answers: {
      200: { description: "A page of versions", list: definitionVersionShape },
    },
    problems: [400, 404],
    handle: async ({ tenant, params: { name = "" }, query: { cursor, limit } }) => {
      const before = numberOfCursor(cursor);
      const rows = await definitions.versions(tenant, kind, { name, before, limit: limit + 1 });
      if (rows.length === 0 && before === undefined) throw notStored(kind, name);
      const json = pageOf(rows, limit, {
        item: versionView,
        cursor: ({ version }) => cursorAfter(String(version)),
      });
      return { status: 200, json };
    },
  });
}

function getVersion(spec: Spec, host: PartHost): Operation {
  const { title, kind } = spec;
  return operation({
    ...sharedOf(spec),
    id: `get${title}Version`,
    method: "get",
    path: `${pathOf(spec)}/{version}`,
    scope: "read",
    summary: `Show a version of a stored ${kind}`,
    answers: { 200: { description: "The version", shape: definitionVersionDetailsShape } },
    problems: [404],
    handle: async ({ tenant, params: { name = "", version = "" } }) => {
      const stored = await found(host, { tenant, kind, name, sent: version });
      return { status: 200, json: versionDetails(stored) };
    },
  });
}

function restoreVersion(spec: Spec, host: PartHost): Operation {
  const { title, kind, registered } = spec;
  const { definitions, clock } = host;
  return operation({
    ...sharedOf(spec),
    id: `restore${title}Version`,
    method: "post",
    path: `${pathOf(spec)}/{version}/restore`,
    scope: "admin",
    summary: `Store an old version of a ${kind} again`,
    description:
      "Stores a new version with the same content. Refused if it no longer fits this deployment.",
    headers: ["If-Match", "If-None-Match"],
    query: restoreQuery,
    answers: {
      200: {
        description: "Replaced, or unchanged",
        shape: spec.shapes.details,
        headers: ["ETag"],
      },
      201: {
        description: "Stored again after it was deleted",
        shape: spec.shapes.details,
        headers: ["ETag"],
      },
    },
    problems: [400, 404, 409, 412],
    handle: async ({ tenant, params, query, raw, author }) => {
      const { name = "", version: sent = "" } = params;
      refuseRegistered(registered, kind, name);
      const checkPresent = conditionOf(raw, { kind, name });
      const old = await found(host, { tenant, kind, name, sent });
      const read = spec.readStored(tenant, name, old.definition);
      const { version, isNew } = await definitions.put(tenant, kind, {
        ...(await restoredFields(old)),
        name,
        definition: old.definition,
        nowMs: clock.now(),
        by: author,
        note: query.note ?? `Version ${old.version} again`,
        ...(checkPresent === undefined ? undefined : { checkPresent }),
      });
      const json = { ...read.details(), version };
      return { status: isNew ? 201 : 200, json, headers: { etag: etagOf(version) } };
    },
  });
}

function versionView({
  version,
  createdAtMs,
  by,
  note,
  bytes,
}: DefinitionVersion): DefinitionVersionView {
  return {
    version,
    createdAt: isoTime(createdAtMs),
    ...(by === undefined ? undefined : { by }),
    ...(note === undefined ? undefined : { note }),
    bytes,
  };
}

function versionDetails(stored: StoredVersion): DefinitionVersionDetails {
  const definition = shownDefinition(stored.definition) as JsonObject;
  const { source, mediaType } = stored;
  return {
    ...versionView(stored),
    source: source ?? `${JSON.stringify(definition, undefined, 2)}\n`,
    mediaType: source === undefined ? "application/json" : (mediaType ?? "application/json"),
    definition,
  };
}
