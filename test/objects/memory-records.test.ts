import { env } from "cloudflare:workers";
import { D1MemoryRecords } from "../../src/cloudflare/stores/d1-memory-records.ts";
import { describeMemoryRecords } from "../support/memory-records.suite.ts";

describeMemoryRecords({ name: "in D1", open: (tenant) => new D1MemoryRecords(env.DB, tenant) });
