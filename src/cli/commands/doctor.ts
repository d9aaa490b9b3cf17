import { command } from "../command.ts";
import { fault, type DoctorRow } from "../doctor/doctor-row.ts";
import { machineRows } from "../doctor/machine-rows.ts";
import { projectRows } from "../doctor/project-rows.ts";
import { workerRows } from "../doctor/worker-rows.ts";
import { installedVersion } from "../installed-version.ts";
import { padded, plain } from "../output.ts";

const SIGNS = { ok: "✓", warning: "!", error: "✗", unknown: "-" } as const;
const STYLES = { ok: "green", warning: "yellow", error: "red", unknown: "dim" } as const;

/** `edgecrew doctor`: checks this machine, the project and the Worker, and prints each fault with its fix. */
export const doctor = command({
  name: "doctor",
  about: "look at this machine, the project and the Worker; each fault with its fix",
  example: "edgecrew doctor --json",
  options: {},
  run: async (context) => {
    const { out, project, global, clock, cwd, version } = context;
    const folder = project?.folder ?? cwd;
    const rows: readonly DoctorRow[] = [
      ...machineRows(folder, version),
      ...(project === undefined
        ? [
            fault("project", {
              code: "no_project",
              found: `${cwd} is in no project`,
              fix: "npm create edgecrew, or --cwd <folder>",
            }),
          ]
        : await projectRows(project, { env: global.env, nowMs: clock.now() })),
      ...(await workerRows(context, installedVersion("edgecrew", folder))),
    ];
    const isOk = rows.every(({ state }) => state !== "error");
    const width = Math.max(...rows.map(({ what }) => what.length));
    out.result({ ok: isOk, rows }, () =>
      rows
        .map(({ what, state, found, fix }) => {
          const line = `${out.style(STYLES[state], SIGNS[state])} ${padded(what, width)}  ${plain(found)}`;
          return fix === undefined ? line : `${line}\n${" ".repeat(width + 4)}→ ${fix}`;
        })
        .join("\n"),
    );
    return isOk ? 0 : 1;
  },
});
