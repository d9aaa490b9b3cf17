import { renameSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { stringify } from "smol-toml";
import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { lineDiff } from "../line-diff.ts";
import { copyMigrations, planMigration } from "../migrate/plan-migration.ts";
import { needProject } from "../project.ts";

/** `edgecrew migrate`: brings the configuration of a project to the installed version. */
export const migrate = command({
  name: "migrate",
  about: "bring the project's configuration and migrations to the installed version",
  example: "edgecrew migrate --check",
  options: {
    check: { about: "only check; fail if a migration is pending" },
  },
  run: async (context, { options: { check } }) => {
    const { out, clock } = context;
    const project = needProject(context);
    const { before, after, copies, add, left } = planMigration(project, clock.now());
    const file = basename(project.configFile);
    const diff =
      before === after
        ? []
        : lineDiff(before, after).map(({ sign, text }) => `${sign} ${text}`.trimEnd());
    const tasks = [
      ...(diff.length === 0 ? [] : [`change ${file}`]),
      ...(copies.length === 0 ? [] : [`copy ${copies.length} migrations`]),
    ];
    if (!check && tasks.length > 0) {
      for (const line of diff) out.note(line);
      for (const { to } of copies) out.note(`+ ${to}`);
      await confirm(context, tasks.join(" and "));
      if (diff.length > 0) {
        writeFileSync(`${project.configFile}.new`, after);
        renameSync(`${project.configFile}.new`, project.configFile);
      }
      copyMigrations(project, copies);
    }
    const byHand = add.map((each) => stringify(each).trim());
    const value = {
      changed: check ? false : tasks.length > 0,
      file,
      diff,
      copies: copies.map(({ to }) => to),
      add: byHand,
      left: left.map(({ code, place, message, fix }) => ({ code, place, message, fix })),
    };
    const isDone = tasks.length === 0 || !check;
    const isWhole = isDone && byHand.length === 0 && !left.some(({ isError }) => isError);
    out.result(value, () =>
      [
        ...(check ? [...diff, ...value.copies.map((to) => `+ ${to}`)] : []),
        ...(byHand.length === 0
          ? []
          : [`Add to ${file}, which is not written into:`, "", ...byHand]),
        ...left.map(({ place, message, fix }) => `! ${place}: ${message}\n    ${fix}`),
        ...(tasks.length === 0 && byHand.length === 0 && left.length === 0
          ? ["up to date"]
          : [check ? "edgecrew migrate does it" : "edgecrew check looks at the rest"]),
      ].join("\n"),
    );
    return isWhole ? 0 : 1;
  },
});
