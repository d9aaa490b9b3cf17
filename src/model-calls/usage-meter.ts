import { addUsage, NO_USAGE, type Usage } from "../base/usage.ts";

export class UsageMeter {
  #total: Usage = NO_USAGE;

  get total(): Usage {
    return this.#total;
  }

  add(usage: Usage): void {
    this.#total = addUsage(this.#total, usage);
  }
}
