// Sandboxes of services as tools use them: one for each call, one for the run, or one that somebody else keeps.
import * as z from "zod";
import type { JsonValue } from "../../../base/json.ts";
import type { CleanUp } from "../../../events/clean-up.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";

/** Options of every tool of a sandbox. */
export const sandboxOptions = {
  persistent: z.boolean().default(false),
  sandboxId: z.string().min(1).optional(),
} as const;

/** What a run keeps of a sandbox. */
export type KeptSandbox = Readonly<Record<string, string>>;

/** How a service makes sandboxes, finds them again and ends them. */
export type SandboxService<Sandbox extends { readonly id: string }> = {
  readonly name: string;
  readonly create: () => Promise<Sandbox>;
  /** Undefined for one that is gone. */
  readonly find: (id: string) => Promise<Sandbox | undefined>;
  readonly remove: (id: string) => Promise<void>;
  /** Ends one with its run, by what the run keeps: `kept` and the id of the sandbox. */
  readonly end: CleanUp<KeptSandbox>;
  readonly kept: KeptSandbox;
};

type Life = { readonly persistent: boolean; readonly sandboxId?: string | undefined };

/** Uses the sandbox that the options ask for. One that was made for the call is ended with it. */
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

/** The sandboxes of runs, so that a call does not read their whole record again. */
const idsByDrive = new WeakMap<object, Map<string, JsonValue | undefined>>();

async function sandboxOfRun<Sandbox extends { readonly id: string }>(
  { scope }: ToolIo,
  { name, create, find, end, kept }: SandboxService<Sandbox>,
): Promise<Sandbox> {
  const place = `sandbox:${name}`;
  let ids = idsByDrive.get(scope.drive);
  if (ids === undefined) idsByDrive.set(scope.drive, (ids = new Map()));
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
