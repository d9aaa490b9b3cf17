import type { CrewRunClass } from "../../../durable-objects/crew-run.ts";
import { noteAlarm } from "./ledger.ts";

/** The class, its alarms entered in the ledger. */
export function counted(Base: CrewRunClass) {
  return class CrewRun extends Base {
    override async alarm(): Promise<void> {
      noteAlarm(this.ctx.id.name ?? "");
      await super.alarm?.();
    }
  };
}
