import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const TICK_MS = 1000 / Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
const PAGE_BYTES = Number(execFileSync("getconf", ["PAGESIZE"], { encoding: "utf8" }));

/** CPU time that the workerd processes of a process group have used, user and system, in milliseconds. Linux only. */
export function workerdCpuMs(processGroup: number): number {
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const stat = readStat(pid);
    if (stat === undefined || stat.group !== processGroup || !stat.name.includes("workerd"))
      continue;
    ticks += stat.ticks;
  }
  return ticks * TICK_MS;
}

/** Memory that the workerd processes of a process group hold, in megabytes. Linux only. */
export function workerdMemoryMb(processGroup: number): number {
  let pages = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const stat = readStat(pid);
    if (stat?.group === processGroup && stat.name.includes("workerd")) pages += stat.pages;
  }
  return (pages * PAGE_BYTES) / 1024 / 1024;
}

function readStat(
  pid: string,
): { name: string; group: number; ticks: number; pages: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    return {
      name,
      group: Number(fields[2]),
      ticks: Number(fields[11]) + Number(fields[12]),
      pages: Number(fields[21]),
    };
  } catch {
    return undefined; // ended between the listing and the reading
  }
}
