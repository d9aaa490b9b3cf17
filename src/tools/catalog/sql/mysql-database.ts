// MySQL and compatible databases, through the package `mysql2`.
//
//   SQM1. A connection takes one statement at a time, regardless of its address, and reads no file of this machine.
//   SQM2. Reads run in a read-only transaction that is rolled back, within the server's own time limit.
import type { Connection, ConnectionOptions, FieldPacket, ResultSetHeader } from "mysql2";
import { missingPackage } from "./missing-package.ts";
import { MAX_COUNTED, type SqlDatabase, type SqlLimits, type SqlRows } from "./database.ts";
import type { SqlStatement } from "./sql-guard.ts";

const CONNECT_MS = 10_000;

export class MysqlDatabase implements SqlDatabase {
  readonly dialect = "mysql";
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  static async open(address: URL): Promise<MysqlDatabase> {
    const driver = await import("mysql2").catch((cause: unknown) => {
      throw missingPackage("mysql2", cause);
    });
    const connection = driver.default.createConnection(optionsOf(address));
    // Errors still reach the pending call.
    connection.on("error", () => undefined);
    return new MysqlDatabase(connection);
  }

  read({ text }: SqlStatement, limits: SqlLimits): Promise<SqlRows> {
    return this.#within(limits, async () => {
      await this.#limitTime(limits.timeoutMs);
      await this.#run("START TRANSACTION READ ONLY").catch(async (error: unknown) => {
        // SingleStore has transactions, but no read-only ones.
        if (!isOfServer(error)) throw error;
        await this.#run("START TRANSACTION");
      });
      const found = await this.#rows(text, limits.maxRows);
      if (!found.isOpen) await this.#run("ROLLBACK");
      return found;
    });
  }

  write({ text }: SqlStatement, limits: SqlLimits): Promise<number> {
    return this.#within(limits, async () => {
      await this.#limitTime(limits.timeoutMs);
      await this.#run("START TRANSACTION");
      try {
        const { affectedRows } = await this.#run(text);
        await this.#run("COMMIT");
        return affectedRows;
      } catch (error) {
        await this.#run("ROLLBACK");
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.#connection.destroy();
  }

  /** Returns the first rows and the number of all. An endless result ends the connection. */
  async #rows(sql: string, maxRows: number): Promise<SqlRows> {
    let columns: readonly string[] = [];
    const rows: (readonly unknown[])[] = [];
    let counted = 0;
    const query = this.#connection.query({ sql, rowsAsArray: true });
    query.on("fields", (fields: FieldPacket[] | undefined) => {
      columns = (fields ?? []).map(({ name }) => name);
    });
    for await (const row of query.stream({ highWaterMark: 100 })) {
      if (counted++ < maxRows) rows.push(row as readonly unknown[]);
      if (counted > MAX_COUNTED) {
        this.#connection.destroy();
        break;
      }
    }
    const isOpen = counted > MAX_COUNTED;
    const more = Math.max(0, Math.min(counted, MAX_COUNTED) - rows.length);
    return { columns, rows, more, isOpen };
  }

  #run(sql: string): Promise<ResultSetHeader> {
    return new Promise((resolve, reject) => {
      this.#connection.query(sql, (error, result) => {
        if (error === null) resolve(result as ResultSetHeader);
        else reject(error);
      });
    });
  }

  /** Sets the time limit as in MySQL, else as in MariaDB. With neither, only the caller's limit applies. */
  async #limitTime(timeoutMs: number): Promise<void> {
    for (const setting of [
      `max_execution_time = ${Math.ceil(timeoutMs)}`,
      `max_statement_time = ${timeoutMs / 1000}`,
    ])
      try {
        await this.#run(`SET SESSION ${setting}`);
        return;
      } catch (error) {
        if (!isOfServer(error)) throw error;
      }
  }

  async #within<T>({ signal }: SqlLimits, work: () => Promise<T>): Promise<T> {
    const end = (): void => this.#connection.destroy();
    signal.throwIfAborted();
    signal.addEventListener("abort", end, { once: true });
    try {
      return await work();
    } finally {
      signal.removeEventListener("abort", end);
    }
  }
}

/** True for an error from the server, which is then still connected. */
function isOfServer(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && code.startsWith("ER_");
}

/**
 * Returns the options of a connection. Only the TLS settings of the address are used, as others could remove limits.
 */
function optionsOf({
  hostname,
  port,
  username,
  password,
  pathname,
  searchParams,
}: URL): ConnectionOptions {
  const tls = ["ssl", "sslmode", "ssl-mode", "tls"].flatMap((name) => searchParams.get(name) ?? []);
  const database = decodeURIComponent(pathname.slice(1));
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? 3306 : Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    ...(database === "" ? undefined : { database }),
    ...(tls.some((value) => !/^(?:false|0|disabled?|off)$/i.test(value)) ? { ssl: {} } : undefined),
    connectTimeout: CONNECT_MS,
    // Workers cannot create functions from texts.
    disableEval: true,
    multipleStatements: false,
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    flags: ["-LOCAL_FILES"],
  };
}
