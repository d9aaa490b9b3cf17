import { cronIssues } from "../../base/cron-times.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { readInputs } from "../run-inputs.ts";
import { scheduleLines } from "../schedule-lines.ts";
import { TARGET_OPTIONS, targetOf } from "../trigger-target.ts";

/** `edgecrew schedules add`: adds a cron schedule that starts runs. */
export const schedulesAdd = command({
  name: "schedules add",
  about: "start runs at set times; prints the next five",
  args: "[id]",
  example: "edgecrew schedules add morning --cron '0 7 * * 1-5' --tz Europe/Berlin --crew briefing",
  options: {
    cron: { about: "minute, hour, day, month, day of the week; or such as @daily", value: "times" },
    tz: { about: "time zone, default UTC", value: "zone" },
    ...TARGET_OPTIONS,
    input: { about: "an input of the runs", value: "name=value", many: true, short: "i" },
    inputs: { about: "all inputs: JSON, @file or -", value: "json" },
    missed: {
      about: "missed times that still start",
      value: "which",
      choices: ["skip", "latest", "all"],
    },
    overlap: {
      about: "overlap with an earlier run that has not ended",
      value: "rule",
      choices: ["allow", "skip"],
    },
    paused: { about: "without starting any run yet" },
  },
  run: async (context, { args: [id], options }) => {
    const { cron, tz = "UTC", missed, overlap, paused } = options;
    if (cron === undefined) throw wrongUse("a schedule needs its times", "--cron '0 7 * * 1-5'");
    const issues = cronIssues({ cron, timeZone: tz, nowMs: context.clock.now() });
    if (issues.length > 0)
      throw wrongUse(
        issues.map(({ path, message }) => `${OPTION[path] ?? path}: ${message}`).join("; "),
      );
    const target = targetOf(options);
    const inputs = await readInputs(options, context);
    const schedule = await (
      await context.client()
    ).schedules.create({
      cron,
      timeZone: tz,
      target,
      inputs,
      paused,
      ...(id === undefined ? {} : { id }),
      ...(missed === undefined ? {} : { missed: missed as "skip" | "latest" | "all" }),
      ...(overlap === undefined ? {} : { overlap: overlap as "allow" | "skip" }),
    });
    context.out.result(schedule, () => scheduleLines(schedule));
  },
});

const OPTION: Readonly<Record<string, string>> = { "/cron": "--cron", "/timeZone": "--tz" };
