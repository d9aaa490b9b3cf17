import type { Clock } from "../../base/clock.ts";
import type { Database } from "../d1.ts";

/** Base of stores with rows of one tenant. */
export abstract class D1TenantStore<Db extends Database = Database> {
  protected readonly db: Db;
  protected readonly tenant: string;

  constructor(db: Db, tenant: string) {
    this.db = db;
    this.tenant = tenant;
  }
}

/** Base of stores with rows of one tenant that have times. */
export abstract class D1TimedStore<Db extends Database = Database> extends D1TenantStore<Db> {
  protected readonly clock: Clock;

  constructor(db: Db, tenant: string, clock: Clock) {
    super(db, tenant);
    this.clock = clock;
  }
}
