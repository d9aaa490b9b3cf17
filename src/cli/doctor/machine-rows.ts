// Checks this machine and the installed versions of the project: Node, the package, wrangler, workerd.
import { version as nodeVersion } from "node:process";
import { TESTED_WRANGLER } from "../wrangler.ts";
import { installedVersion } from "../installed-version.ts";
import { fault, ok, unknown, type DoctorRow } from "./doctor-row.ts";

/** Checks a folder; `own` is the version of this command. */
export function machineRows(folder: string, own: string): readonly DoctorRow[] {
  return [
    // With an older Node, the command ends earlier with an error.
    ok("node", nodeVersion.slice(1)),
    packageRow(folder, own),
    wranglerRow(folder),
    workerdRow(folder),
  ];
}

function packageRow(folder: string, own: string): DoctorRow {
  const version = installedVersion("edgecrew", folder);
  if (version === null)
    return fault("package", {
      code: "package_not_installed",
      found: "edgecrew is not installed in the project",
      fix: `npm install edgecrew@${own}`,
    });
  if (version === own) return ok("package", version);
  return fault("package", {
    code: "other_version",
    found: `the project has ${version}, this command is ${own}`,
    fix: `npx edgecrew, which is the project's; or npm install edgecrew@${own}, then edgecrew migrate`,
    isError: false,
  });
}

function wranglerRow(folder: string): DoctorRow {
  const version = installedVersion("wrangler", folder);
  const fix = `npm install --save-dev wrangler@${TESTED_WRANGLER}`;
  if (version === null)
    return fault("wrangler", { code: "no_wrangler", found: "it is not installed", fix });
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major === 4 && minor >= 155) return ok("wrangler", version);
  return fault("wrangler", {
    code: "wrangler_out_of_range",
    found: `${version}; needed is one from 4.155 and below 5`,
    fix,
  });
}

function workerdRow(folder: string): DoctorRow {
  const version = installedVersion("workerd", folder);
  return version === null ? unknown("workerd", "comes with wrangler") : ok("workerd", version);
}
