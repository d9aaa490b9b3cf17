// Sandboxes of services for tools: one for each call, one for the run, or an existing one managed elsewhere.
import * as z from "zod";
import { EngineError } from "../../../base/error.ts";
import type { JsonValue } from "../../../base/json.ts";
import { systemClock } from "../../../base/system.ts";
import { requestSender, type SendRequest } from "../../../code/machines/send-request.ts";
import { cleanUp, type CleanUp } from "../../../events/clean-up.ts";
import { networkOf } from "../../../events/run-network.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import type { ToolSpec } from "../base/tool-spec.ts";

/** Options of every tool of a sandbox. */
export const sandboxOptions = {
  persistent: z.boolean().default(false),
  sandboxId: z.string().min(1).optional(),
} as const;

/** Properties of every tool of a sandbox. */
export const SANDBOX_TOOL = {
  group: "code",
  effectClass: "X",
  untrusted: true,
  cache: false,
  maxChars: 40_000,
} as const;

/** A tool of a service's sandboxes, without the properties common to all of them. */
export type SandboxSpec<Input extends z.ZodObject, Options extends z.ZodObject, Sandbox> = Pick<
  ToolSpec<Input, Options>,
  "className" | "displayName" | "input"
> & {
  readonly description: string;
  readonly use: (
    sandbox: Sandbox,
    input: z.output<Input>,
    call: { readonly options: z.output<Options>; readonly io: ToolIo },
  ) => Promise<unknown>;
};

/** Data of a sandbox stored by a run. */
export type KeptSandbox = Readonly<Record<string, string>>;

/** Operations of a sandbox service: create, find and end. */
export type SandboxService<Sandbox extends { readonly id: string }> = {
  readonly name: string;
  readonly create: () => Promise<Sandbox>;
  /** Returns undefined if the sandbox is gone. */
  readonly find: (id: string) => Promise<Sandbox | undefined>;
  readonly remove: (id: string) => Promise<void>;
  /** Ends a sandbox with its run, from the data stored by the run: `kept` and the id of the sandbox. */
  readonly end: CleanUp<KeptSandbox>;
  readonly kept: KeptSandbox;
};

type Life = { readonly persistent: boolean; readonly sandboxId?: string | undefined };

/** Uses the sandbox selected by the options. A sandbox made for the call ends with it. */
export async function inSandbox<Sandbox extends { readonly id: string }, T>(
  io: ToolIo,
  { service, life }: { readonly service: SandboxService<Sandbox>; readonly life: Life },
  use: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const { sandboxId, persistent } = life;
  if (sandboxId !== undefined) {
    const found = await service.find(sandboxId);
    if (found !== undefined) return use(found);
    throw serviceFailure({
      code: "not_found",
      message: `${service.name} has no sandbox ${sandboxId}.`,
    });
  }
  if (persistent) return use(await sandboxOfRun(io, service));
  const sandbox = await service.create();
  try {
    return await use(sandbox);
  } finally {
    await service.remove(sandbox.id).catch(() => undefined); // it ends by itself after a while
  }
}

/** Sandboxes by run, so a call does not read their whole record again. */
const sandboxesByDrive = new WeakMap<object, RunSandboxes>();

type RunSandboxes = {
  readonly ids: Map<string, JsonValue | undefined>;
  /** Resolves when the previous call has opened its sandbox, so concurrent calls share one. */
  readonly opened: Map<string, Promise<unknown>>;
};

async function sandboxOfRun<Sandbox extends { readonly id: string }>(
  io: ToolIo,
  service: SandboxService<Sandbox>,
): Promise<Sandbox> {
  const { drive } = io.scope;
  let all = sandboxesByDrive.get(drive);
  if (all === undefined) sandboxesByDrive.set(drive, (all = { ids: new Map(), opened: new Map() }));
  const { ids, opened } = all;
  const place = `sandbox:${service.name}`;
  const before = opened.get(place) ?? Promise.resolve();
  const opening = before
    .catch(() => undefined) // the other call fails with this error itself
    .then(() => openSandbox(io, { place, ids, ...service }));
  opened.set(place, opening);
  return opening;
}

async function openSandbox<Sandbox extends { readonly id: string }>(
  { scope }: ToolIo,
  {
    place,
    ids,
    create,
    find,
    end,
    kept,
  }: SandboxService<Sandbox> & { readonly place: string } & Pick<RunSandboxes, "ids">,
): Promise<Sandbox> {
  if (!ids.has(place)) ids.set(place, scope.readings(place).at(-1));
  const known = ids.get(place);
  const found = typeof known === "string" ? await find(known) : undefined;
  if (found !== undefined) return found;
  const sandbox = await create();
  ids.set(place, sandbox.id);
  scope.atNext(place).reading(() => sandbox.id);
  scope.addCleanUp(end, { ...kept, id: sandbox.id }, `${place}:${sandbox.id}`);
  return sandbox;
}

/**
 * Creates the clean-up of a service's sandboxes at the end of their runs. It uses the deployment's key of that time, as
 * runs store no keys.
 */
export function sandboxEnd(
  name: string,
  { service, keyName }: { readonly service: string; readonly keyName: string },
  remove: (kept: KeptSandbox, account: { apiKey: string; send: SendRequest }) => Promise<void>,
): CleanUp<KeptSandbox> {
  return cleanUp<KeptSandbox>(name, async (kept, { services, signal }) => {
    const apiKey = services.variables?.[keyName]?.trim() ?? "";
    if (apiKey === "") throw new EngineError("tool_failed", `the variable ${keyName} is not set`);
    const network = networkOf(services);
    const who = { service, keyName, fetch: network.fetch, clock: systemClock, signal };
    await remove(kept, { apiKey, send: requestSender(who) });
  });
}
