// The same subjects through every door of a Worker.
import { agUiDoor } from "../doors/ag-ui-door.ts";
import { a2aDoor } from "../doors/a2a-door.ts";
import { visit, type Door } from "../doors/door.ts";
import { events, socket, waiting } from "../doors/http-door.ts";
import { mcpDoor } from "../doors/mcp-door.ts";
import { chat, responses } from "../doors/openai-door.ts";
import type { Kind } from "./kind.ts";

const DOORS = {
  "http-wait": waiting,
  "http-events": events,
  "http-socket": socket,
  "openai-chat": chat,
  "openai-responses": responses,
  a2a: a2aDoor,
  "ag-ui": agUiDoor,
  mcp: mcpDoor,
} as const satisfies Readonly<Record<string, Door>>;

const ALL: readonly Door[] = Object.values(DOORS);

export type DoorName = keyof typeof DOORS;

/** One kind for each door. */
export const DOOR_KINDS: Readonly<Record<DoorName, Kind>> = Object.fromEntries(
  Object.entries(DOORS).map(([name, door]) => [
    name,
    {
      name,
      reasons: ["shape"],
      hasWorker: true,
      run: (bench) => visit(bench, door),
    } satisfies Kind,
  ]),
) as unknown as Record<DoorName, Kind>;

/** A limit that no answer keeps, told in the words of the door. */
export const doorCut: Kind = {
  name: "door-cut",
  reasons: [],
  hasWorker: true,
  run: (bench) =>
    visit(bench, bench.random.pick([chat, responses]), { subject: "agent/storyteller" }),
};

/** The model is away for a moment while a client waits at a door. */
export const doorAway: Kind = {
  name: "door-away",
  reasons: [],
  hasWorker: true,
  run(bench) {
    const { faults } = bench.server;
    if (bench.random.chance(0.5)) faults.loadingUntilMs = Date.now() + 1_000;
    else faults.drops = 1;
    return visit(bench, bench.random.pick(ALL), { subject: "agent/clerk" });
  },
};

/** The model stays away: every door says that the run has failed, and asks for no second one. */
export const doorDown: Kind = {
  name: "door-down",
  reasons: ["outage"],
  hasWorker: true,
  run(bench) {
    bench.server.faults.isDown = true;
    return visit(bench, bench.random.pick(ALL), { subject: "agent/clerk" });
  },
};
