import { checkWholeProject } from "../check/check-whole-project.ts";
import { command } from "../command.ts";
import { findingText } from "../deploy/check-project.ts";
import { openProject } from "../deploy/open-project.ts";

/** `edgecrew check`: finds all faults of a project, each with its place and its fix. */
export const check = command({
  name: "check",
  about: "find faults of the project: definitions, configuration, code",
  example: "edgecrew check --no-start",
  options: {
    remote: { about: "ask the deployed Worker, too" },
    start: { about: "start a local Worker, which resolves names of code", on: true },
  },
  run: async (context, { options }) => {
    const { out } = context;
    const opened = openProject(context);
    try {
      const { findings, gzipBytes } = await checkWholeProject(context, opened, options);
      const { configFile } = opened.project;
      const errors = findings.filter(({ isError }) => isError).length;
      const value = {
        ok: errors === 0,
        environment: opened.environment.env ?? null,
        gzipBytes: gzipBytes ?? null,
        findings: findings.map(({ code, place, message, fix, isError }) => ({
          code,
          place,
          message,
          fix,
          severity: isError ? "error" : "warning",
        })),
      };
      out.result(value, () =>
        [
          ...findings.map((finding) => findingText(finding, { out, configFile })),
          `${errors} errors, ${findings.length - errors} warnings${sizeText(gzipBytes)}`,
        ].join("\n"),
      );
      return errors === 0 ? 0 : 1;
    } finally {
      opened.close();
    }
  },
});

function sizeText(gzipBytes: number | undefined): string {
  return gzipBytes === undefined
    ? ""
    : `; the bundle has ${(gzipBytes / 2 ** 20).toFixed(2)} MiB gzip`;
}
