// The console's only way to the server: the client, and in this one file the requests that the client has no methods for.
import { EdgecrewClient } from "../src/client/edgecrew-client.ts";
import { Transport } from "../src/client/transport.ts";
import type {
  CallSummary,
  ChangesPage,
  EventsPage,
  ForkRequest,
  Graph,
  ModelCall,
  Page,
  RunRow,
  RunView,
  Session,
  StepRow,
  TargetDetails,
  TargetKind,
  TargetRow,
  WaitRow,
} from "./api-types.ts";

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

const options = { baseUrl: "", headers: { "x-edgecrew-console": "1" } };

export const client = new EdgecrewClient(options);
/** For the request files of pages. */
export const transport = new Transport(options);

const runPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;
/** The part of the API that a kind of target is under. */
export const targetPath = (kind: TargetKind, name?: string): string =>
  `/${kind === "crew" ? "crews" : `${kind}s`}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;

const get = <T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> =>
  transport.json<T>(path, { query, ...(signal === undefined ? undefined : { signal }) });
const post = <T>(path: string, json: unknown = {}): Promise<T> =>
  transport.json<T>(path, { method: "POST", json });

export const api = {
  session: () => get<Session>("/session"),
  signIn: (json: { readonly key: string; readonly by?: string }) => post<Session>("/session", json),
  signOut: () => transport.send("/session", { method: "DELETE" }).then(() => undefined),
  stats: (query: Query) => get<{ readonly items: readonly StatRow[] }>("/stats", query),
  usage: (query: Query) => get<{ readonly items: readonly UsageRow[] }>("/usage", query),

  runs: (query: Query, signal?: AbortSignal) => get<Page<RunRow>>("/runs", query, signal),
  waits: (query: Query) => get<Page<WaitRow>>("/waits", query),
  changes: (query: Query, signal?: AbortSignal) => get<ChangesPage>("/changes", query, signal),
  changeStream: (after: number | undefined, signal: AbortSignal) =>
    transport.send("/changes", {
      query: { after },
      headers: { accept: "text/event-stream" },
      signal,
    }),

  run: (id: string) => get<RunView>(runPath(id)),
  journal: (id: string, query: Query, signal?: AbortSignal) =>
    get<Page<StepRow>>(`${runPath(id)}/journal`, query, signal),
  step: (id: string, key: string) => get<StepRow>(`${runPath(id)}/step`, { key }),
  calls: (id: string, query: Query) => get<Page<CallSummary>>(`${runPath(id)}/calls`, query),
  call: (id: string, key: string) => get<ModelCall>(`${runPath(id)}/call`, { key }),
  graph: (id: string) => get<Graph>(`${runPath(id)}/graph`),
  events: (id: string, query: Query, signal?: AbortSignal) =>
    get<EventsPage>(`${runPath(id)}/events`, query, signal),
  /** `cancel`, `pause` and `unpause`. */
  steer: (id: string, how: string) => post<RunView>(`${runPath(id)}/${how}`),
  /** Sent again when the network fails: an answer has an id of its own, under which it counts once. */
  resume: (id: string, json: { readonly id: string }) =>
    transport.json<RunView>(`${runPath(id)}/resume`, { method: "POST", json, attempts: 3 }),
  fork: (id: string, json: ForkRequest) =>
    post<{ readonly id: string }>(`${runPath(id)}/fork`, json),
  remove: (id: string) => transport.send(runPath(id), { method: "DELETE" }).then(() => undefined),

  /** Of a local Worker that can be killed; others answer 404. */
  devWorker: () => get<{ readonly canBeKilled: boolean }>("/dev"),
  killWorker: () => post<unknown>("/dev/kill"),

  targets: (kind: TargetKind, query: Query = {}) => get<Page<TargetRow>>(targetPath(kind), query),
  target: (kind: TargetKind, name: string) => get<TargetDetails>(targetPath(kind, name)),
  targetGraph: (kind: TargetKind, name: string) => get<Graph>(`${targetPath(kind, name)}/graph`),
  /** What a tenant may have, and has, where the app has quotas. */
  tenant: (tenant: string) =>
    get<{
      readonly quotas: Readonly<Record<string, number>>;
      readonly used: Readonly<Record<string, number>>;
    }>(`/tenants/${encodeURIComponent(tenant)}`),
  kickoff: (kind: TargetKind, name: string, json: unknown) =>
    post<{ readonly id: string }>(`${targetPath(kind, name)}/kickoff`, json),
};

export type StatRow = {
  readonly at: string;
  readonly started: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
};
export type UsageRow = {
  readonly at: string;
  readonly requests: number;
  readonly tokens: number;
  readonly cost?: number;
  readonly costUsd?: number;
};
