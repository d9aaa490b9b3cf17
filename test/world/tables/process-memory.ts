import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Resident memory of the processes of workerd on Linux. */
export class ProcessMemory {
  readonly #pids: readonly string[];
  #before = new Map<string, number>();

  private constructor(pids: readonly string[]) {
    this.#pids = pids;
  }

  /** Finds the processes of a group; undefined on other systems, and where the peak cannot be reset. */
  static ofWorkerd(group: number): ProcessMemory | undefined {
    try {
      const pids = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isWorkerd(pid, group));
      for (const pid of pids) resetPeak(pid);
      return pids.length === 0 ? undefined : new ProcessMemory(pids);
    } catch {
      return undefined;
    }
  }

  /** Begins a measurement. */
  begin(): void {
    for (const pid of this.#pids) resetPeak(pid);
    this.#before = new Map(this.#pids.map((pid) => [pid, readBytes(pid, "VmRSS")]));
  }

  /** Most memory taken since the beginning, in bytes. */
  taken(): number {
    return this.#pids.reduce(
      (sum, pid) => sum + Math.max(0, readBytes(pid, "VmHWM") - (this.#before.get(pid) ?? 0)),
      0,
    );
  }
}

function isWorkerd(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [, , own] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return stat.includes("(workerd)") && Number(own) === group;
  } catch {
    return false; // ended meanwhile
  }
}

function resetPeak(pid: string): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

function readBytes(pid: string, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
}
