import { dirname, relative, resolve } from "node:path";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";
import { importFolder } from "../import-folder.ts";
import { reportText } from "../import/import-report.ts";
import { changedFiles, writeFiles } from "../import/write-files.ts";

/** `edgecrew import`: imports a CrewAI project without running its Python. */
export const importCommand = command({
  name: "import",
  about: "bring a CrewAI project along",
  args: "<from> <folder>",
  example: "edgecrew import crewai ../my-project --dry-run",
  options: {
    out: { about: "the project to write into", value: "folder" },
    dryRun: { about: "print the report, and write no file" },
    report: { about: "file for the report", value: "file" },
    withEnv: { about: "copy the values of .env into .dev.vars" },
    strict: { about: "exit code 1 if anything is left by hand" },
  },
  run: async (context, { args: [from = "", folder = ""], options }) => {
    const { out, cwd } = context;
    if (from === "ag2")
      throw wrongUse("ag2 cannot be imported", "docs/coming-from-ag2.md maps its concepts");
    if (from !== "crewai")
      throw wrongUse(`cannot import ${from}`, "edgecrew import crewai <folder>");
    const made = importFolder(folder, { cwd, withEnv: options.withEnv });
    const source = resolve(cwd, folder);
    const { report } = made;
    const target = resolve(cwd, options.out ?? ".");
    const path = options.report ?? "import.md";
    const way = relative(dirname(resolve(target, path)), source).replaceAll("\\", "/");
    const text = reportText(report, way || ".");
    if (!options.dryRun) {
      const files = [...made.files, { path, content: text }];
      const changed = changedFiles(target, files);
      if (changed.length > 0)
        await confirm(
          context,
          `overwrite ${counted(changed.length, "file")}: ${changed.slice(0, 5).join(", ")}`,
        );
      writeFiles(target, files);
      out.note(`Wrote ${files.length} files to ${target}.`);
    }
    out.result(report, () => text.trimEnd());
    return options.strict && report.open > 0 ? 1 : 0;
  },
});
