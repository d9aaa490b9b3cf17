// HTTP operations for definitions of one kind, from code and stored: list, show, store as versions, check and delete.
// Each kind provides its readers and views (`DefinitionKindSpec`); the sequence is here, once.
import * as z from "zod";
import { checkDefinition } from "./definition-check.ts";
import { readDefinitionBody } from "./definition-body.ts";
import { storableDefinition } from "./definition-specs.ts";
import { versionOperations } from "./definition-versions.ts";
import { conditionOf, etagOf, versionFields } from "./definition-writes.ts";
import { keyOfCursor } from "./cursor.ts";
import type { DefinitionKindSpec } from "./definition-kind.ts";
import { operation, type Operation } from "./operation.ts";
import type { PartHost } from "./part.ts";
import { pageQuery } from "./schemas.ts";
import {
  checkName,
  listBoth,
  notStored,
  refuseGrown,
  refuseRegistered,
} from "./stored-definitions.ts";
import { definitionCheckShape } from "./definition-shapes.ts";

export const noteQuery = z.strictObject({
  note: z.string().min(1).max(500).optional().describe("Reason, shown in the list of versions."),
});

const checkQuery = z.strictObject({
  name: z.string().min(1).max(128).optional().describe("Name for the stored definition."),
});

/** The operations on definitions of one kind. */
export function definitionOperations(
  spec: DefinitionKindSpec,
  host: PartHost,
): readonly Operation[] {
  return [
    listDefinitions(spec, host),
    getDefinition(spec, host),
    putDefinition(spec, host),
    checkDraft(spec, host),
    deleteDefinition(spec, host),
    ...versionOperations(spec, host),
  ];
}

type Spec = DefinitionKindSpec;

const pathOf = ({ kind }: Spec): string => `/${kind}s`;

const sharedOf = ({ title, kind }: Spec) => ({ group: `${title}s`, subject: kind }) as const;

/** Need of the examples, for kinds whose definitions cannot be stored everywhere. */
const sampleOf = ({ needs }: Spec) => (needs === undefined ? undefined : { sample: { needs } });

function listDefinitions(spec: Spec, host: PartHost): Operation {
  const { title, kind, shapes, registered, ofCode, ofStored } = spec;
  return operation({
    ...sharedOf(spec),
    id: `list${title}s`,
    method: "get",
    path: pathOf(spec),
    scope: "read",
    summary: `List ${kind}s`,
    description: "Definitions of the deployed code first, then stored ones, each by name.",
    query: pageQuery,
    answers: { 200: { description: `A page of ${kind}s`, list: shapes.view } },
    problems: [400],
    handle: async ({ tenant, query: { cursor, limit } }) => ({
      status: 200,
      json: await listBoth(host, {
        kind,
        tenant,
        registered: Object.keys(registered),
        ofCode: ofCode.view,
        ofStored: (row) => ofStored.view(tenant, row),
        page: { after: keyOfCursor(cursor), limit },
      }),
    }),
  });
}

function getDefinition(spec: Spec, host: PartHost): Operation {
  const { title, kind, shapes, registered, ofCode, ofStored } = spec;
  const { definitions } = host;
  return operation({
    ...sharedOf(spec),
    id: `get${title}`,
    method: "get",
    path: `${pathOf(spec)}/{name}`,
    scope: "read",
    summary: `Show a ${kind}`,
    description: "A stored one has its version as `ETag`, in quotes.",
    answers: { 200: { description: `The ${kind}`, shape: shapes.details, headers: ["ETag"] } },
    problems: [404],
    handle: async ({ tenant, params: { name = "" } }) => {
      if (Object.hasOwn(registered, name)) return { status: 200, json: ofCode.details(name) };
      const stored = await definitions.get(tenant, kind, name);
      if (stored === undefined) throw notStored(kind, name);
      const { version } = stored;
      const json = { ...ofStored.details(tenant, stored), version };
      return { status: 200, json, headers: { etag: etagOf(version) } };
    },
  });
}

function putDefinition(spec: Spec, host: PartHost): Operation {
  const { title, kind, shapes, registered } = spec;
  const { definitions, clock } = host;
  return operation({
    ...sharedOf(spec),
    ...sampleOf(spec),
    id: `put${title}`,
    method: "put",
    path: `${pathOf(spec)}/{name}`,
    scope: "admin",
    summary: `Store a ${kind}`,
    description: `${spec.body.description} Each change makes a version; the newest 50 stay; \`ETag\` is its number in quotes.`,
    headers: ["If-Match", "If-None-Match"],
    query: noteQuery,
    rawBody: {
      name: `${title}Definition`,
      schema: spec.body.schema,
      types: ["application/yaml"],
    },
    answers: {
      200: { description: "Replaced, or unchanged", shape: shapes.details, headers: ["ETag"] },
      201: { description: "New", shape: shapes.details, headers: ["ETag", "Location"] },
    },
    problems: [400, 409, 412, 413, 415],
    example: spec.example,
    handle: async ({ tenant, params: { name = "" }, query: { note }, raw, author }) => {
      refuseRegistered(registered, kind, name);
      checkName(kind, name);
      const checkPresent = conditionOf(raw, { kind, name });
      const sent = await readDefinitionBody(raw, host.maxBodyBytes, spec.readers());
      const read = sent.placed(() => spec.read(tenant, name, sent.value));
      refuseGrown(read.definition, host);
      const { definitions: rules } = host.placeOf(tenant).environment;
      const owner = `${tenant}/${kind}/${name}`;
      const definition = await storableDefinition(read.definition, { rules, owner });
      const fields = await versionFields(read.definition, sent);
      const { version, isNew } = await definitions.put(tenant, kind, {
        ...fields,
        name,
        definition,
        nowMs: clock.now(),
        by: author,
        note,
        ...(checkPresent === undefined ? undefined : { checkPresent }),
      });
      const json = { ...read.details(), version };
      const etag = { etag: etagOf(version) };
      const location = { location: `${pathOf(spec)}/${encodeURIComponent(name)}` };
      return isNew
        ? { status: 201, json, headers: { ...etag, ...location } }
        : { status: 200, json, headers: etag };
    },
  });
}

function checkDraft(spec: Spec, host: PartHost): Operation {
  const { title, kind } = spec;
  return operation({
    ...sharedOf(spec),
    ...sampleOf(spec),
    id: `check${title}`,
    method: "post",
    path: `${pathOf(spec)}/check`,
    scope: "read",
    summary: `Check a ${kind} without storing it`,
    description: `Takes the same body as storing a ${kind} and finds the same faults, with lines and columns if the format has them. A valid definition returns its \`graph\`; a faulty one returns 200 with \`ok: false\`.`,
    query: checkQuery,
    rawBody: {
      name: `${title}Draft`,
      schema: z.unknown().describe(`A ${title}Definition, or a draft of one.`),
      types: ["application/yaml"],
    },
    answers: { 200: { description: "Faults of the definition", shape: definitionCheckShape } },
    problems: [400, 409, 413, 415],
    example: spec.example,
    handle: async ({ tenant, query, raw }) => ({
      status: 200,
      json: await checkDefinition(spec, host, { tenant, raw, name: query.name }),
    }),
  });
}

function deleteDefinition(spec: Spec, host: PartHost): Operation {
  const { title, kind, registered } = spec;
  const { definitions } = host;
  return operation({
    ...sharedOf(spec),
    id: `delete${title}`,
    sample: { after: [{ operation: `put${title}` }] },
    method: "delete",
    path: `${pathOf(spec)}/{name}`,
    scope: "admin",
    summary: `Delete a stored ${kind}`,
    description:
      "Its runs and versions stay, and active runs continue. A definition stored later under the name continues the version numbers.",
    answers: { 204: { description: "Deleted" } },
    problems: [404, 409],
    handle: async ({ tenant, params: { name = "" } }) => {
      refuseRegistered(registered, kind, name);
      if (!(await definitions.delete(tenant, kind, name))) throw notStored(kind, name);
      return { status: 204 };
    },
  });
}
