// Triggers over real runs in memory and a real SQL database, as tests ask them.
import type { BoundPart } from "../../src/parts/part.ts";
import type { Run, RunStart } from "../../src/runtime/run.ts";
import { triggers, type TriggerOptions } from "../../src/entry/triggers.ts";
import { HttpWorld, type HttpWorldOptions } from "./http-app.ts";
import { sqliteD1 } from "./sqlite-d1.ts";

/** 32 bytes in base64. */
export const SECRETS_KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

type WorldOptions = HttpWorldOptions & {
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
  /** Every start that was asked for, repeated ones included. */
  readonly starts: RunStart[] = [];
  /** What happens when a run is started. */
  readonly onStart: StartFault = { call: (_, start) => start() };

  constructor(options: WorldOptions = {}) {
    const {
      triggers: triggered,
      variables,
      maxBodyBytes = 4096,
      database = sqliteD1(),
      ...rest
    } = options;
    super({
      auth: { mode: "keys", adminKey: "boss" },
      maxBodyBytes,
      ...rest,
      env: { DB: database },
      variables: { EDGECREW_SECRETS_KEY: SECRETS_KEY, ...variables },
      parts: [triggers(triggered), ...(rest.parts ?? [])],
    });
    this.database = database;
    const start = this.runs.start.bind(this.runs);
    this.runs.start = (what) => {
      this.starts.push(what);
      return this.onStart.call(what, () => start(what));
    };
  }

  get triggers(): BoundPart {
    const bound = this.bound.get("triggers");
    if (bound === undefined) throw new Error("the triggers were not bound");
    return bound;
  }

  /** What the cron has done; answers how many slots were started. */
  async due(): Promise<number> {
    return Number(await this.triggers.due?.());
  }

  /** Moves the clock to this time (ISO 8601), and has the cron come then. */
  async tickAt(time: string): Promise<number> {
    await this.clock.advance(Date.parse(time) - this.clock.now());
    const done = await this.due();
    await this.clock.settle();
    return done;
  }

  startedIds(): readonly string[] {
    return this.starts.map(({ id }) => id);
  }
}
