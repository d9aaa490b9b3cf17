// The console's only way to the server: the client. Requests without a client method use its transport.
import { EdgecrewClient } from "../src/client/edgecrew-client.ts";
import { sharedTabs, type RemoteRun } from "../src/client/index.ts";
import { START_SECTIONS } from "../src/client/start-kinds.ts";
import { Transport } from "../src/client/transport.ts";
import type { Graph, Page, TargetDetails, TargetKind, TargetRow } from "./api-types.ts";

const options = {
  url: "",
  headers: { "x-edgecrew-console": "1" },
  changes: sharedTabs("edgecrew-console"),
};

export const client = new EdgecrewClient(options);
/** For the request files of pages. */
export const transport = new Transport(options);

/** Path of the API for a kind of target. */
export const targetPath = (kind: TargetKind, name?: string): string =>
  `/${START_SECTIONS[kind]}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;

/** Client methods for every kind of target; agents have no graph. */
type Targets = {
  list(page?: { readonly limit?: number }): Promise<Page<TargetRow>>;
  get(name: string): Promise<TargetDetails>;
  graph(name: string): Promise<Graph>;
};

export const targetsOf = (kind: TargetKind): Targets =>
  client[START_SECTIONS[kind]] as unknown as Targets;

/** Starts a run with a body as `POST /<kind>s/<name>/kickoff` takes it. */
export function kickoff(
  kind: TargetKind,
  name: string,
  { messages, ...body }: Readonly<Record<string, unknown>>,
): Promise<RemoteRun> {
  const { crews, flows, agents, conversations } = client;
  if (kind === "crew") return crews.kickoff(name, body);
  if (kind === "flow") return flows.kickoff(name, body);
  if (kind === "conversation") return conversations.kickoff(name, body);
  return agents.kickoff(name, messages as string, body);
}
