import { describe, expect, it } from "vitest";
import { backupPart } from "../../../src/backup/backup-part.ts";
import type { Operation } from "../../../src/parts/operation.ts";
import type { PartHost } from "../../../src/parts/part.ts";
import { D1BackupRows } from "../../../src/cloudflare/stores/d1-backup-rows.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const rows = new D1BackupRows(sqliteD1());
const part = backupPart({ rows: () => rows, restoreRun: () => Promise.resolve("same") });
const operations = part.bind?.({ env: {}, runs: {} } as PartHost).operations ?? [];

type Asked = { readonly tenant: string; readonly query?: object };

function ask(id: string, { tenant, query = {} }: Asked, json?: unknown): Promise<unknown> {
  const operation = operations.find((each) => each.id === id) as Operation;
  const raw = new Request("https://api.test/", {
    method: "POST",
    body: JSON.stringify(json ?? {}),
  });
  const request = { tenant, query, raw, params: { table: "definitions", id: "a" }, body: {} };
  return operation.handle(request as unknown as Parameters<Operation["handle"]>[0]);
}

const ROW = { kind: "crew", name: "a", definition: "{}", created_at: 1, updated_at: 1 };

describe("the operations of backups", () => {
  it.each(operations.map(({ id }) => id).filter((id) => id !== "importRun"))(
    "BUP1: %s accepts another tenant only with the operator's key",
    async (id) => {
      await expect(
        ask(id, { tenant: "acme", query: { tenant: "other" } }, { rows: [ROW] }),
      ).rejects.toMatchObject({
        code: "forbidden",
      });
    },
  );

  it("need a key with the scope admin, all of them", () => {
    expect(operations.map(({ scope }) => scope)).toEqual(operations.map(() => "admin"));
  });

  it("BUP2: rows are written once, for the tenant of the key, and a dry restore writes no row", async () => {
    const body = { rows: [ROW] };
    const count = async (): Promise<number> =>
      (await rows.page({ tenant: "acme", table: "definitions", limit: 9 })).items.length;
    expect(await ask("restoreRows", { tenant: "acme", query: { dry: true } }, body)).toMatchObject({
      json: { written: 1, same: 0 },
    });
    expect(await count()).toBe(0);
    expect(await ask("restoreRows", { tenant: "acme" }, body)).toMatchObject({
      json: { written: 1 },
    });
    expect(await ask("restoreRows", { tenant: "acme" }, body)).toMatchObject({
      json: { written: 0, same: 1 },
    });
    expect(await count()).toBe(1);
    expect((await rows.page({ tenant: "default", table: "definitions", limit: 9 })).items).toEqual(
      [],
    );
  });

  it.each([
    [{ rows: [{ ...ROW, surprise: 1 }] }, /definitions has no column "surprise"/],
    [{ rows: [{ definition: "{}" }] }, /rows\/0 has no kind, name/],
    [{ rows: [{ ...ROW, name: { a: 1 } }] }, /rows do not fit/],
    [{ rows: [] }, /rows do not fit/],
  ])("refuse %j", async (body, message) => {
    await expect(ask("restoreRows", { tenant: "acme" }, body)).rejects.toThrow(message);
  });
});
