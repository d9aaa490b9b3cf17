// The SQL tools against a real Postgres, where this machine has one, and against the protocol of MySQL.
import type { AddressInfo, Server } from "node:net";
import mysql from "mysql2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectionOf } from "../../src/tools/catalog/sql/connection.ts";
import type { SqlDatabase, SqlLimits } from "../../src/tools/catalog/sql/database.ts";
import { resultTable } from "../../src/tools/catalog/sql/result-table.ts";
import { inDatabase } from "../../src/tools/catalog/sql/run-statement.ts";
import { anyStatement, readStatement } from "../../src/tools/catalog/sql/sql-guard.ts";
import { tableList } from "../../src/tools/catalog/sql/table-list.ts";
import { systemClock } from "../../src/base/system.ts";
import {
  POSTGRES_PROGRAMS,
  startPostgres,
  type PostgresServer,
} from "../support/postgres-server.ts";

const { signal } = new AbortController();
const call = { signal, services: {}, scope: { clock: systemClock } as never };

function asking(address: () => string) {
  const within = <T>(work: (database: SqlDatabase, limits: SqlLimits) => Promise<T>): Promise<T> =>
    inDatabase(call, connectionOf(address(), "db_uri"), work);
  return {
    within,
    read: (sql: string, dialect: "postgres" | "mysql") =>
      within(async (database, limits) =>
        resultTable(await database.read(readStatement(sql, dialect), limits)),
      ),
  };
}

describe.skipIf(POSTGRES_PROGRAMS === undefined)(
  "Postgres (skipped on a machine without it)",
  () => {
    let server: PostgresServer;
    const { within, read: readIn } = asking(() => server.address);
    const read = (sql: string) => readIn(sql, "postgres");
    /** Past the guard: what the database itself lets be. */
    const direct = (text: string) =>
      within((database, limits) => database.read({ text, first: "select", isRead: true }, limits));

    beforeAll(async () => {
      server = await startPostgres(POSTGRES_PROGRAMS ?? "");
      const { default: postgres } = await import("postgres");
      const sql = postgres(server.address, { onnotice: () => undefined });
      await sql.unsafe(
        `CREATE TABLE teas (id serial PRIMARY KEY, name text, price numeric(6,2), picked date, at timestamptz, leaf bytea, tags text[], more jsonb);
       INSERT INTO teas (name, price, picked, at, leaf, tags, more) VALUES ('Assam', 2.50, '2026-04-01', '2026-04-01 10:00+00', '\\x0102', '{a,b}', '[1, 2]');
       INSERT INTO teas (name) VALUES (NULL);
       CREATE SCHEMA other; CREATE TABLE other.kettles (id int); CREATE SEQUENCE counter;`,
      );
      await sql.end();
    }, 60_000);
    afterAll(() => server.stop());

    it("gives rows with values of every kind", async () => {
      expect(
        await read(
          "SELECT id, name, price, picked, leaf, tags, more, true AS b FROM teas ORDER BY id",
        ),
      ).toBe(
        "| id | name | price | picked | leaf | tags | more | b |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n| 1 | Assam | 2.50 | 2026-04-01 | <2 bytes> | {a,b} | [1,2] | true |\n| 2 | NULL | NULL | NULL | NULL | NULL | NULL | true |",
      );
      expect(await read("SELECT 1 AS a, 2 AS a")).toContain("| a | a |");
      expect(await read("SELECT * FROM teas WHERE false")).toBe("The query gave no rows.");
      expect(await read("SHOW server_version")).toContain("| server_version |");
      expect(await read("EXPLAIN ANALYZE SELECT * FROM teas")).toContain("Seq Scan");
      expect(await read("TABLE other.kettles")).toBe("The query gave no rows.");
    });

    it("reads 500 rows of many, and counts some more", async () => {
      const rows = (count: number) =>
        within((database, limits) =>
          database.read(
            readStatement(`SELECT i, i AS j FROM generate_series(1, ${count}) i`, "postgres"),
            limits,
          ),
        );
      const some = await rows(1_200);
      expect([some.columns, some.rows.length, some.more, some.isOpen]).toEqual([
        ["i", "j"],
        500,
        700,
        false,
      ]);
      expect(some.rows[499]).toEqual([500, 500]);
      const many = await rows(300_000);
      expect([many.rows.length, many.more, many.isOpen]).toEqual([500, 9_500, true]);
    });

    it("lists its tables, with those of other schemas", async () => {
      const list = await within((database, limits) => tableList(database, limits));
      expect(list).toBe(
        "teas(id integer, name text, price numeric, picked date, at timestamp with time zone, leaf bytea, tags ARRAY, more jsonb)\nother.kettles(id integer)",
      );
    });

    it.each([
      ["SELECT 1; DROP TABLE teas", "bad_request", "multiple commands"],
      ["SELECT 1; COMMIT; DROP TABLE teas", "bad_request", "multiple commands"],
      ["INSERT INTO teas (name) VALUES ('x')", "refused", "read-only transaction"],
      [
        "WITH a AS (DELETE FROM teas RETURNING *) SELECT * FROM a",
        "refused",
        "read-only transaction",
      ],
      ["CREATE TABLE x (a int)", "refused", "read-only transaction"],
      ["SELECT nextval('counter')", "refused", "read-only transaction"],
      ["SELECT * INTO y FROM teas", "refused", "read-only transaction"],
      ["SELECT * FROM teas FOR UPDATE", "refused", "read-only transaction"],
      [
        "SELECT set_config('transaction_read_only', 'off', false)",
        "bad_request",
        "read-write mode",
      ],
      ["SELECT query_to_xml('DELETE FROM teas', true, true, '')", "bad_request", "not allowed"],
    ])("SQP1, SQP2: the server itself refuses %s", async (...[sql, code, message]) => {
      await expect(direct(sql)).rejects.toMatchObject({
        failureCode: code,
        message: expect.stringContaining(message),
      });
      expect(await read("SELECT count(*) AS n FROM teas")).toContain("| 2 |");
    });

    it("SQP2: ends a slow statement, without any effect", async () => {
      const slow = within((database, limits) =>
        database.read(
          { text: "SELECT pg_sleep(20)", first: "select", isRead: true },
          { ...limits, timeoutMs: 200 },
        ),
      );
      await expect(slow).rejects.toMatchObject({ failureCode: "timeout" });
      await direct("SELECT set_config('myapp.x', 'y', false)");
      expect(await read("SELECT current_setting('myapp.x', true) AS x")).not.toContain("y");
    });

    it("is left at once when the run is cancelled", async () => {
      const abort = new AbortController();
      const began = performance.now();
      const asked = inDatabase(
        { ...call, signal: abort.signal },
        connectionOf(server.address, "db_uri"),
        (database, limits) =>
          database.read({ text: "SELECT pg_sleep(20)", first: "select", isRead: true }, limits),
      );
      setTimeout(() => abort.abort(new Error("cancelled")), 300);
      await expect(asked).rejects.toThrow("cancelled");
      expect(performance.now() - began).toBeLessThan(15_000);
    });

    it("writes rows, all of a statement or no rows", async () => {
      const write = (sql: string) =>
        within((database, limits) => database.write(anyStatement(sql, "postgres"), limits));
      expect(await write("INSERT INTO teas (name) VALUES ('x'), ('y')")).toBe(2);
      await expect(
        write("UPDATE teas SET price = 1000000 WHERE name IN ('x', 'y')"),
      ).rejects.toMatchObject({ failureCode: "bad_request" });
      expect(
        await write(
          "WITH gone AS (DELETE FROM teas WHERE name IN ('x', 'y') RETURNING *) SELECT * FROM gone",
        ),
      ).toBe(2);
      expect(await read("SELECT count(*) AS n FROM teas")).toContain("| 2 |");
    });

    it("reports an error, without its password", async () => {
      await expect(read("SELECT nothing FROM teas")).rejects.toMatchObject({
        failureCode: "bad_request",
        message: 'The database did not accept the statement: column "nothing" does not exist',
      });
      const gone = asking(() => "postgresql+psycopg2://boss:s3cret-pass@127.0.0.1:1/shop");
      const error: unknown = await gone
        .read("SELECT 1", "postgres")
        .catch((caught: unknown) => caught);
      expect(error).toMatchObject({ failureCode: "unavailable", retryable: true });
      expect(String(error)).not.toContain("s3cret-pass");
      const nobody = asking(() => server.address.replace("/shop", "/s3cret-pass"));
      await expect(nobody.read("SELECT 1", "postgres")).rejects.toThrow(
        'database "***" does not exist',
      );
    });
  },
);

/** What the driver's own server side offers, which its types do not say. */
type ServerSide = {
  sequenceId: number;
  readonly clientHelloReply: {
    readonly user: string;
    readonly database: string;
    readonly clientFlags: number;
  };
  on(event: string, listener: (text: string) => void): void;
  serverHandshake(options: object): void;
  writeOk(fields: object): void;
  writeError(fault: object): void;
  writeColumns(columns: readonly object[]): void;
  writeTextRow(row: readonly (string | null)[]): void;
  writeEof(): void;
};

describe("MySQL", () => {
  const statements: string[] = [];
  const refused = new Map<string, { readonly code: number; readonly message: string }>();
  let client: ServerSide["clientHelloReply"] | undefined;
  const server = mysql.createServer((connection) => serve(connection as unknown as ServerSide));
  let port = 0;
  const { within, read: readIn } = asking(
    () =>
      `mysql+pymysql://u:s3cret-pass@127.0.0.1:${port}/shop?multipleStatements=true&flags=LOCAL_FILES`,
  );
  const read = (sql: string) => readIn(sql, "mysql");

  beforeAll(async () => {
    const { _server: listener } = server as unknown as { readonly _server: Server };
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    port = (listener.address() as AddressInfo).port;
  });
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

  function serve(connection: ServerSide): void {
    connection.serverHandshake({
      protocolVersion: 10,
      serverVersion: "8.4.0",
      connectionId: 1,
      statusFlags: 2,
      characterSet: 8,
      capabilityFlags: 0xffffff,
      authCallback: (_: object, next: (error: null) => void) => {
        client = connection.clientHelloReply;
        next(null);
        connection.sequenceId = 0;
      },
    });
    connection.on("error", () => undefined);
    const answer = (sql: string): void => {
      statements.push(sql);
      const fault = [...refused].find(([start]) => sql.startsWith(start))?.[1];
      if (fault !== undefined) connection.writeError(fault);
      else if (/^(?:select|show)/i.test(sql))
        writeRows(connection, Number(/^select (\d+)/i.exec(sql)?.[1] ?? 2));
      else connection.writeOk({ affectedRows: 3 });
      connection.sequenceId = 0;
    };
    connection.on("query", answer);
    connection.on("stmt_prepare", answer); // where SET comes
  }

  function writeRows(connection: ServerSide, count: number): void {
    connection.writeColumns(["id", "name"].map(column));
    for (let row = 1; row <= count; row++)
      connection.writeTextRow([String(row), row === 2 ? null : "Assam"]);
    connection.writeEof();
  }

  function column(name: string): object {
    return {
      catalog: "def",
      schema: "shop",
      table: "teas",
      orgTable: "teas",
      name,
      orgName: name,
      characterSet: 33,
      columnLength: 255,
      columnType: 253,
      flags: 0,
      decimals: 0,
    };
  }

  it("SQM1, SQM2: reads in a read-only transaction, one statement at a time, with any address", async () => {
    statements.length = 0;
    expect(await read("SELECT * FROM teas;")).toBe(
      "| id | name |\n| --- | --- |\n| 1 | Assam |\n| 2 | NULL |",
    );
    expect(statements).toEqual([
      "SET SESSION max_execution_time = 30000",
      "START TRANSACTION READ ONLY",
      "SELECT * FROM teas",
      "ROLLBACK",
    ]);
    expect(client).toMatchObject({ user: "u", database: "shop" });
    const MULTI_STATEMENTS = 0x10000;
    const LOCAL_FILES = 0x80;
    expect((client?.clientFlags ?? -1) & (MULTI_STATEMENTS | LOCAL_FILES)).toBe(0);
  });

  it("stops reading a result without end", async () => {
    const rows = await within((database, limits) =>
      database.read(readStatement("SELECT 30000 FROM teas", "mysql"), limits),
    );
    expect([rows.rows.length, rows.more, rows.isOpen]).toEqual([500, 9_500, true]);
  });

  it("goes on when a server has other settings, as MariaDB and SingleStore have", async () => {
    refused.set("SET SESSION max_execution_time", {
      code: 1193,
      message: "Unknown system variable",
    });
    refused.set("START TRANSACTION READ ONLY", {
      code: 1064,
      message: "You have an error in your SQL syntax",
    });
    statements.length = 0;
    expect(await read("SHOW TABLES")).toContain("| 1 | Assam |");
    expect(statements).toEqual([
      "SET SESSION max_execution_time = 30000",
      "SET SESSION max_statement_time = 30",
      "START TRANSACTION READ ONLY",
      "START TRANSACTION",
      "SHOW TABLES",
      "ROLLBACK",
    ]);
    refused.clear();
  });

  it("writes in a transaction, and rolls back failures", async () => {
    const write = (sql: string) =>
      within((database, limits) => database.write(anyStatement(sql, "mysql"), limits));
    statements.length = 0;
    expect(await write("DELETE FROM teas")).toBe(3);
    expect(statements.slice(1)).toEqual(["START TRANSACTION", "DELETE FROM teas", "COMMIT"]);
    refused.set("UPDATE", { code: 1062, message: "Duplicate entry for u:s3cret-pass" });
    statements.length = 0;
    const error: unknown = await write("UPDATE teas SET id = 1").catch((caught: unknown) => caught);
    expect(statements.at(-1)).toBe("ROLLBACK");
    expect(error).toMatchObject({
      failureCode: "bad_request",
      message: expect.stringContaining("Duplicate entry for u:***"),
    });
    refused.clear();
  });

  it("reports an unreachable server", async () => {
    const gone = asking(() => "mysql://u:s3cret-pass@127.0.0.1:1/shop");
    await expect(gone.read("SELECT 1", "mysql")).rejects.toMatchObject({
      failureCode: "unavailable",
      retryable: true,
    });
  });
});
