import { existsSync } from "node:fs";
import { join } from "node:path";
import { CliFailure } from "../cli-failure.ts";
import { command } from "../command.ts";
import { needProject } from "../project.ts";

/** `edgecrew build`: makes the module of a project's definitions. */
export const build = command({
  name: "build",
  about: "make .edgecrew/definitions.ts of crews/, flows/ and skills/",
  example: "edgecrew build",
  options: {
    check: { about: "write no file; fail if the module is out of date" },
  },
  run: async (context, { options: { check } }) => {
    const { folder } = needProject(context);
    // Outside of the bundle: it includes the whole engine that reads definitions, and other commands start faster
    // without it.
    const { buildDefinitions, DEFINITIONS_MODULE } =
      await import("../../build/build-definitions.ts");
    const { faults, warnings, changed, ...names } = buildDefinitions(folder, { write: !check });
    // After a failed build, wrangler does not serve the Worker. So the build succeeds, and the previous code stays in
    // use.
    const goesOn = context.variables["EDGECREW_DEV"] === "1" && !check;
    if (faults.length > 0 && goesOn && existsSync(join(folder, DEFINITIONS_MODULE))) {
      for (const { path, message } of faults)
        context.out.fault(message.includes(path) ? message : `${path}: ${message}`);
      context.out.fault("The definitions before go on until this is mended.");
      return 0;
    }
    if (faults.length > 0) {
      const [first] = faults;
      throw new CliFailure(
        1,
        faults.length === 1
          ? (first?.message ?? "")
          : `the definitions have ${faults.length} faults`,
        { code: "invalid_definition", issues: faults },
      );
    }
    for (const { message } of warnings) context.out.note(message);
    if (check && changed)
      throw new CliFailure(1, `${DEFINITIONS_MODULE} is out of date`, { fix: "edgecrew build" });
    context.out.result({ module: DEFINITIONS_MODULE, changed, ...names }, () =>
      [
        `${DEFINITIONS_MODULE}${changed ? "" : " is up to date"}`,
        ...Object.entries(names)
          .filter(([, each]) => each.length > 0)
          .map(([kind, each]) => `  ${kind}: ${each.join(", ")}`),
      ].join("\n"),
    );
    return 0;
  },
});
