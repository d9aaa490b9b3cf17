// Checks the chosen Worker: its address, its certificate, its key, and its facts about itself.
import { aboutOf } from "../check/worker-findings.ts";
import { CliFailure, deepestMessage, TRUST } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import type { Target } from "../target.ts";
import { fault, ok, unknown, type DoctorRow } from "./doctor-row.ts";

const MAX_CLOCK_MS = 5 * 60_000;
const LATE_MS = 5 * 60_000;

export async function workerRows(
  context: CliContext,
  installed: string | null,
): Promise<readonly DoctorRow[]> {
  const target = await context.target().catch((error: unknown) => {
    if (error instanceof CliFailure && error.code === "no_target") return undefined;
    throw error;
  });
  if (target === undefined)
    return [unknown("worker", "none is named: edgecrew dev, --url, or edgecrew login")];
  const what = `${target.url} (${target.from})`;
  let health: Response;
  try {
    health = await context.request("/healthz");
  } catch (error) {
    context.signal.throwIfAborted();
    return [unreachable(target, error)];
  }
  if (!health.ok)
    return [
      fault("worker", {
        code: "not_healthy",
        found: `${what}: GET /healthz answers ${health.status}`,
        fix: "is it an Edgecrew Worker? edgecrew logs --errors shows its errors",
      }),
    ];
  return [
    ok("worker", what),
    ok(
      "address",
      target.url.startsWith("https:") ? "DNS and TLS are right" : "DNS is right; no TLS",
    ),
    ...clockRows(health, context.clock.now()),
    ...(await aboutRows(context, installed)),
  ];
}

function unreachable({ url }: Target, error: unknown): DoctorRow {
  const reason = deepestMessage(error);
  const { host } = new URL(url);
  if (/ENOTFOUND|EAI_AGAIN|getaddrinfo/i.test(reason))
    return fault("address", {
      code: "dns",
      found: `no address is known for ${host}: ${reason}`,
      fix: "look at the name; a new domain takes a while. edgecrew status names the Worker's own address",
    });
  if (/certificate|self.signed|SSL|TLS|CERT_/i.test(reason))
    return fault("address", { code: "tls", found: `${host}: ${reason}`, fix: TRUST });
  return fault("address", {
    code: "unreachable",
    found: `${host} does not answer: ${reason}`,
    fix: "edgecrew dev for the project's own; else --url, or edgecrew login --url",
  });
}

/** Webhooks with a time difference of more than five minutes are refused. */
function clockRows({ headers }: Response, nowMs: number): readonly DoctorRow[] {
  const theirs = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(theirs)) return [];
  const differenceMs = nowMs - theirs;
  const seconds = Math.round(Math.abs(differenceMs) / 1_000);
  if (Math.abs(differenceMs) < MAX_CLOCK_MS) return [ok("clock", `${seconds} s apart`)];
  return [
    fault("clock", {
      code: "clock",
      found: `this machine is ${seconds} s ${differenceMs > 0 ? "ahead of" : "behind"} the Worker`,
      fix: "set this machine's clock: deliveries that it signs are refused",
      isError: false,
    }),
  ];
}

async function aboutRows(
  context: CliContext,
  installed: string | null,
): Promise<readonly DoctorRow[]> {
  const response = await context.request("/about");
  const { status } = response;
  if (status === 401 || status === 403)
    return [
      fault("key", {
        code: "key_refused",
        found: `the Worker answers ${status}: ${status === 401 ? "it does not know the key" : "the key may not read"}`,
        fix: "edgecrew login, --key, or EDGECREW_KEY",
      }),
    ];
  if (status === 404)
    return [unknown("about", "this Worker does not report missing setup (no /about)")];
  if (!response.ok)
    return [
      fault("about", {
        code: "about_failed",
        found: `GET /about answers ${status}`,
        fix: "edgecrew logs --errors",
      }),
    ];
  const { version, sweptAt, missing } = aboutOf(await response.json());
  const isLate = sweptAt !== undefined && context.clock.now() - Date.parse(sweptAt) > LATE_MS;
  const tellsCron = missing.some(({ code }) => code === "no_cron");
  return [
    ...versionRows(version, installed),
    ...missing.map(({ code, message, fix, isError }) =>
      fault("about", { code, found: message, fix, isError }),
    ),
    ...(isLate && !tellsCron
      ? [
          fault("about", {
            code: "no_cron",
            found: `its cron has not come since ${sweptAt}`,
            fix: 'look at triggers.crons: it needs "* * * * *"',
          }),
        ]
      : []),
    ...(await heldRows(context)),
  ];
}

function versionRows(version: string | undefined, installed: string | null): readonly DoctorRow[] {
  if (version === undefined) return [];
  if (installed === null || installed === version) return [ok("version", version)];
  return [
    fault("version", {
      code: "other_version",
      found: `the Worker runs ${version}, the project has ${installed}`,
      fix: "edgecrew deploy",
      isError: false,
    }),
  ];
}

async function heldRows({ request }: CliContext): Promise<readonly DoctorRow[]> {
  const response = await request("/runs?held=true&limit=1");
  if (!response.ok) return [];
  const { items = [] } = (await response.json()) as { readonly items?: readonly unknown[] };
  if (items.length === 0) return [];
  return [
    fault("runs", {
      code: "runs_held",
      found: "runs are held because the deployed code does not fit them",
      fix: "edgecrew runs ls --held; deploy code that fits, or replay or cancel them",
      isError: false,
    }),
  ];
}
