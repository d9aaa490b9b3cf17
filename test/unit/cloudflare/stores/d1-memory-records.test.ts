import { D1MemoryRecords } from "../../../../src/cloudflare/stores/d1-memory-records.ts";
import { describeMemoryRecords } from "../../../support/memory-records.suite.ts";
import { sqliteD1 } from "../../../support/sqlite-d1.ts";

const shared = sqliteD1();

describeMemoryRecords({
  name: "in D1's SQL",
  open: (tenant) => new D1MemoryRecords(shared, tenant),
});
