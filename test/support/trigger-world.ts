// Triggers over real runs in memory and a real SQL database, as tests ask them.
import type { Run, RunStart } from "../../src/runtime/run.ts";
import { triggers, type TriggerOptions } from "../../src/triggers/index.ts";
import type { BoundTriggers } from "../../src/triggers/triggers.ts";
import { HttpWorld } from "./http-app.ts";
import { sqliteD1 } from "./sqlite-d1.ts";

/** 32 bytes in base64. */
export const SECRETS_KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

type WorldOptions = NonNullable<ConstructorParameters<typeof HttpWorld>[0]> & {
  readonly triggers?: TriggerOptions;
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly maxBodyBytes?: number;
  readonly database?: ReturnType<typeof sqliteD1>;
};

export type StartFault = {
  call: (what: RunStart, start: () => Promise<Run>) => Promise<Run>;
};

export class TriggerWorld extends HttpWorld {
  readonly database: ReturnType<typeof sqliteD1>;
  readonly bound: BoundTriggers;
  /** Every start that was asked for, repeated ones included. */
  readonly starts: RunStart[];
  /** What happens when a run is started. */
  readonly onStart: StartFault;

  constructor(options: WorldOptions = {}) {
    const { triggers: given, variables, maxBodyBytes = 4096, database, ...rest } = options;
    const db = database ?? sqliteD1();
    const starts: RunStart[] = [];
    const onStart: StartFault = { call: (_, start) => start() };
    let bound: BoundTriggers | undefined;
    super({
      auth: { mode: "keys", adminKey: "boss" },
      ...rest,
      partsOf: (services) => {
        const value = triggers(given);
        value.check(services);
        const { runs } = services;
        const start = runs.start.bind(runs);
        runs.start = (what) => {
          starts.push(what);
          return onStart.call(what, () => start(what));
        };
        bound = value.bind({
          ...services,
          runs,
          database: db,
          variables: { EDGECREW_SECRETS_KEY: SECRETS_KEY, ...variables },
          maxBodyBytes,
          report: services.report ?? (() => {}),
        });
        return [bound.api];
      },
    });
    if (bound === undefined) throw new Error("the triggers were not bound");
    this.database = db;
    this.bound = bound;
    this.starts = starts;
    this.onStart = onStart;
  }

  /** Moves the clock to this time (ISO 8601), and has the cron come then. */
  async tickAt(time: string): Promise<number> {
    await this.clock.advance(Date.parse(time) - this.clock.now());
    const done = await this.bound.due();
    await this.clock.settle();
    return done;
  }

  startedIds(): readonly string[] {
    return this.starts.map(({ id }) => id);
  }
}
