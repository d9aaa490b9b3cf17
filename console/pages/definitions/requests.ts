// Requests of the pages about definitions: the stored source, its versions, and batches.
import { transport, targetPath } from "../../api.ts";
import type { Graph, Json, Page, TargetDetails, TargetKind } from "../../api-types.ts";

/** Written form of a definition. */
export type Source = { readonly text: string; readonly mediaType: string };

export type VersionRow = {
  readonly version: number;
  readonly createdAt: string;
  readonly by?: string;
  readonly note?: string;
  readonly bytes: number;
};
export type VersionDetails = VersionRow & {
  readonly source: string;
  readonly mediaType: string;
  readonly definition: Json;
};

/** A fault of a definition; `line` and `column` from 1. */
export type DefinitionFault = {
  readonly path: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
};
export type DefinitionCheck = {
  readonly ok: boolean;
  readonly errors: readonly DefinitionFault[];
  readonly inputs: readonly string[];
  readonly ignored: readonly DefinitionFault[];
  /** Picture of a usable definition. */
  readonly graph?: Graph;
};

type Condition = {
  /** Expected current version; 0 if no version exists. */
  readonly ifVersion: number;
  readonly note?: string;
};

const versionsPath = (kind: TargetKind, name: string): string =>
  `${targetPath(kind, name)}/versions`;
const sent = ({ text, mediaType }: Source) => ({ text: { type: mediaType, body: text } });
const noteQuery = ({ note = "" }: Condition) => (note.trim() === "" ? {} : { note: note.trim() });
const conditionHeaders = ({ ifVersion }: Condition): Record<string, string> =>
  ifVersion === 0 ? { "if-none-match": "*" } : { "if-match": `"${ifVersion}"` };

export const definitions = {
  check: (
    kind: TargetKind,
    name: string,
    { signal, ...source }: Source & { readonly signal?: AbortSignal },
  ) =>
    transport.json<DefinitionCheck>(`${targetPath(kind)}/check`, {
      method: "POST",
      query: { name },
      signal,
      ...sent(source),
    }),
  put: (kind: TargetKind, name: string, source: Source & Condition) =>
    transport.json<TargetDetails>(targetPath(kind, name), {
      method: "PUT",
      query: noteQuery(source),
      headers: conditionHeaders(source),
      ...sent(source),
    }),
  remove: (kind: TargetKind, name: string) =>
    transport.send(targetPath(kind, name), { method: "DELETE" }).then(() => undefined),
  versions: (kind: TargetKind, name: string, cursor?: string) =>
    transport.json<Page<VersionRow>>(versionsPath(kind, name), { query: { cursor, limit: 50 } }),
  version: (kind: TargetKind, name: string, version: number) =>
    transport.json<VersionDetails>(`${versionsPath(kind, name)}/${version}`),
  restore: (
    kind: TargetKind,
    name: string,
    { version, ...condition }: Condition & { readonly version: number },
  ) =>
    transport.json<TargetDetails>(`${versionsPath(kind, name)}/${version}/restore`, {
      method: "POST",
      query: noteQuery(condition),
      headers: conditionHeaders(condition),
    }),
  /** One run for each item of `inputs`. */
  batch: (name: string, json: unknown) =>
    transport.json<{ readonly id: string }>(`${targetPath("crew", name)}/kickoff-for-each`, {
      method: "POST",
      json,
    }),
};
