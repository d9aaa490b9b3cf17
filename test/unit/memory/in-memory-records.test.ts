import { InMemoryRecords } from "../../../src/memory/in-memory-records.ts";
import { describeMemoryRecords } from "../../support/memory-records.suite.ts";

describeMemoryRecords({ name: "in this process", open: () => new InMemoryRecords() });
